#include "whence/io/json/config_needs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

using Version = std::array<std::uint32_t, 3>;

/// "1", "1.2" or "1.2.3"; missing parts are 0.
std::optional<Version> read_version(std::string_view text) {
  const auto parts = split(text, '.');
  Version version{};
  if (parts.size() > version.size()) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* end = parts[i].data() + parts[i].size();
    const auto [stop, error] = std::from_chars(parts[i].data(), end, version[i]);
    if (error != std::errc{} || stop != end || parts[i].empty()) return {};
  }
  return version;
}

}  // namespace

void take_needs(Json& config, const std::string& file) {
  const Json* needs = config.find("needs");
  if (!needs) return;
  const auto refuse = [&](const std::string& problem, const std::string& hint) {
    throw Error(ExitCode::bad_config, "E-CONFIG-VERSION", place_in(file, needs->place), problem,
                hint);
  };
  const auto wanted = needs->is(Json::Kind::text) ? read_version(needs->text) : std::nullopt;
  if (!wanted)
    refuse("'needs' must be a version of whence", "such as \"" + std::string(version()) + "\"");
  if (*wanted > read_version(version()).value())
    refuse("this configuration needs whence >= " + excerpt(needs->text) + ", this is " + version(),
           "update whence, or remove 'needs' if no newer key is used");
  std::erase_if(config.members, [](const JsonMember& m) { return m.key == "needs"; });
}

}  // namespace whence
