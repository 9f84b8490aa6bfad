// A configuration may say which Whence it was written for: {"needs": "0.2"}.
#pragma once

#include <string>

#include "whence/io/json/json.hpp"

namespace whence {

/// Takes the key "needs" out of a configuration. An Error of code bad_config when its value is no
/// version, or a newer one than this program: its keys may mean something else then.
void take_needs(Json& config, const std::string& file);

}  // namespace whence
