# Writes OUTPUT, the definitions of whence/version.hpp; touches it only when something changed.
# Reads SOURCE (the repository), VERSION, BUILD_TYPE, COMPILER.

set(revision "")
find_program(GIT git)
if(GIT)
  execute_process(
    COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --match v*
    OUTPUT_VARIABLE revision ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

# Without git, or where git distrusts the owner of the folder, a clone still says where it stands.
if(NOT revision AND EXISTS ${SOURCE}/.git/HEAD)
  file(STRINGS ${SOURCE}/.git/HEAD head)
  if(head MATCHES "^ref: (.+)$")
    set(branch ${CMAKE_MATCH_1})
    set(head "")
    if(EXISTS ${SOURCE}/.git/${branch})
      file(STRINGS ${SOURCE}/.git/${branch} head)
    elseif(EXISTS ${SOURCE}/.git/packed-refs)
      file(STRINGS ${SOURCE}/.git/packed-refs head REGEX " ${branch}$")
    endif()
  endif()
  string(SUBSTRING "${head}" 0 12 revision)
endif()
if(NOT revision)
  set(revision unknown)
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "whence/version.hpp"

namespace whence {

const char* version() { return "@VERSION@"; }
const char* revision() { return "@revision@"; }
const char* build_type() { return "@BUILD_TYPE@"; }
const char* compiler() { return "@COMPILER@"; }

}  // namespace whence
]])
