// Work in units whose results are bytes: what several processes share out, and what a checkpoint
// keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "whence/core/control.hpp"

namespace whence {

/// A caller gets all results, in order, on every process: the same bytes for any
/// number of processes and threads, if each unit depends on its number alone.
class SharedWork {
 public:
  virtual ~SharedWork() = default;

  using Job = std::function<std::string(std::size_t)>;
  /// `stage` names the work among all that is given: once each. Errors of a unit are thrown on
  /// every process.
  virtual std::vector<std::string> results(std::string_view stage, std::size_t units, int threads,
                                           const Job& job, const Progress& progress = {}) = 0;
};

/// Results by stage and number.
using KeptUnits = std::map<std::pair<std::string, std::uint64_t>, std::string>;

/// What a run was given, by name: equal for all processes of a run, and for all runs that continue
/// each other.
struct SharedFact {
  std::string name, value;
};

/// Results without pointers as their bytes, and back.
template <class Value>
std::string bytes_of_value(const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::string bytes(sizeof(Value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(Value));
  return bytes;
}
template <class Value>
Value value_of_bytes(std::string_view bytes) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value value{};
  if (bytes.size() == sizeof(Value)) std::memcpy(&value, bytes.data(), sizeof(Value));
  return value;
}

/// Numbers and lists one after the other.
class ByteWriter {
 public:
  template <class Value>
  ByteWriter& put(const Value& value) {
    bytes_ += bytes_of_value(value);
    return *this;
  }
  template <class Value>
  ByteWriter& put_list(const std::vector<Value>& list) {
    put(list.size());
    for (const Value& value : list) put(value);
    return *this;
  }
  ByteWriter& put_text(std::string_view text) {
    put(text.size());
    bytes_ += text;
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// What ends too soon reads as zeros and empty lists, and `whole` says so.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class Value>
  Value get() {
    const bool there = bytes_.size() >= sizeof(Value);
    whole_ = whole_ && there;
    const Value value = value_of_bytes<Value>(bytes_.substr(0, there ? sizeof(Value) : 0));
    bytes_.remove_prefix(there ? sizeof(Value) : bytes_.size());
    return value;
  }
  template <class Value>
  std::vector<Value> get_list() {
    const auto size = get<std::size_t>();
    std::vector<Value> list;
    for (std::size_t i = 0; i < size && whole_; ++i) list.push_back(get<Value>());
    return list;
  }
  std::string get_text() {
    const auto size = get<std::size_t>();
    whole_ = whole_ && size <= bytes_.size();
    std::string text(bytes_.substr(0, whole_ ? size : 0));
    bytes_.remove_prefix(whole_ ? size : bytes_.size());
    return text;
  }
  bool failed() const { return !whole_; }  // something was missing
  /// Whether nothing was missing so far, and nothing is left.
  bool whole() const { return whole_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool whole_ = true;
};

}  // namespace whence
