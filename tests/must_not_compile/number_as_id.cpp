// A bare number does not become an id by itself.
#include "whence/core/family.hpp"

whence::Family child_of_nobody() {
#ifdef CONTROL
  return {whence::VariableId(2), {}};
#else
  return {2, {}};
#endif
}
