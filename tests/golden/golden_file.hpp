// Golden files: results as text that can be reviewed, and how near a result has to come to them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whence/io/json/json.hpp"

namespace whence {

inline constexpr const char* remedy =
    "; if the change is wanted, run scripts/regenerate_golden.sh and review the difference";

/// Values below it are rounding.
inline constexpr double rounding_noise = 1e-13;

/// Whether files are to be written instead of compared.
bool regenerating();

/// Enough digits to compare at 1e-9, few enough to read.
Json golden_number(double value, double noise = rounding_noise);

/// The paths at which two values differ, by more than libraries differ in the last digits.
std::vector<std::string> differences(const Json& measured, const Json& golden,
                                     double noise = rounding_noise);

/// Fails the running test where `measured` is not what the file holds, or writes the file.
void compare_with_golden(const std::filesystem::path& file, const Json& measured,
                         double noise = rounding_noise);

/// Below tests/golden.
std::filesystem::path golden_folder();

}  // namespace whence
