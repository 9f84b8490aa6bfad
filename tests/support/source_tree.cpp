#include "support/source_tree.hpp"

namespace whence::test {

std::filesystem::path source_tree() { return WHENCE_SOURCE_DIR; }

}  // namespace whence::test
