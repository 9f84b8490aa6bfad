#include "whence/io/table/formats/csv_reader.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/bad_input/csv_cases.hpp"
#include "tests/bad_input/reference_csv.hpp"
#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

using bad_input::Case;
using bad_input::Records;
using bad_input::repeated;
using bad_input::TemporaryFolder;

// ---- every case of the catalogue that one small file can show

class CsvCatalogue : public testing::TestWithParam<Case> {};

TEST_P(CsvCatalogue, EndsAsDocumented) {
  const Case& expected = GetParam();
  const TemporaryFolder folder;
  ReadOptions options;
  if (expected.change) expected.change(options);
  const std::vector<NamedFile> files = {{folder.write("data.csv", expected.bytes)}};
  try {
    const LoadedData loaded = read_files(files, options);
    EXPECT_EQ(expected.error, "") << expected.id << " was accepted";
    for (const Column& column : loaded.data.columns)
      for (const double value : column.values) EXPECT_TRUE(std::isfinite(value));
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), expected.error) << error.what();
    EXPECT_EQ(int(error.code()), expected.exit);
    EXPECT_TRUE(error.place().ends_with(expected.place)) << error.place();
    const std::string said = std::string(error.what()) + " | " + error.hint();
    EXPECT_NE(said.find(expected.says), std::string::npos) << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << "control bytes reach the terminal";
    EXPECT_LT(said.size() + error.place().size(), 4096u);
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name;
  for (const char c : info.param.id) name += std::isalnum(std::uint8_t(c)) ? c : '_';
  return name + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, CsvCatalogue, testing::ValuesIn(bad_input::csv_cases()),
                         case_name);

// ---- what accepted files hold

RawTable read_text(const std::string& text, const CsvOptions& options = {}) {
  MemorySource source("data.csv", text);
  return read_csv(source, options);
}

TEST(CsvReader, ByteOrderMarkIsNoPartOfTheName) {
  EXPECT_EQ(read_text("\xEF\xBB\xBF"
                      "a,b\n1,2\n")
                .columns[0]
                .name,
            "a");
  EXPECT_EQ(read_text("\xEF\xBB\xBF\"a\",\"b\"\n1,2\n").columns[0].name, "a");
}

TEST(CsvReader, LineEndsMakeNoDifference) {
  const RawTable expected = read_text("a,b\n1.5,u\n2.5,v\n");
  for (const char* text : {"a,b\r\n1.5,u\r\n2.5,v\r\n", "a,b\r1.5,u\r2.5,v\r",
                           "a,b\r\n1.5,u\r2.5,v", "\n\r\na,b\n1.5,u\n2.5,v\n\n\r\n\n"}) {
    const RawTable table = read_text(text);
    EXPECT_EQ(table.columns[0].numbers.values(), expected.columns[0].numbers.values());
    EXPECT_EQ(table.columns[1].texts, expected.columns[1].texts);
  }
}

TEST(CsvReader, QuotesAsInRfc4180) {
  const RawTable table = read_text("\"\"\"\",\"a\"\"b\"\n\"x,y\",\"1\n2\"\n z ,\" q \"\n");
  EXPECT_EQ(table.columns[0].name, "\"");
  EXPECT_EQ(table.columns[1].name, "a\"b");
  EXPECT_EQ(table.columns[0].levels.text(0), "x,y");
  EXPECT_EQ(table.columns[1].levels.text(0), "1\n2");
  EXPECT_EQ(table.columns[0].levels.text(1), "z") << "spaces around unquoted text do not count";
  EXPECT_EQ(table.columns[1].levels.text(1), " q ");
}

TEST(CsvReader, GuessesTheDelimiter) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "a,b,c\n1,2,3\n4,5,6\n";
    std::replace(text.begin(), text.end(), ',', delimiter);
    const RawTable table = read_text(text);
    ASSERT_EQ(table.columns.size(), 3u) << int(delimiter);
    EXPECT_EQ(table.columns[2].numbers.values(), (std::vector<double>{3, 6}));
  }
  EXPECT_EQ(read_text("a;b\n\"x,y\";1\n\"u,v\";2\n").columns.size(), 2u);
  EXPECT_EQ(read_text("only\n1\n2\n").columns.size(), 1u);
  EXPECT_EQ(read_text("a,b|c\nx,1|2\ny,1|3|4\n").columns[0].name, "a") << "the even one wins";
}

TEST(CsvReader, BlankLinesAreValuesOfASingleColumn) {
  CsvOptions options;
  options.values.missing = MissingPolicy::drop;
  const RawTable table = read_text("x\n1\n\n\n2\n\n", options);
  EXPECT_EQ(table.rows, 4u);
  EXPECT_EQ(table.columns[0].missing, 2u);
}

TEST(CsvReader, CountsLinesInsideQuotes) {
  try {
    read_text("a,b\n\"x\r\ny\rz\",1\n\"u\nv\",\xC3\xA9\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-CSV-NUMBER");
    EXPECT_EQ(error.place(), "data.csv:6:4");
  }
}

TEST(CsvReader, ShowsTheFirstFivePlaces) {
  try {
    read_text("a,b\n" + repeated("nan,1\n", 7) + "1,inf\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-DATA-NONFINITE");
    const std::string said = error.what();
    EXPECT_NE(said.find("8 such values: data.csv:9:3, data.csv:2:1, data.csv:3:1"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("data.csv:5:1, ..."), std::string::npos) << said;
  }
}

TEST(CsvReader, WarnsAboutUnderflowAndLookalikes) {
  EXPECT_EQ(read_text("a,b\n1e-400,2\n1,4.9e-324\n").warnings.size(), 1u);
  EXPECT_EQ(read_text("a,b\n1,4.9e-324\n").columns[1].numbers[0], 4.9e-324);
  EXPECT_EQ(read_text("Rain,rain\n1,2\n").warnings.size(), 1u);
  EXPECT_EQ(read_text("\xC3\xA9,e\xCC\x81\n1,2\n").warnings.size(), 1u);
  EXPECT_EQ(read_text("rain,train\n1,2\n").warnings.size(), 0u);
}

TEST(CsvReader, NumbersAsDocumented) {
  const std::pair<const char*, FieldKind> forms[] = {{"1", FieldKind::number},
                                                     {"-1.25e-3", FieldKind::number},
                                                     {"+1", FieldKind::number},
                                                     {".5", FieldKind::number},
                                                     {"5.", FieldKind::number},
                                                     {" 5\t", FieldKind::number},
                                                     {"1E5", FieldKind::number},
                                                     {"007", FieldKind::number},
                                                     {"-0", FieldKind::number},
                                                     {"0e999", FieldKind::number},
                                                     {"1e400", FieldKind::overflow},
                                                     {"1e-400", FieldKind::underflow},
                                                     {"nan", FieldKind::not_a_number},
                                                     {"-NaN", FieldKind::not_a_number},
                                                     {"nan(1)", FieldKind::not_a_number},
                                                     {"1.#IND", FieldKind::not_a_number},
                                                     {"inf", FieldKind::infinite},
                                                     {"-Infinity", FieldKind::infinite},
                                                     {"0x1p3", FieldKind::malformed},
                                                     {"1,5", FieldKind::malformed},
                                                     {"1 000", FieldKind::malformed},
                                                     {"1'000", FieldKind::malformed},
                                                     {"1_000", FieldKind::malformed},
                                                     {"1.000.000", FieldKind::malformed},
                                                     {"1e", FieldKind::malformed},
                                                     {"2024-01-01", FieldKind::text},
                                                     {"12:30", FieldKind::text},
                                                     {"1/2", FieldKind::text},
                                                     {"5 kg", FieldKind::text},
                                                     {"--5", FieldKind::text},
                                                     {"+", FieldKind::text},
                                                     {"infinite", FieldKind::text},
                                                     {"e5", FieldKind::text},
                                                     {".", FieldKind::text},
                                                     {"", FieldKind::empty}};
  for (const auto& [text, kind] : forms) EXPECT_EQ(int(parse_field(text).kind), int(kind)) << text;
  EXPECT_FALSE(std::signbit(parse_field("-0").value));
  EXPECT_EQ(parse_field("1,5", ',').value, 1.5);
  EXPECT_EQ(int(parse_field("1.5", ',').kind), int(FieldKind::malformed));
}

RC_GTEST_PROP(CsvReader, PrintedNumbersReadBackExactly, (std::uint64_t bits)) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  RC_PRE(std::isfinite(value));
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  for (char& c : text)
    if (c == ',') c = '.';
  const RawTable table = read_text("a,b\n" + std::string(text) + ",x\n");
  RC_ASSERT(table.columns[0].numbers[0] == value);
}

RC_GTEST_PROP(CsvReader, ShortNumbersAreRoundedCorrectly,
              (std::int64_t digits, std::uint8_t places)) {
  std::string text = std::to_string(digits % 10000000000000000);
  const std::size_t at = places % text.size();
  if (at > (text[0] == '-')) text.insert(at, ".");
  const RawTable table = read_text("a,b\n" + text + ",x\n");
  RC_ASSERT(table.columns[0].numbers[0] == parse_field(text).value);
}

// ---- the structure, against the reference

std::optional<Records> scanned(const std::string& text, std::size_t piece) {
  /// Hands out a few bytes at a time inside the scanner's own reading.
  class Pieces : public ByteSource {
   public:
    Pieces(const std::string& bytes, std::size_t most)
        : ByteSource("x"), bytes_(bytes), most_(most) {}
    std::optional<std::uint64_t> size() const override { return {}; }

   protected:
    std::size_t fill(char* to, std::size_t count) override {
      const std::size_t got = std::min({count, most_, bytes_.size() - at_});
      std::copy_n(bytes_.data() + at_, got, to);
      at_ += got;
      return got;
    }
    std::size_t fill_at(std::uint64_t, char*, std::size_t) override { return 0; }

   private:
    const std::string& bytes_;
    std::size_t most_, at_ = 0;
  };
  try {
    Pieces source(text, piece);
    CsvScanner scanner(source, {});
    Records records;
    std::string scratch;
    for (;;) {
      const CsvBatch batch = scanner.next();
      if (batch.records.empty()) return records;
      std::size_t field = 0;
      for (const CsvRecord& record : batch.records) {
        auto& out = records.emplace_back();
        for (std::uint32_t i = 0; i <= record.delimiters; ++i)
          out.emplace_back(field_text(batch, batch.fields[field++], scratch));
      }
      scanner.expect_fields(records[0].size());
    }
  } catch (const Error&) {
    return {};
  }
}

RC_GTEST_PROP(CsvScanner, AgreesWithTheReference, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "bc", ",", ",", "\n", "\n", "\r\n", "\r", "\"", "\"\"", "\"x\"", "\"1,2\"", "\xC3\xA9",
      "\xC3", " ", "1.5", std::string(70, 'z')));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const auto expected = bad_input::reference_csv(text, ',');
  RC_ASSERT(scanned(text, 1 << 20) == expected);
  RC_ASSERT(scanned(text, 3) == expected);
}

RC_GTEST_PROP(CsvScanner, ReadsBackWhatWasWritten, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(2, 5);
  const auto cell =
      rc::gen::container<std::string>(rc::gen::element('a', '"', ',', '\n', '\r', ' ', '1'));
  const auto rows = *rc::gen::nonEmpty(
      rc::gen::container<Records>(rc::gen::container<std::vector<std::string>>(width, cell)));
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i ? ",\"" : "\"";
      for (const char c : row[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += '\n';
  }
  RC_ASSERT(scanned(text, 5).value() == rows);
}

TEST(CsvScanner, RecordsMayCrossTheBuffer) {
  // Records of many lengths, so that every part of one falls on the border of a chunk.
  std::string text = "a,b,c\n";
  Records expected = {{"a", "b", "c"}};
  for (std::size_t i = 0; text.size() < 3'000'000; ++i) {
    const std::string x(i * 7919 % 301, 'x');
    const bool crlf = i % 3 == 0;
    text += x + ",\"" + x + "\"\"\r\n\"," + std::to_string(i) + (crlf ? "\r\n" : "\n");
    expected.push_back({x, x + "\"\r\n", std::to_string(i)});
  }
  EXPECT_TRUE(scanned(text, 1 << 20).value() == expected);
  EXPECT_TRUE(bad_input::reference_csv(text, ',').value() == expected);
}

// ---- bounds: how much is read and kept

/// A file that was never written: `head`, then the same byte for ever.
class EndlessSource : public ByteSource {
 public:
  EndlessSource(std::string head, char rest, std::uint64_t size)
      : ByteSource("endless.csv"), head_(std::move(head)), rest_(rest), size_(size) {}
  std::optional<std::uint64_t> size() const override { return size_; }

 protected:
  std::size_t fill(char* to, std::size_t count) override {
    const auto got = std::size_t(std::min<std::uint64_t>(count, size_ - at_));
    std::fill_n(to, got, rest_);
    for (std::size_t i = 0; i < got && at_ + i < head_.size(); ++i) to[i] = head_[at_ + i];
    at_ += got;
    return got;
  }
  std::size_t fill_at(std::uint64_t, char*, std::size_t) override { return 0; }

 private:
  std::string head_;
  char rest_;
  std::uint64_t size_, at_ = 0;
};

void expect_failure(ByteSource& source, const std::string& id, int code, const std::string& place,
                    std::uint64_t most_bytes) {
  try {
    read_csv(source, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), id) << error.what();
    EXPECT_EQ(int(error.code()), code);
    EXPECT_TRUE(error.place().ends_with(place)) << error.place();
  }
  EXPECT_LE(source.bytes_read(), most_bytes);
}

TEST(CsvBounds, AnOpenQuoteIsGivenUpAfterOneMebibyte) {  // C11, C12
  constexpr std::uint64_t gib = std::uint64_t(1) << 30, mib = std::uint64_t(1) << 20;
  EndlessSource only_quote("\"", 'a', gib);
  expect_failure(only_quote, "E-CSV-QUOTE", 3, ":1:1", mib + 1);
  EndlessSource later("a,b\n1,\"", 'a', gib);
  expect_failure(later, "E-CSV-QUOTE", 3, ":2:3", mib + 7);
  EndlessSource lines("a,b\n1,\"", '\n', gib);
  expect_failure(lines, "E-CSV-QUOTE", 3, ":2:3", mib + 7);
}

TEST(CsvBounds, AFieldOfTwoGibibytesIsNotRead) {  // C41
  EndlessSource field("a,b\n1,", 'x', std::uint64_t(2) << 30);
  expect_failure(field, "E-LIMIT-FIELD", 6, ":2:3", std::uint64_t(2) << 20);
}

TEST(CsvBounds, TenMillionColumnsAreNotRead) {  // C40
  EndlessSource columns("a", ',', 20'000'000);
  expect_failure(columns, "E-LIMIT-COLUMNS", 6, "", std::uint64_t(1) << 20);
}

TEST(CsvBounds, MemoryHasALimit) {
  CsvOptions options;
  options.values.max_memory = 100'000;
  std::string text = "a,b\n" + repeated("1,2\n", 10'000);
  MemorySource source("data.csv", text);
  try {
    read_csv(source, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-LIMIT-MEMORY");
    EXPECT_EQ(error.code(), ExitCode::resource);
  }
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(SlowCsvBounds, AGibibyteOfTextNeedsLittleMemory) {
  // Only one column is kept of a long file: what is skipped costs nothing.
  EndlessSource source("a,b\n", '\n', std::uint64_t(1) << 30);
  const long before = peak_kib();
  try {
    read_csv(source, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-CSV-NOROWS");
  }
  EXPECT_LT(peak_kib() - before, 64 * 1024);
}

// ---- files that are no files, and files that change

void expect_io(const std::filesystem::path& path, const std::string& id) {
  try {
    read_raw_table(path, {});
    FAIL() << path << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), id) << error.what();
    EXPECT_EQ(error.code(), ExitCode::io);
  }
}

TEST(CsvFiles, OnlyRegularFilesAreRead) {  // C43
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe.csv").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", folder / "broken.csv");
  expect_io(folder / "pipe.csv", "E-IO-KIND");
  expect_io(folder / "broken.csv", "E-IO-SYSTEM");
  expect_io(folder / "missing.csv", "E-IO-SYSTEM");
  expect_io(folder / "", "E-IO-KIND");
  expect_io("/dev/zero", "E-IO-KIND");
  expect_io("/dev/full", "E-IO-KIND");
  if (::geteuid() != 0) {  // root may read everything
    const auto path = folder.write("secret.csv", "a,b\n1,2\n");
    std::filesystem::permissions(path, std::filesystem::perms::none);
    expect_io(path, "E-IO-SYSTEM");
  }
}

TEST(CsvFiles, PipesAreReadWhereAllowed) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe.csv";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "a,b\n1,2\n3,4\n"; });
  ReadOptions options;
  options.allow_stream = true;
  EXPECT_EQ(read_raw_table(pipe, options).rows, 2u);
  writer.join();
}

/// Does something to the file after its first bytes were read.
class DisturbedSource : public FileSource {
 public:
  DisturbedSource(const std::filesystem::path& path, std::function<void()> disturb)
      : FileSource(path), disturb_(std::move(disturb)) {}

 protected:
  std::size_t fill(char* to, std::size_t count) override {
    const std::size_t got = FileSource::fill(to, std::min<std::size_t>(count, 10));
    if (disturb_) disturb_();
    disturb_ = {};
    return got;
  }

 private:
  std::function<void()> disturb_;
};

TEST(CsvFiles, ChangesWhileReadingAreNoticed) {  // C44
  const TemporaryFolder folder;
  const std::string text = "a,b\n" + repeated("1,2\n", 100);
  const std::function<void(const std::filesystem::path&)> changes[] = {
      [](const auto& path) { std::ofstream(path, std::ios::app) << "3,4\n"; },
      [](const auto& path) { std::ofstream(path, std::ios::app) << "3"; },  // half a line
      [](const auto& path) { std::filesystem::resize_file(path, 21); },
      [](const auto& path) { std::filesystem::resize_file(path, 20); },
      [](const auto& path) {
        std::filesystem::last_write_time(
            path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
      }};
  for (const auto& change : changes) {
    const auto path = folder.write("data.csv", text);
    DisturbedSource source(path, [&] { change(path); });
    try {
      read_csv(source, {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), "E-IO-CHANGED") << error.what();
      EXPECT_EQ(error.code(), ExitCode::io);
    }
  }
}

// ---- time grows with the size, not with its square

double seconds_to_read(const std::string& text) {
  const std::clock_t start = std::clock();
  MemorySource source("data.csv", text);
  CsvOptions options;
  options.values.missing = MissingPolicy::drop;
  try {
    read_csv(source, options);
  } catch (const Error&) {
  }
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(SlowCsvTime, IsLinear) {  // X10, X11
  const auto distinct = [](std::size_t n) {
    std::string text = "a,b\n";
    for (std::size_t i = 0; i < n / 12; ++i) text += "k" + std::to_string(i * 1048576) + ",z\n";
    return text;
  };
  const std::function<std::string(std::size_t)> generators[] = {
      [](std::size_t n) { return "a,b\n" + repeated("1,2\n", n / 4); },
      [](std::size_t n) { return "a\n" + repeated("\n", n) + "1\n"; },
      [](std::size_t n) { return repeated("\"\"\"\",", n / 10) + "x\n"; },
      [](std::size_t n) { return "a,b\n" + repeated("\"\n\n\n\n\n\n\",x\n", n / 11); },
      [](std::size_t n) { return "a,b\n1,\"" + repeated("\"\"", n / 2) + "\"\n"; },
      [](std::size_t n) { return "a,b\n" + repeated("nan,\n", n / 5); },
      [](std::size_t n) {
        const std::size_t width = std::size_t(std::sqrt(double(n) / 2));
        std::string header, row;
        for (std::size_t i = 0; i < width; ++i)
          header += "c" + std::to_string(i) + ",", row += "x,";
        return header + "z\n" + repeated(row + "y\n", width);
      },
      distinct,
  };
  for (const auto& generate : generators) {
    const double small = std::max(1e-3, seconds_to_read(generate(1 << 20)));
    const double large = seconds_to_read(generate(1 << 24));
    EXPECT_LT(large / small, 16 * 4) << generate(64).substr(0, 40);
  }
}

}  // namespace
}  // namespace whence
