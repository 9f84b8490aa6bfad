// Arrays as NumPy saves them (.npy): numbers only, one or two dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/files/byte_source.hpp"
#include "whence/io/table/formats/number_array.hpp"
#include "whence/io/table/raw_table.hpp"
#include "whence/io/table/value_issues.hpp"

namespace whence {

/// What the header says. Accepted: f4 f8 i1 i2 i4 i8 u1 u2 u4 u8, both byte orders, both layouts.
struct NpyHeader {
  char type = 'f';  // f, i or u
  int bytes = 8;    // per number
  bool big_endian = false;
  bool column_major = false;
  std::vector<std::uint64_t> shape;

  std::uint64_t rows() const { return shape[0]; }
  std::uint64_t columns() const { return shape.size() > 1 ? shape[1] : 1; }
};

/// What else than a table of data is accepted.
struct NpyForm {
  std::size_t dimensions = 2;  // at most
  bool python2 = false;        // "(11L, 11L)"
};

/// An array while it is read: bytes in order, and how many there are in all.
class NpyStream {
 public:
  using Read = std::function<std::size_t(char*, std::size_t)>;  // less than asked only at the end
  NpyStream(std::string place, std::uint64_t size, Read read, NpyForm form = {});

  /// Reads and checks the header: nothing is allocated for what it only claims.
  const NpyHeader& header() const { return header_; }
  const std::string& place() const { return place_; }

  /// The payload, of which the columns with a place in `out` are kept; of `rows`, where given,
  /// those alone.
  void read_columns(const std::vector<RawColumn*>& out, const ValueOptions& options,
                    ValueIssues& issues, const std::vector<bool>* rows = nullptr);

  /// The payload as it is, in C order; values that are not finite are errors.
  NumberArray read_array(std::size_t max_memory);

 private:
  void read_header(NpyForm form);
  void check_size() const;
  void take_exactly(char* to, std::size_t count);
  double value_of(const char* bytes, std::uint64_t row, std::uint64_t column, RawColumn& out,
                  ValueIssues& issues);
  std::string place_of(std::uint64_t row, std::uint64_t column) const;
  [[noreturn]] void fail(const char* id, const std::string& problem,
                         const std::string& hint = {}) const;

  std::string place_;
  std::uint64_t size_, used_ = 0;
  Read read_;
  NpyHeader header_;
  std::vector<double> na_;  // values that mean "missing"
};

/// The dictionary in a header, by its grammar; nothing is evaluated. `place` is for errors.
NpyHeader parse_npy_header(std::string_view text, const std::string& place, NpyForm form = {});

/// A two-dimensional array has columns c1, c2, ...; a one-dimensional one has c1.
RawTable read_npy(ByteSource& source, const ValueOptions& options,
                  const ChooseColumns& choose = {});

/// Room for `columns` columns of `rows` doubles, or E-LIMIT-MEMORY.
void require_memory(const std::string& place, std::uint64_t rows, std::uint64_t columns,
                    std::size_t max_memory);

/// "32 GiB", "80 bytes".
std::string byte_count(std::uint64_t bytes);

}  // namespace whence
