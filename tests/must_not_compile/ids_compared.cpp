// Ids of different things are not comparable.
#include "whence/core/ids.hpp"

bool same(whence::VariableId v) {
#ifdef CONTROL
  return v == whence::VariableId(1);
#else
  return v == whence::FamilyId(1);
#endif
}
