// Documents that Whence wrote earlier and reads again: what is missing, or of another kind, is
// refused, never guessed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "whence/io/json/json.hpp"

namespace whence {

class StoredJson {
 public:
  /// Throws an Error with this problem: readers differ in its code and its hint.
  using Refuse = std::function<void(const std::string& problem)>;
  explicit StoredJson(Refuse refuse) : refuse_(std::move(refuse)) {}

  const Json& member(const Json& object, const char* key, Json::Kind kind) const;
  const std::string& text(const Json& object, const char* key) const;
  bool flag(const Json& object, const char* key) const;
  std::uint64_t count(const Json& object, const char* key) const;
  const std::vector<Json>& list(const Json& object, const char* key) const;
  std::vector<std::string> texts(const Json& object, const char* key) const;

  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  Refuse refuse_;
};

}  // namespace whence
