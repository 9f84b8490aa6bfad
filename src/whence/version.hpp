// Which Whence this is. The build writes the definitions.
#pragma once

namespace whence {

const char* version();     // "0.1.0"
const char* revision();    // a tag or commit, "-dirty" when edited, "unknown" at worst
const char* build_type();  // "Release"
const char* compiler();    // "GNU 12.2.0"

}  // namespace whence
