#pragma once
#include <filesystem>

namespace whence::test {

/// The root of the repository that these tests were built from.
std::filesystem::path source_tree();

}  // namespace whence::test
