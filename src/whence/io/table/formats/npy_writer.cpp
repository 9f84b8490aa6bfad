// Arrays into the formats of NumPy.
#include <bit>
#include <cstring>
#include <memory>
#include <zip.h>

#include "whence/core/error.hpp"
#include "whence/io/table/formats/number_array.hpp"

namespace whence {
namespace {

void append_little_endian(std::uint64_t bits, std::size_t bytes, std::string& out) {
  for (std::size_t i = 0; i < bytes; ++i) out += char(bits >> (8 * i) & 0xFF);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

[[noreturn]] void fail(zip_error_t* error) {
  throw Error(ExitCode::io, "E-IO-ZIP", "",
              std::string("the zip file cannot be written: ") + zip_error_strerror(error));
}

void add_member(zip_t* zip, const std::string& name, const std::string& bytes) {
  zip_source_t* source = zip_source_buffer(zip, bytes.data(), bytes.size(), 0);
  const zip_int64_t index = source == nullptr ? -1 : zip_file_add(zip, name.c_str(), source, 0);
  if (index < 0) {
    zip_source_free(source);
    fail(zip_get_error(zip));
  }
  const auto i = zip_uint64_t(index);
  zip_set_file_compression(zip, i, ZIP_CM_STORE, 0);
  zip_file_set_dostime(zip, i, 0, 0x21, 0);  // 1980-01-01: no clock in the file
}

std::string content_of(zip_source_t* source) {
  zip_stat_t status;
  if (zip_source_open(source) != 0 || zip_source_stat(source, &status) != 0)
    fail(zip_source_error(source));
  std::string bytes(status.size, '\0');
  if (zip_source_read(source, bytes.data(), bytes.size()) != zip_int64_t(bytes.size()))
    fail(zip_source_error(source));
  zip_source_close(source);
  return bytes;
}

}  // namespace

std::string npy_bytes(const NumberArray& array) {
  std::string header = std::string("{'descr': '") + (array.whole ? "<i8" : "<f8") +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  constexpr std::size_t start = 10, alignment = 64;
  header.append(alignment - (start + header.size() + 1) % alignment, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  append_little_endian(header.size(), 2, out);
  out += header;
  for (const double value : array.values)
    append_little_endian(
        array.whole ? std::uint64_t(std::int64_t(value)) : std::bit_cast<std::uint64_t>(value), 8,
        out);
  return out;
}

std::string npz_bytes(const NamedArrays& arrays) {
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> out(
      zip_source_buffer_create(nullptr, 0, 0, &error), zip_source_free);
  if (!out) fail(&error);
  zip_source_keep(out.get());  // the archive takes one reference
  std::unique_ptr<zip_t, void (*)(zip_t*)> zip(
      zip_open_from_source(out.get(), ZIP_CREATE | ZIP_TRUNCATE, &error), zip_discard);
  if (!zip) {
    zip_source_free(out.get());
    fail(&error);
  }
  std::vector<std::string> members;  // alive until the archive is closed
  for (const auto& [name, array] : arrays) members.push_back(npy_bytes(array));
  for (std::size_t i = 0; i < arrays.size(); ++i)
    add_member(zip.get(), arrays[i].first + ".npy", members[i]);
  if (zip_close(zip.get()) != 0) fail(zip_get_error(zip.get()));
  static_cast<void>(zip.release());
  return content_of(out.get());
}

}  // namespace whence
