#include "whence/io/table/formats/npz_reader.hpp"

#include <cmath>
#include <sys/resource.h>
#include <zip.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/bad_input/array_cases.hpp"
#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/table/formats/npy_reader.hpp"

namespace whence {
namespace {

using namespace bad_input;
using namespace std::string_literals;

void expect_ending(const Case& expected, const std::string& file_name) {
  const TemporaryFolder folder;
  ReadOptions options;
  if (expected.change) expected.change(options);
  const std::vector<NamedFile> files = {{folder.write(file_name, expected.bytes)}};
  try {
    read_files(files, options);
    EXPECT_EQ(expected.error, "") << expected.id << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), expected.error) << error.what();
    EXPECT_EQ(int(error.code()), expected.exit);
    EXPECT_TRUE(error.place().ends_with(expected.place)) << error.place();
    const std::string said = std::string(error.what()) + " | " + error.hint();
    EXPECT_NE(said.find(expected.says), std::string::npos) << said;
    EXPECT_LT(said.size() + error.place().size(), 4096u);
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name;
  for (const char c : info.param.id) name += std::isalnum(std::uint8_t(c)) ? c : '_';
  return name + "_" + std::to_string(info.index);
}

class NpyCatalogue : public testing::TestWithParam<Case> {};
TEST_P(NpyCatalogue, EndsAsDocumented) { expect_ending(GetParam(), "data.npy"); }
INSTANTIATE_TEST_SUITE_P(Catalogue, NpyCatalogue, testing::ValuesIn(npy_cases()), case_name);

class NpzCatalogue : public testing::TestWithParam<Case> {};
TEST_P(NpzCatalogue, EndsAsDocumented) { expect_ending(GetParam(), "data.npz"); }
INSTANTIATE_TEST_SUITE_P(Catalogue, NpzCatalogue, testing::ValuesIn(npz_cases()), case_name);

RawTable npy_table(const std::string& bytes) {
  MemorySource source("data.npy", bytes);
  return read_npy(source, {});
}

RawTable npz_table(const std::string& bytes, const ValueOptions& options = {}) {
  MemorySource source("data.npz", bytes);
  return read_npz(source, options);
}

TEST(NpyReader, ByteOrderAndLayoutMakeNoDifference) {  // Z15, Z16
  const RawTable expected = npy_table(good_npy());
  EXPECT_EQ(expected.columns[0].numbers.values(), (std::vector<double>{1.5, 2.5, 3.5}));
  EXPECT_EQ(expected.columns[1].numbers.values(), (std::vector<double>{2, 3, 5}));
  std::string swapped;
  for (const double value : six()) {
    std::string bytes = bytes_of(value);
    swapped.append(bytes.rbegin(), bytes.rend());
  }
  const std::string columns = doubles(std::vector<double>{1.5, 2.5, 3.5, 2, 3, 5});
  for (const std::string& bytes :
       {npy(">f8", false, "(3, 2)", swapped), npy("<f8", true, "(3, 2)", columns)}) {
    const RawTable table = npy_table(bytes);
    EXPECT_EQ(table.columns[0].numbers.values(), expected.columns[0].numbers.values());
    EXPECT_EQ(table.columns[1].numbers.values(), expected.columns[1].numbers.values());
  }
}

TEST(NpyReader, ReadsEveryType) {
  const std::pair<const char*, std::string> arrays[] = {
      {"|i1", "\xfe\x03"s},
      {"|u1", "\xfe\x03"s},
      {"<i2", little(0xfffe, 2) + little(3, 2)},
      {">u2", "\xff\xfe\0\x03"s},
      {"<i4", little(0xfffffffe, 4) + little(3, 4)},
      {">i4", "\xff\xff\xff\xfe\0\0\0\x03"s},
      {"<u4", little(0xfffffffe, 4) + little(3, 4)},
      {"<i8", little(std::uint64_t(0) - 2, 8) + little(3, 8)},
      {"<u8", little(254, 8) + little(3, 8)},
      {"<f4", little(0xc0000000, 4) + little(0x40400000, 4)}};
  const double first[] = {-2, 254, -2, 65534, -2, -2, 4294967294, -2, 254, -2};
  for (std::size_t i = 0; i < std::size(arrays); ++i) {
    const RawTable table = npy_table(npy(arrays[i].first, false, "(2,)", arrays[i].second));
    EXPECT_EQ(table.columns[0].numbers.values(), (std::vector<double>{first[i], 3}))
        << arrays[i].first;
  }
}

TEST(NpyReader, NegativeZeroIsZero) {
  const RawTable table =
      npy_table(npy("<f8", false, "(2,)", doubles(std::vector<double>{-0.0, 1})));
  EXPECT_FALSE(std::signbit(table.columns[0].numbers[0]));
}

TEST(NpyReader, PicklesAreNotRead) {  // Z13: no byte of the payload
  const std::string bytes = npy("|O", false, "(3, 2)", std::string(48, 'x'));
  MemorySource source("data.npy", bytes);
  EXPECT_THROW(read_npy(source, {}), Error);
  EXPECT_EQ(source.bytes_read(), bytes.size() - 48);
}

TEST(NpyReader, ClaimsCostNoMemory) {  // Z04, Z08
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(npy_table("\x93NUMPY" + little(2, 2) + little(0xfffffff0, 4)), Error);
    EXPECT_THROW(npy_table(npy("<f8", false, "(65536, 65536)", "")), Error);
  }
  getrusage(RUSAGE_SELF, &after);
  // Allocators take memory in steps; what the files claim is hundreds of times this bound.
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024);
}

TEST(NpyReader, MissingValuesByChoice) {
  const std::string bytes =
      npy("<f8", false, "(4,)", doubles(std::vector<double>{1, std::nan(""), -999, 2.5}));
  MemorySource source("data.npy", bytes);
  ValueOptions options;
  options.missing = MissingPolicy::drop;
  options.na = {"-999"};
  EXPECT_EQ(read_npy(source, options).columns[0].missing, 2u);
}

/// An archive made by libzip: deflated, as numpy.savez_compressed does.
std::string deflated(const std::vector<std::pair<std::string, std::string>>& members) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* out = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(out);
  zip_t* archive = zip_open_from_source(out, ZIP_CREATE | ZIP_TRUNCATE, &error);
  for (const auto& [name, bytes] : members) {
    zip_source_t* content = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t i = zip_file_add(archive, name.c_str(), content, 0);
    zip_set_file_compression(archive, zip_uint64_t(i), ZIP_CM_DEFLATE, 1);
  }
  EXPECT_EQ(zip_close(archive), 0);
  zip_stat_t status;
  zip_source_stat(out, &status);
  std::string bytes(status.size, '\0');
  zip_source_open(out);
  zip_source_read(out, bytes.data(), bytes.size());
  zip_source_close(out);
  zip_source_free(out);
  return bytes;
}

std::string long_vector(std::size_t rows, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(std::sin(double(i) * step));
  return npy("<f8", false, "(" + std::to_string(rows) + ",)", doubles(values));
}

TEST(NpzReader, StoredAndDeflatedAreTheSame) {
  const std::string a = long_vector(1000, 1), b = long_vector(1000, 2);
  const RawTable stored = npz_table(zip({{"A.npy", a}, {"B.npy", b}}));
  const RawTable packed = npz_table(deflated({{"A.npy", a}, {"B.npy", b}}));
  ASSERT_EQ(stored.columns.size(), 2u);
  EXPECT_EQ(stored.columns[0].name, "A");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(stored.columns[i].numbers.values(), packed.columns[i].numbers.values());
}

TEST(NpzReader, MatricesAreVectorsBesideOtherArrays) {
  const RawTable table = npz_table(zip({{"A.npy", good_npy()}, {"B.npy", good_vector()}}));
  ASSERT_EQ(table.groups.size(), 1u);
  EXPECT_EQ(table.groups[0].name, "A");
  EXPECT_EQ(table.columns[1].name, "A.2");
  EXPECT_EQ(npz_table(zip({{"A.npy", good_npy()}})).groups.size(), 0u)
      << "a single matrix is a table";
}

TEST(NpzReader, EveryPrefixIsRefused) {  // Z19
  for (const std::string& whole : {zip({{"A.npy", good_vector()}, {"B.npy", good_vector(1)}}),
                                   deflated({{"A.npy", good_vector()}, {"B.npy", good_npy()}})}) {
    EXPECT_NO_THROW(npz_table(whole, {}));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      try {
        npz_table(whole.substr(0, length));
        ADD_FAILURE() << "a prefix of " << length << " bytes was accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::bad_data) << error.id();
      }
    }
  }
}

/// Flipping a bit gives the same numbers or an error of bad data.
void expect_flips_are_noticed(const std::string& whole) {
  const RawTable expected = npz_table(whole);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << bit % 8));
    try {
      const RawTable table = npz_table(bytes);
      ASSERT_EQ(table.columns.size(), expected.columns.size()) << bit;
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        ASSERT_EQ(table.columns[i].name, expected.columns[i].name) << bit;
        ASSERT_EQ(table.columns[i].numbers.values(), expected.columns[i].numbers.values()) << bit;
      }
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == ExitCode::bad_data || error.code() == ExitCode::resource)
          << error.id();
    }
  }
}

TEST(NpzReader, EveryFlippedBitIsNoticed) {  // Z20
  const std::string a = long_vector(100, 1), b = long_vector(100, 2);
  expect_flips_are_noticed(zip({{.name = "A.npy", .content = a, .wide = true}, {"B.npy", b}}));
  expect_flips_are_noticed(deflated({{"A.npy", a}, {"B.npy", b}}));
}

TEST(NpzReader, BombsAreNotUnpacked) {  // Z25, Z26
  const std::string zeros = npy("<f8", false, "(1048576,)", std::string(8 << 20, '\0'));
  const std::string bomb = deflated({{"A.npy", zeros}});
  EXPECT_LT(bomb.size(), 100'000u);
  ValueOptions options;
  options.max_memory = 4 << 20;
  try {
    npz_table(bomb, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-LIMIT-MEMORY");
    EXPECT_EQ(error.code(), ExitCode::resource);
  }
  // The same content under a header that declares 1 KiB, in both places.
  const std::string small = npy("<f8", false, "(112,)", std::string(896, '\0'));
  ASSERT_EQ(small.size(), 1024u);
  std::string lying = deflated({{"A.npy", small + std::string(8 << 20, '\0')}});
  const std::string size = little(small.size() + (8 << 20), 4);
  for (std::size_t at; (at = lying.find(size)) != std::string::npos;)
    lying.replace(at, 4, little(1024, 4));
  try {
    npz_table(lying, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_data) << error.id();
    EXPECT_EQ(error.id().substr(0, 5), "E-NPZ") << error.id();
  }
}

TEST(NpzReader, SixtyFourBitDirectory) {  // Z27, Z32: the count, and the record that holds it
  const std::string content = good_vector();
  std::string plain = zip({{"A.npy", content}});
  const std::string end = plain.substr(plain.size() - 22);
  plain.resize(plain.size() - 22);
  const std::uint64_t start = plain.find("PK\x01\x02"), length = plain.size() - start;
  const auto wide = [&](std::uint64_t count) {
    return plain + "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
           little(count, 8) + little(count, 8) + little(length, 8) + little(start, 8) +
           "PK\x06\x07" + little(0, 4) + little(plain.size(), 8) + little(1, 4) + "PK\x05\x06" +
           little(0, 4) + little(0xffff, 2) + little(0xffff, 2) + little(0xffffffff, 4) +
           little(0xffffffff, 4) + little(0, 2);
  };
  EXPECT_EQ(npz_table(wide(1)).rows, 3u);
  try {
    npz_table(wide(1'000'000));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-LIMIT-MEMBERS");
    EXPECT_EQ(error.code(), ExitCode::resource);
  }
}

TEST(NpzReader, FilesThatChangeAreNoticed) {  // Z31
  class Disturbed : public FileSource {
   public:
    explicit Disturbed(const std::filesystem::path& path) : FileSource(path), path_(path) {}

   protected:
    std::size_t fill_at(std::uint64_t offset, char* to, std::size_t count) override {
      if (std::exchange(calm_, false)) std::ofstream(path_, std::ios::app) << "x";
      return FileSource::fill_at(offset, to, count);
    }

   private:
    std::filesystem::path path_;
    bool calm_ = true;
  };
  const TemporaryFolder folder;
  const std::string bytes = zip({{"A.npy", good_vector()}});
  Disturbed source(folder.write("data.npz", bytes));
  try {
    read_npz(source, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-IO-CHANGED");
  }
  // A file that is replaced under its name stays what it was when it was opened.
  const auto path = folder.write("replaced.npz", bytes);
  FileSource replaced(path);
  folder.write("new.npz", "something else");
  std::filesystem::rename(folder / "new.npz", path);
  EXPECT_EQ(read_npz(replaced, {}).rows, 3u);
}

/// A deflated member of `gib` GiB of zeros behind a header, written piece by piece.
std::filesystem::path write_large(const TemporaryFolder& folder, const std::string& header,
                                  std::uint64_t size) {
  struct Zeros {
    std::string header;
    std::uint64_t size, at = 0;
    zip_error_t error{};
  } zeros{header, size};
  const zip_source_callback callback = [](void* state, void* data, zip_uint64_t length,
                                          zip_source_cmd_t command) -> zip_int64_t {
    auto& z = *static_cast<Zeros*>(state);
    switch (command) {
      case ZIP_SOURCE_OPEN: z.at = 0; return 0;
      case ZIP_SOURCE_READ: {
        const std::uint64_t got = std::min<std::uint64_t>(length, z.size - z.at);
        for (std::uint64_t i = 0; i < got; ++i, ++z.at)
          static_cast<char*>(data)[i] = z.at < z.header.size() ? z.header[std::size_t(z.at)] : '\0';
        return zip_int64_t(got);
      }
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE: return 0;
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->valid = ZIP_STAT_SIZE;
        status->size = z.size;
        return sizeof *status;
      }
      case ZIP_SOURCE_ERROR: return zip_error_to_data(&z.error, data, length);
      case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_READABLE;
      default: return -1;
    }
  };
  const auto path = folder / "large.npz";
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  zip_source_t* content = zip_source_function(archive, callback, &zeros);
  const zip_int64_t i = zip_file_add(archive, "A.npy", content, 0);
  zip_set_file_compression(archive, zip_uint64_t(i), ZIP_CM_DEFLATE, 1);
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

TEST(SlowNpzReader, MembersAboveFourGibibytes) {  // Z25, Z32
  // 1100 columns of 500,000 rows of f8 are 4.1 GiB; two columns are wanted.
  const std::string header = npy("<f8", false, "(500000, 1100)", "");
  const TemporaryFolder folder;
  const auto path = write_large(folder, header, header.size() + std::uint64_t(500'000) * 1100 * 8);
  ReadOptions options;
  const auto two = [](const std::vector<std::string>& names, const std::vector<RawGroup>&) {
    std::vector<ColumnRole> roles(names.size(), ColumnRole::skip);
    roles[0] = roles[1099] = ColumnRole::number;
    return roles;
  };
  try {
    read_raw_table(path, options, two);
    FAIL() << "beyond --max-memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-LIMIT-MEMORY");
  }
  options.max_memory = std::size_t(8) << 30;
  const RawTable table = read_raw_table(path, options, two);
  EXPECT_EQ(table.rows, 500'000u);
  EXPECT_EQ(table.columns[1099].numbers.size(), 500'000u);
}

}  // namespace
}  // namespace whence
