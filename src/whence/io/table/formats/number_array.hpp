// Whole arrays of numbers with up to three dimensions, out of .npy and .npz files and into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whence/io/files/byte_source.hpp"

namespace whence {

/// Values in C order: the last index runs fastest.
struct NumberArray {
  std::vector<std::uint64_t> shape;
  std::vector<double> values;
  bool whole = false;  // stored as integers
};

/// As NumPy writes them; unlike tables of data, up to three dimensions, and headers of Python 2,
/// "(11L, 11L)", are read too. Values that are not finite are errors.
NumberArray read_npy_array(ByteSource& source, std::size_t max_memory = std::size_t(4) << 30);

using NamedArrays = std::vector<std::pair<std::string, NumberArray>>;

/// The arrays of these names, in this order; those that are not there are left out.
NamedArrays read_npz_arrays(ByteSource& source, std::span<const std::string> names,
                            std::size_t max_memory = std::size_t(4) << 30);

/// The bytes of a .npy file (version 1.0, little-endian, C order): i8 where the array is whole,
/// otherwise f8.
std::string npy_bytes(const NumberArray& array);

/// The bytes of a .npz file, not compressed; the same arrays give the same bytes.
std::string npz_bytes(const NamedArrays& arrays);

}  // namespace whence
