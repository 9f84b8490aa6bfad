#include "whence/io/table/memory_table.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {
namespace {

/// Numbers, texts with a missing one, numbers that are two doubles apart, and environments.
struct Example {
  std::vector<double> x = {0.5, 1.25, -0.0, 3e-7, 2, 7, 0.125, 1e20};
  std::vector<double> pairs = {1, 9, 2, 9, 4, 9, 3, 9, 5, 9, 8, 9, 6, 9, 7, 9};
  std::vector<std::int32_t> words = {1, 0, 0, 1, 1, 0, -1, 1}, sites = {0, 0, 0, 0, 1, 1, 1, 1};

  std::shared_ptr<MemoryTable> table() const {
    auto out = std::make_shared<MemoryTable>();
    out->rows = x.size();
    out->columns = {{"x", x.data()},
                    {"y", pairs.data(), 2 * sizeof(double)},
                    {"w", nullptr, 0, words.data(), {"b, \"c\"", " a "}},
                    {"site", nullptr, 0, sites.data(), {"home", "lab"}}};
    return out;
  }
};

std::string csv_of(const MemoryTable& table) {
  std::string text;
  write_csv(table, [&](std::string_view piece) { text += piece; });
  return text;
}

LoadedData load(const NamedFile& file) {
  ReadOptions options;
  options.missing = MissingPolicy::guess;
  options.leave_out = true;
  return read_long_table(file, "site", options, "home");
}

NamedFile as_table(std::shared_ptr<const MemoryTable> table) {
  NamedFile file{"data.csv"};
  file.table = std::move(table);
  return file;
}

TEST(MemoryTable, IsWrittenAsCsv) {
  EXPECT_EQ(csv_of(*Example().table()),
            "x,y,w,site\n"
            "0.5,1,\" a \",home\n1.25,2,\"b, \"\"c\"\"\",home\n0,4,\"b, \"\"c\"\"\",home\n"
            "3e-07,3,\" a \",home\n2,5,\" a \",lab\n7,8,\"b, \"\"c\"\"\",lab\n0.125,6,,lab\n"
            "1e+20,7,\" a \",lab\n");
}

TEST(MemoryTable, NeedNotBeHashedAgain) {
  const Example example;
  ReadOptions options;
  options.missing = MissingPolicy::guess;
  options.hash = false;
  const LoadedData again = read_long_table(as_table(example.table()), "site", options);
  EXPECT_EQ(again.sources[0].sha256, "");
  EXPECT_EQ(again.data.rows(), 7u);
}

TEST(MemoryTable, GivesWhatItsCsvFileGives) {
  const Example example;
  const auto table = example.table();
  NamedFile file{"data.csv"};
  file.content = std::make_shared<std::string>(csv_of(*table));
  const LoadedData from_memory = load(as_table(table)), from_bytes = load(file);
  ASSERT_EQ(from_memory.data.variables.size(), from_bytes.data.variables.size());
  for (std::size_t v = 0; v < from_bytes.data.variables.size(); ++v) {
    EXPECT_EQ(from_memory.data.variables[v].level_names, from_bytes.data.variables[v].level_names);
    EXPECT_EQ(from_memory.data.columns[v].values, from_bytes.data.columns[v].values);
    EXPECT_EQ(from_memory.data.columns[v].levels, from_bytes.data.columns[v].levels);
  }
  EXPECT_EQ(from_memory.warnings, from_bytes.warnings);
  EXPECT_EQ(from_memory.notes, from_bytes.notes);
  EXPECT_EQ(from_memory.sources[0].sha256, sha256_hex(*file.content));
  EXPECT_EQ(from_memory.sources[0].bytes, file.content->size());
  EXPECT_EQ(from_memory.sources[0].dropped, 1u);
}

TEST(MemoryTable, NamesTheRowOfAnInfinity) {
  Example example;
  example.x[3] = std::numeric_limits<double>::infinity();
  try {
    load(as_table(example.table()));
    FAIL() << "an infinity was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-DATA-NONFINITE");
    EXPECT_EQ(error.place(), "data.csv[3]");
  }
}

TEST(MemoryTable, NeedsLabelsWhereNamesLookLikeNumbers) {
  EXPECT_FALSE(need_labels({"a", "b 2", "2030-01-31", "NA"}));
  for (const char* text : {"1", " 2.5 ", "nan", "inf", "1'000"}) EXPECT_TRUE(need_labels({text}));
}

TEST(MemoryTable, NamesThatAreNumbersAreQuoted) {
  const std::vector<double> x = {1, 2};
  MemoryTable table;
  table.rows = 2;
  table.columns = {{"0", x.data()}, {"1", x.data()}};
  EXPECT_EQ(csv_of(table), "\"0\",\"1\"\n1,1\n2,2\n");
}

}  // namespace
}  // namespace whence
