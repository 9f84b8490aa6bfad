// What each fuzz target starts from: the cases of tests/bad_input, and small files of each format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whence::fuzz {

/// For "csv_fuzz", "npy_fuzz", ...; an unknown name gets the CSV files.
std::vector<std::string> seeds_of(std::string_view target);

}  // namespace whence::fuzz
