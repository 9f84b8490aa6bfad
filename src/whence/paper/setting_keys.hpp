// The one table of setting keys: what each means and which values make sense.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/json/json.hpp"

namespace whence {

struct SettingKey {
  enum class Type { integer, number, flag, choice, graph };
  std::string_view name;
  Type type;
  double min, max;         // of integers and numbers, both allowed
  std::string_view range;  // the same in words: "at least 1"; of a choice: "a|b|c"
  std::string_view meaning;
};

std::span<const SettingKey> setting_keys();

/// The row for a key, by the last part of a dotted path; nullptr when the table has none.
const SettingKey* find_setting_key(std::string_view key);

/// The same value in the one form that is written out: 0.10 and 1e-1 become 0.1.
Json canonical_setting(const SettingKey&, const Json& value);

/// Why a single value (not a list) is not allowed under that key; empty when it is.
struct SettingProblem {
  std::string id, problem, hint;
  explicit operator bool() const { return !id.empty(); }
};
SettingProblem check_setting(const SettingKey&, const Json& value);

/// Keys that an optimizer of that name uses, beside "optimizer" itself; empty for unknown names.
std::vector<std::string> optimizer_keys(std::string_view optimizer);

}  // namespace whence
