#include "whence/io/table/formats/npz_reader.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <zip.h>

#include "whence/core/error.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/zip_layout.hpp"
#include "whence/io/table/column_names.hpp"
#include "whence/io/table/formats/npy_reader.hpp"

namespace whence {
namespace {

/// libzip reads bytes through this; exceptions must not cross its frames, so they are kept here.
struct ZipInput {
  ByteSource& source;
  std::uint64_t at = 0;
  zip_error_t error{};
  std::optional<Error> failure = {};
};

zip_int64_t read_input(ZipInput& input, void* data, zip_uint64_t length) {
  const std::uint64_t left = *input.source.size() - input.at;
  const auto count = std::size_t(std::min<std::uint64_t>(length, left));
  try {
    input.source.read_at(input.at, static_cast<char*>(data), count);
  } catch (const Error& error) {
    input.failure.emplace(error);
    zip_error_set(&input.error, ZIP_ER_READ, 0);
    return -1;
  }
  input.at += count;
  return zip_int64_t(count);
}

zip_int64_t zip_callback(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& input = *static_cast<ZipInput*>(state);
  switch (command) {
    case ZIP_SOURCE_OPEN: input.at = 0; return 0;
    case ZIP_SOURCE_READ: return read_input(input, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: return 0;
    case ZIP_SOURCE_TELL: return zip_int64_t(input.at);
    case ZIP_SOURCE_SEEK: {
      const zip_int64_t to = zip_source_seek_compute_offset(input.at, *input.source.size(), data,
                                                            length, &input.error);
      if (to < 0) return -1;
      input.at = std::uint64_t(to);
      return 0;
    }
    case ZIP_SOURCE_STAT: {
      auto* status = static_cast<zip_stat_t*>(data);
      zip_stat_init(status);
      status->valid = ZIP_STAT_SIZE;
      status->size = *input.source.size();
      return zip_int64_t(sizeof *status);
    }
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&input.error, data, length);
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(
          ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
          ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    default: zip_error_set(&input.error, ZIP_ER_OPNOTSUPP, 0); return -1;
  }
}

/// The open archive, after our own look at its layout.
class Archive {
 public:
  explicit Archive(ByteSource& source)
      : input_{source}, members_(read_zip_layout(source)), zip_(nullptr, zip_discard) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* bytes = zip_source_function_create(zip_callback, &input_, &error);
    if (bytes == nullptr) fail(zip_error_strerror(&error));
    zip_.reset(zip_open_from_source(bytes, ZIP_RDONLY, &error));
    if (!zip_) {
      const std::string why = zip_error_strerror(&error);
      zip_source_free(bytes);
      fail(why);
    }
    if (zip_get_num_entries(zip_.get(), 0) != zip_int64_t(members_.size()))
      fail("its directory is read in two ways");
  }

  const std::vector<ZipMember>& members() const { return members_; }
  std::string place(std::size_t i) const {
    const std::string& name = members_[i].name;
    return input_.source.label() + ":" + printable(name.substr(0, name.size() - 4));
  }

  /// One array while it is unpacked. No more bytes than declared are ever asked for, plus one.
  class Member {
   public:
    Member(Archive& archive, std::size_t i)
        : archive_(archive), index_(i), file_(open(archive, i), zip_fclose) {}

    std::size_t read(char* to, std::size_t count) {
      std::size_t got = 0;
      while (got < count) {
        const zip_int64_t more = zip_fread(file_.get(), to + got, count - got);
        if (more < 0) fail();
        if (more == 0) break;
        got += std::size_t(more);
      }
      return got;
    }

    /// The end must be here, and libzip checks the checksum when it sees it.
    void finish() {
      char extra = 0;
      if (read(&extra, 1) != 0)
        throw Error(ExitCode::bad_data, "E-NPZ-SIZE", archive_.place(index_),
                    "the array is longer than the file says");
    }

   private:
    static zip_file_t* open(Archive& archive, std::size_t i) {
      const ZipMember& member = archive.members_[i];
      zip_stat_t status;
      zip_t* zip = archive.zip_.get();
      if (zip_stat_index(zip, i, 0, &status) != 0 || status.size != member.size ||
          status.comp_size != member.packed || status.crc != member.crc ||
          zip_get_name(zip, i, ZIP_FL_ENC_RAW) != member.name)
        archive.fail("its directory is read in two ways");
      zip_file_t* file = zip_fopen_index(zip, i, 0);
      if (file == nullptr) archive.fail(zip_strerror(zip));
      return file;
    }

    [[noreturn]] void fail() {
      if (archive_.input_.failure) throw Error(*archive_.input_.failure);
      const int code = zip_error_code_zip(zip_file_get_error(file_.get()));
      throw Error(ExitCode::bad_data, code == ZIP_ER_CRC ? "E-NPZ-CRC" : "E-NPZ-DATA",
                  archive_.place(index_),
                  code == ZIP_ER_CRC ? std::string("the array's checksum is wrong")
                                     : std::string("the array cannot be unpacked: ") +
                                           zip_file_strerror(file_.get()),
                  "the file was damaged; save or copy it again");
    }

    Archive& archive_;
    std::size_t index_;
    std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
  };

 private:
  [[noreturn]] void fail(const std::string& why) const {
    if (input_.failure) throw Error(*input_.failure);
    throw Error(ExitCode::bad_data, "E-NPZ-ZIP", input_.source.label(),
                "the zip file cannot be opened: " + why);
  }

  ZipInput input_;
  std::vector<ZipMember> members_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> zip_;
};

/// An array as its header describes it, or why it cannot be read.
struct ArrayInfo {
  std::string name;
  std::optional<NpyHeader> header;
  std::optional<Error> failure;
  std::size_t first_column = 0, columns = 1;
};

class NpzTable {
 public:
  NpzTable(ByteSource& source, const ValueOptions& options) : options_(options), archive_(source) {
    table_.file = source.label();
    for (std::size_t i = 0; i < archive_.members().size(); ++i) look_at(i);
    name_columns();
  }

  RawTable read(const ChooseColumns& choose) {
    std::vector<std::string> names;
    for (const RawColumn& column : table_.columns) names.push_back(column.name);
    std::vector<ColumnRole> roles(names.size(), ColumnRole::automatic);
    if (choose) roles = choose(names, table_.groups);
    check_wanted(roles);
    ValueIssues issues;
    for (std::size_t i = 0; i < arrays_.size(); ++i) unpack(i, roles, issues);
    issues.raise(options_.missing);
    if (table_.draw) count_missing(table_);
    return std::move(table_);
  }

 private:
  void look_at(std::size_t i) {
    const ZipMember& member = archive_.members()[i];
    ArrayInfo& array = arrays_.emplace_back();
    array.name = member.name.substr(0, member.name.size() - 4);
    try {
      Archive::Member file(archive_, i);
      const NpyStream stream(archive_.place(i), member.size,
                             [&](char* to, std::size_t n) { return file.read(to, n); });
      array.header = stream.header();
    } catch (const Error& error) {
      if (error.code() != ExitCode::bad_data) throw;
      array.failure.emplace(error);
    }
  }

  void name_columns() {
    constexpr std::size_t max_columns = 65536;
    std::vector<std::string> names;
    // A single table of two dimensions is a table, not a vector.
    for (ArrayInfo& array : arrays_) {
      array.first_column = names.size();
      if (array.header && array.header->columns() > max_columns - names.size())
        throw Error(ExitCode::resource, "E-LIMIT-COLUMNS", table_.file,
                    "more than " + std::to_string(max_columns) + " columns");
      array.columns = array.header ? std::size_t(array.header->columns()) : 1;
      if (array.columns == 1) {
        names.push_back(array.name);
        continue;
      }
      RawGroup group{array.name, {}};
      for (std::size_t c = 1; c <= array.columns; ++c) {
        group.columns.push_back(names.size());
        names.push_back(array.name + "." + std::to_string(c));
      }
      if (arrays_.size() > 1) table_.groups.push_back(std::move(group));
    }
    check_column_names(names, [&](std::size_t) { return table_.file; });
    table_.columns.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) table_.columns[i].name = std::move(names[i]);
  }

  static bool wanted(const ArrayInfo& array, const std::vector<ColumnRole>& roles) {
    const auto begin = roles.begin() + std::ptrdiff_t(array.first_column);
    return std::any_of(begin, begin + std::ptrdiff_t(array.columns),
                       [](ColumnRole role) { return role != ColumnRole::skip; });
  }

  void check_wanted(const std::vector<ColumnRole>& roles) {
    const ArrayInfo* first = nullptr;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const ArrayInfo& array = arrays_[i];
      if (!wanted(array, roles)) continue;
      if (array.failure) throw Error(*array.failure);
      if (first == nullptr) first = &array;
      if (array.header->rows() != first->header->rows())
        throw Error(ExitCode::bad_data, "E-NPZ-ROWS", archive_.place(i),
                    "array " + in_quotes(array.name) + " has " +
                        std::to_string(array.header->rows()) + " rows, " + in_quotes(first->name) +
                        " has " + std::to_string(first->header->rows()),
                    "rows are samples: all arrays need the same number");
      const std::uint64_t size = archive_.members()[i].size;
      if (size > options_.max_memory)
        throw Error(ExitCode::resource, "E-LIMIT-MEMORY", archive_.place(i),
                    "the array has " + byte_count(size) + "; the limit is " +
                        byte_count(options_.max_memory),
                    "--max-memory");
    }
    if (first == nullptr) return;
    table_.rows = table_.rows_read = std::size_t(first->header->rows());
    draw(roles);
    const auto kept = std::count_if(roles.begin(), roles.end(),
                                    [](ColumnRole role) { return role != ColumnRole::skip; });
    require_memory(table_.file, table_.rows, std::uint64_t(kept), options_.max_memory);
  }

  /// Chooses rows. The column of environments, if there is one, is read for that alone, before all
  /// others.
  void draw(const std::vector<ColumnRole>& roles) {
    if (table_.rows <= options_.most_rows) return;
    RawColumn labels;
    bool found = false;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      std::vector<RawColumn*> out(arrays_[i].columns, nullptr);
      for (std::size_t c = 0; c < arrays_[i].columns; ++c) {
        const std::size_t at = arrays_[i].first_column + c;
        if (roles[at] != ColumnRole::skip && table_.columns[at].name == options_.environment)
          out[c] = &labels;
      }
      if (std::all_of(out.begin(), out.end(), [](const RawColumn* to) { return to == nullptr; }))
        continue;
      ValueIssues issues;  // reported when all is read
      read_member(i, out, issues);
      found = true;
    }
    table_.draw = draw_for(table_.rows, options_, found ? &labels.numbers : nullptr);
    rows_ = table_.draw->mask();
    table_.rows = table_.draw->held();
  }

  void unpack(std::size_t i, const std::vector<ColumnRole>& roles, ValueIssues& issues) {
    const ArrayInfo& array = arrays_[i];
    if (!wanted(array, roles)) return;
    std::vector<RawColumn*> out(array.columns, nullptr);
    for (std::size_t c = 0; c < array.columns; ++c)
      if (roles[array.first_column + c] != ColumnRole::skip)
        out[c] = &table_.columns[array.first_column + c];
    read_member(i, out, issues);
  }

  void read_member(std::size_t i, const std::vector<RawColumn*>& out, ValueIssues& issues) {
    Archive::Member file(archive_, i);
    NpyStream stream(archive_.place(i), archive_.members()[i].size,
                     [&](char* to, std::size_t n) { return file.read(to, n); });
    stream.read_columns(out, options_, issues, rows_.empty() ? nullptr : &rows_);
    file.finish();
  }

  const ValueOptions& options_;
  Archive archive_;
  std::vector<ArrayInfo> arrays_;
  RawTable table_;
  std::vector<bool> rows_;  // which are used; empty: all
};

}  // namespace

RawTable read_npz(ByteSource& source, const ValueOptions& options, const ChooseColumns& choose) {
  if (!source.size())
    throw Error(ExitCode::io, "E-IO-KIND", source.label(), "arrays cannot be read from a pipe",
                "save it as a file first");
  RawTable table = NpzTable(source, options).read(choose);
  source.skip_rest();  // for the hash: the archive was read here and there
  source.check_unchanged();
  table.bytes = source.bytes_read();
  table.sha256 = source.sha256();
  return table;
}

NamedArrays read_npz_arrays(ByteSource& source, std::span<const std::string> names,
                            std::size_t max_memory) {
  if (!source.size())
    throw Error(ExitCode::io, "E-IO-KIND", source.label(), "arrays cannot be read from a pipe",
                "save it as a file first");
  Archive archive(source);
  NamedArrays found;
  for (const std::string& name : names)
    for (std::size_t i = 0; i < archive.members().size(); ++i) {
      const ZipMember& member = archive.members()[i];
      if (member.name != name + ".npy") continue;
      Archive::Member file(archive, i);
      NpyStream stream(archive.place(i), member.size,
                       [&](char* to, std::size_t n) { return file.read(to, n); },
                       {.dimensions = 3});
      found.emplace_back(name, stream.read_array(max_memory));
      file.finish();
    }
  source.check_unchanged();
  return found;
}

}  // namespace whence
