#include "whence/io/table/data_reader.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/bad_input/array_files.hpp"
#include "tests/bad_input/case.hpp"
#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/files/sha256.hpp"

namespace whence {
namespace {

using bad_input::repeated;
using bad_input::TemporaryFolder;
using Levels = std::vector<std::int32_t>;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

/// Writes the texts as files and reads them, the first as baseline.
class DataReader : public testing::Test {
 protected:
  LoadedData read(const std::vector<std::string>& texts, const ReadOptions& options = {}) {
    std::vector<NamedFile> files;
    for (std::size_t i = 0; i < texts.size(); ++i)
      files.push_back({folder_.write("file" + std::to_string(i) + ".csv", texts[i]), "", i == 0});
    return read_files(files, options);
  }
  LoadedData read_long(const std::string& text, const std::string& column,
                       const ReadOptions& options = {},
                       const std::optional<std::string>& baseline = {}) {
    return read_long_table(folder_.write("long.csv", text), column, options, baseline);
  }
  TemporaryFolder folder_;
};

template <class Work>
void expect_error(Work work, const std::string& id, ExitCode code, const std::string& says = "") {
  try {
    work();
    FAIL() << "no " << id;
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), id) << error.what();
    EXPECT_EQ(error.code(), code);
    const std::string said = error.place() + " | " + error.what() + " | " + error.hint();
    EXPECT_NE(said.find(says), std::string::npos) << said;
  }
}

TEST_F(DataReader, FilesBecomeEnvironments) {
  const LoadedData loaded = read({"x,y\n1.5,a\n2.5,b\n", "y,x\nb,3.5\na,4.5\nb,5.5\n"});
  const Dataset& data = loaded.data;
  ASSERT_EQ(data.environments.size(), 2u);
  EXPECT_EQ(data.environments[0].name, "file0");
  EXPECT_EQ(data.environments[1].begin, 2u);
  EXPECT_EQ(data.environments[1].end, 5u);
  EXPECT_EQ(data.rows(), 5u);
  EXPECT_EQ(loaded.baseline, 0u);
  EXPECT_EQ(data.columns[0].values, (Values{1.5, 2.5, 3.5, 4.5, 5.5})) << "matched by name";
  EXPECT_EQ(data.columns[1].levels, (Levels{0, 1, 1, 0, 1}));
  EXPECT_EQ(data.variables[1].level_names, (Names{"a", "b"}));
}

TEST_F(DataReader, SourcesAreRecorded) {
  const std::string text = "x,y\n1.5,2.5\n,3.5\n3.5,1.5\n";
  ReadOptions options;
  options.missing = MissingPolicy::drop;
  const LoadedData loaded = read({text}, options);
  ASSERT_EQ(loaded.sources.size(), 1u);
  EXPECT_EQ(loaded.sources[0].file, "file0.csv");
  EXPECT_EQ(loaded.sources[0].sha256, sha256_hex(text));
  EXPECT_EQ(loaded.sources[0].bytes, text.size());
  EXPECT_EQ(loaded.sources[0].rows, 3u);
  EXPECT_EQ(loaded.sources[0].dropped, 1u);
  EXPECT_EQ(loaded.data.columns[1].values, (Values{2.5, 1.5}));
  EXPECT_EQ(loaded.warnings.size(), 1u);
}

TEST_F(DataReader, LevelsAreTheUnionOfAllFilesInOrder) {
  const LoadedData loaded = read({"x,y\nb,1.5\nd,2.5\n", "x,y\nc,3.5\na,4.5\n"});
  EXPECT_EQ(loaded.data.variables[0].level_names, (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(loaded.data.variables[0].levels, 4);
  EXPECT_EQ(loaded.data.columns[0].levels, (Levels{1, 3, 2, 0}));
  EXPECT_EQ(loaded.warnings.size(), 1u) << "two rows with categories that the baseline lacks";
}

TEST_F(DataReader, UnseenCategoriesByPolicy) {  // C37
  ReadOptions options;
  options.unseen = UnseenPolicy::error;
  try {
    read({"x,y\na,1.5\nb,2.5\n", "x,y\nc,3.5\na,4.5\n"}, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "--unseen=accept takes them");
  }
  expect_error(
      [&] {
        read({"x,y\na,1.5\nb,2.5\n", "x,y\nc,3.5\na,4.5\n"}, options);
      },
      "E-DATA-UNSEEN", ExitCode::bad_data, "\"c\"");
}

TEST_F(DataReader, OtherFilesNeedTheSameColumns) {  // C38
  const std::string base = "rain,umbrella\n1.5,2\n2.5,3.5\n";
  expect_error(
      [&] {
        read({base, "rain\n1.5\n2.5\n"});
      },
      "E-DATA-COLUMNS", ExitCode::bad_data, "umbrella");
  expect_error(
      [&] {
        read({base, "rain,Umbrella\n1.5,2\n2.5,3\n"});
      },
      "E-DATA-COLUMNS", ExitCode::bad_data, "file1.csv");
  EXPECT_NO_THROW(read({base, "extra,umbrella,rain\nx,1.5,2\nz,2.5,3\n"}));
  expect_error(
      [&] {
        read({base, "rain,umbrella\na,2\nb,3\n"});
      },
      "E-DATA-MIXED", ExitCode::bad_data, "file1.csv");
}

TEST_F(DataReader, TooManyColumnsAreListed) {
  ReadOptions options;
  options.variables = 2;
  const std::string text = "rain,umbrella,sun\n1.5,2,3\n2.5,3.5,1\n";
  expect_error([&] { read({text}, options); }, "E-USAGE-COLUMNS", ExitCode::usage,
               "rain, umbrella, sun");
  options.columns = {"sun", "rain"};
  const LoadedData loaded = read({text}, options);
  EXPECT_EQ(loaded.data.variables[0].name, "sun") << "in the order they are named";
  options.columns = {"rain"};
  expect_error([&] { read({text}, options); }, "E-USAGE-COLUMNS", ExitCode::usage);
  options.columns = {"rain", "rain"};
  expect_error([&] { read({text}, options); }, "E-USAGE-COLUMN", ExitCode::usage, "twice");
}

TEST_F(DataReader, UnusedColumnsMayHoldAnything) {
  ReadOptions options;
  options.columns = {"x", "y"};
  const LoadedData loaded = read({"id,x,note,y\n,1.5,nan,2\nq,2.5,1_000,3.5\n,3.5,,4\n"}, options);
  EXPECT_EQ(loaded.data.rows(), 3u);
  EXPECT_EQ(loaded.sources[0].dropped, 0u);
}

TEST_F(DataReader, ColumnsFormVectors) {
  ReadOptions options;
  options.columns = parse_columns("v=a+b,y");
  const LoadedData loaded =
      read({"a,y,b\n1,5.5,2\n3,6.5,4\n", "b,a,y\n6,5,7.5\n8,7,8.5\n"}, options);
  EXPECT_EQ(loaded.data.variables[0].dimension, 2);
  EXPECT_EQ(loaded.data.variables[0].name, "v");
  EXPECT_EQ(loaded.data.columns[0].values, (Values{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(loaded.data.rows(), 4u);
  options.types = parse_types("v=categorical");
  expect_error([&] { read({"a,y,b\n1,5,2\n3,6,4\n"}, options); }, "E-USAGE-TYPES", ExitCode::usage);
  options.types = {};
  expect_error([&] { read({"a,y,b\n1,5.5,2\n3,6.5,2\n"}, options); }, "E-DATA-CONST",
               ExitCode::bad_data);
  options.columns = parse_columns("a=b,y");  // a name with = that is no column
  EXPECT_EQ(read({"a,y,b\n1,5.5,2\n3,6.5,4\n"}, options).data.variables[0].dimension, 1);
}

TEST_F(DataReader, ANameWithACommaStandsInQuotes) {
  const char* file = "\"yield, dry\",y,\"say \"\"a\"\"\"\n1.5,5.5,2.5\n3.5,6.5,4.5\n";
  ReadOptions options;
  options.columns = parse_columns("y,\"yield, dry\"");
  options.types = parse_types("\"yield, dry\"=labels,y=real");
  const LoadedData loaded = read({file}, options);
  EXPECT_EQ(loaded.data.variables[1].name, "yield, dry");
  EXPECT_EQ(loaded.data.variables[1].kind, Variable::Kind::categorical);
  options = {};
  options.columns = parse_columns("v=\"yield, dry\"+y,say \"a\"");
  EXPECT_EQ(read({file}, options).data.variables[0].dimension, 2);
  options.columns = parse_columns("y,yield, dry");
  try {
    read({file}, options);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("'\"yield, dry\"'"), std::string::npos) << error.hint();
  }
}

// ---- types

Variable::Kind kind_of(const LoadedData& loaded) { return loaded.data.variables[0].kind; }

std::string integers(int values, int each, int first = 0) {
  std::string text = "x,y\n";
  for (int i = 0; i < values * each; ++i)
    text += std::to_string(first + i % values) + "," + std::to_string(i) + ".5\n";
  return text;
}

TEST_F(DataReader, FewWholeNumbersAreCategories) {
  const auto categorical = Variable::Kind::categorical, real = Variable::Kind::real;
  EXPECT_EQ(kind_of(read({integers(2, 1)})), categorical) << "two values always";
  EXPECT_EQ(kind_of(read({integers(10, 5)})), categorical);
  EXPECT_EQ(kind_of(read({integers(10, 4)})), real) << "each seen less than five times";
  EXPECT_EQ(kind_of(read({integers(20, 50)})), categorical);
  EXPECT_EQ(kind_of(read({integers(21, 50)})), real);
  EXPECT_EQ(kind_of(read({integers(5, 50, -2)})), real) << "codes are not negative";
  EXPECT_EQ(kind_of(read({"x,y\n0.5,1\n1,2\n0.5,3\n1,4.5\n"})), real);
  const LoadedData loaded = read({integers(21, 50)});
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_NE(loaded.warnings[0].find("--types x=categorical"), std::string::npos);
  EXPECT_EQ(loaded.notes.size(), 2u);
}

TEST_F(DataReader, TheKindIsDecidedOverAllFiles) {
  const LoadedData loaded = read({"x,y\n0,1.5\n1,2.5\n", "x,y\n0.5,1.5\n0,2.5\n"});
  EXPECT_EQ(kind_of(loaded), Variable::Kind::real);
}

TEST_F(DataReader, TypesCanBeGiven) {
  ReadOptions options;
  options.types = parse_types("x=real");
  EXPECT_EQ(kind_of(read({integers(2, 10)}, options)), Variable::Kind::real);
  options.types = parse_types("x=categorical:30");
  const LoadedData wide = read({integers(21, 1)}, options);
  EXPECT_EQ(wide.data.variables[0].levels, 30);
  EXPECT_EQ(wide.data.variables[0].level_names[29], "29");
  options.types = parse_types("x=categorical");
  const LoadedData codes = read({"x,y\n7,1.5\n007,2.5\n3.0,3.5\n-0,4.5\n3,5.5\n"}, options);
  EXPECT_EQ(codes.data.variables[0].level_names, (Names{"0", "3", "7"}));
  EXPECT_EQ(codes.data.columns[0].levels, (Levels{2, 2, 1, 0, 1}));
  options.types = parse_types("x=labels");
  const LoadedData labels = read({"x,y\n7,1.5\n007,2.5\n3.0,3.5\n-1,4.5\nNA,5.5\n"}, options);
  EXPECT_EQ(labels.data.variables[0].level_names, (Names{"-1", "007", "3.0", "7", "NA"}));
  options.types = parse_types("x=categorical");
  EXPECT_EQ(read({"x,y\n1,1.5\nmany,2.5\n2,3.5\n"}, options).data.variables[0].levels, 3);
}

TEST_F(DataReader, TypesOfUsage) {
  EXPECT_THROW(parse_types("x"), Error);
  EXPECT_THROW(parse_types("x=number"), Error);
  EXPECT_THROW(parse_types("x=categorical:1"), Error);
  EXPECT_THROW(parse_types("x=real,x=real"), Error);
  EXPECT_EQ(parse_types("a=b=real").begin()->first, "a=b");
  EXPECT_THROW(parse_columns("a,,b"), Error);
}

TEST_F(DataReader, RowOrderDoesNotMatter) {
  std::vector<std::string> rows;
  for (int i = 0; i < 60; ++i)
    rows.push_back(std::string(1, char('a' + i % 7)) + "," + std::to_string(i % 11) + "\n");
  const auto read_rows = [&] {
    std::string text = "x,y\n";
    for (const std::string& row : rows) text += row;
    return read({text});
  };
  const LoadedData before = read_rows();
  std::shuffle(rows.begin(), rows.end(), std::mt19937(7));
  const LoadedData after = read_rows();
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(before.data.variables[v].level_names, after.data.variables[v].level_names);
    EXPECT_EQ(before.data.variables[v].kind, after.data.variables[v].kind);
  }
}

TEST_F(DataReader, TooManyCategoriesAreRefusedBeforeAnythingIsAllocated) {  // C36
  std::string text = "x,y\n";
  for (int i = 0; i < 200'000; ++i)
    text += "id" + std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  expect_error([&] { read({text}); }, "E-LIMIT-LEVELS", ExitCode::resource, "3.2e+11 bytes");
}

TEST_F(DataReader, NearlyConstantIsAWarning) {  // C33
  const LoadedData loaded =
      read({"x,y\n" + repeated("1.5,2\n", 50) + "1.75,3.5\n" + repeated("1.5,4\n", 50)});
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_NE(loaded.warnings[0].find("nearly constant"), std::string::npos);
}

TEST_F(DataReader, DroppedRowsTakeTheirCategoriesAlong) {
  ReadOptions options;
  options.missing = MissingPolicy::drop;
  options.na = {"NA"};
  const LoadedData loaded = read({"x,y\na,1.5\nb,NA\nc,2.5\na,NA\n,3.5\n"}, options);
  EXPECT_EQ(loaded.data.variables[0].level_names, (Names{"a", "c"}));
  EXPECT_EQ(loaded.sources[0].dropped, 3u);
}

// ---- the long table

TEST_F(DataReader, LongTablesAreGroupedByEnvironment) {
  const std::string text = "site,x,y\nB,1.5,u\nA,2.5,v\nB,3.5,v\nA,4.5,u\nB,5.5,u\n";
  const LoadedData loaded = read_long(text, "site", {}, "A");
  ASSERT_EQ(loaded.data.environments.size(), 2u);
  EXPECT_EQ(loaded.data.environments[0].name, "B") << "in the order of appearance";
  EXPECT_EQ(loaded.data.environments[0].rows(), 3u);
  EXPECT_EQ(loaded.baseline, 1u);
  EXPECT_EQ(loaded.data.columns[0].values, (Values{1.5, 3.5, 5.5, 2.5, 4.5}));
  EXPECT_EQ(loaded.data.columns[1].levels, (Levels{0, 1, 0, 1, 0}));
  EXPECT_FALSE(read_long(text, "site").baseline) << "a baseline is never guessed";
}

TEST_F(DataReader, LongTablesEqualTheSameRowsInFiles) {
  const LoadedData many = read({"x,y\n1.5,2\n3.5,7.5\n", "x,y\n5.5,1\n6.5,2\n"});
  const LoadedData one = read_long("y,e,x\n2,p,1.5\n1,q,5.5\n7.5,p,3.5\n2,q,6.5\n", "e");
  EXPECT_EQ(many.data.columns[0].values, one.data.columns[1].values);
  EXPECT_EQ(many.data.columns[1].values, one.data.columns[0].values);
}

TEST_F(DataReader, LongTableMistakes) {
  const std::string text = "site,x,y\nB,1.5,2\nA,2.5,3\nB,3.5,3\nA,4.5,2\n";
  expect_error([&] { read_long(text, "sit"); }, "E-USAGE-COLUMN", ExitCode::usage,
               "did you mean 'site'?");
  expect_error([&] { read_long(text, "site", {}, "C"); }, "E-USAGE-BASELINE", ExitCode::usage);
  expect_error([&] { read_long("site,x,y\nB,1.5,2\nA,2.5,3\nB,3.5,3\n", "site"); },
               "E-DATA-FEWROWS", ExitCode::bad_data, "\"A\" has 1 row");
  ReadOptions options;
  options.columns = {"x", "site"};
  expect_error([&] { read_long(text, "site", options); }, "E-USAGE-COLUMN", ExitCode::usage,
               "environment");
  expect_error([&] { read_long("site,x,y\nB,1.5,2\n,2.5,3\nB,3.5,3\n", "site"); }, "E-DATA-MISSING",
               ExitCode::bad_data, ":3:1");
}

// ---- arrays

TEST_F(DataReader, ArraysAndTextsGiveTheSameData) {
  using namespace bad_input;
  const Values x = {0, 1, 1, 0, 1, 0, 0, 1}, y = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5};
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < x.size(); ++i)
    text += std::to_string(int(x[i])) + "," + std::to_string(y[i]) + "\n";
  const LoadedData csv = read({text});
  const auto path =
      folder_.write("data.npz", zip({{"x.npy", npy("<f8", false, "(8,)", doubles(x))},
                                     {"y.npy", npy("<f8", false, "(8,)", doubles(y))}}));
  const std::vector<NamedFile> files = {{path}};
  const LoadedData npz = read_files(files, {});
  EXPECT_EQ(csv.data.columns[0].levels, npz.data.columns[0].levels);
  EXPECT_EQ(csv.data.columns[1].values, npz.data.columns[1].values);
  EXPECT_EQ(csv.data.variables[0].level_names, npz.data.variables[0].level_names);
}

TEST_F(DataReader, MatricesInArchivesAreVectors) {
  using namespace bad_input;
  const Values a = {1, 2, 3, 4, 5, 7}, y = {1.5, 2.5, 4};
  const auto path =
      folder_.write("data.npz", zip({{"a.npy", npy("<f8", false, "(3, 2)", doubles(a))},
                                     {"y.npy", npy("<f8", false, "(3,)", doubles(y))}}));
  const std::vector<NamedFile> files = {{path}};
  ReadOptions options;
  options.variables = 2;
  const LoadedData loaded = read_files(files, options);
  EXPECT_EQ(loaded.data.variables[0].dimension, 2);
  EXPECT_EQ(loaded.data.columns[0].values, a);
  options.columns = {"a.2", "y"};
  EXPECT_EQ(read_files(files, options).data.columns[0].values, (Values{2, 4, 7}));
}

TEST_F(DataReader, EnvironmentNamesAreDistinct) {
  std::filesystem::create_directories(folder_ / "p");
  const auto first = folder_.write("q.csv", "x,y\n1.5,2\n2.5,4\n");
  const auto second = folder_.write("p/q.csv", "x,y\n1.5,2\n2.5,4\n");
  const std::vector<NamedFile> files = {{first}, {second}, {first, "other"}};
  const LoadedData loaded = read_files(files, {});
  EXPECT_EQ(loaded.data.environments[0].name, "q");
  EXPECT_EQ(loaded.data.environments[1].name, "q-2");
  EXPECT_EQ(loaded.data.environments[2].name, "other");
  EXPECT_FALSE(loaded.baseline);
}

RC_GTEST_PROP(DataReaderLaw, NumbersSurviveTheWay, ()) {
  const auto rows = *rc::gen::container<std::vector<std::pair<double, int>>>(
      10, rc::gen::pair(rc::gen::map(rc::gen::arbitrary<int>(), [](int i) { return i / 1000.0; }),
                        rc::gen::inRange(0, 5)));
  std::string text = "x,c\n";
  for (const auto& [x, c] : rows) text += std::to_string(x) + ",k" + std::to_string(c) + "\n";
  const TemporaryFolder folder;
  const std::vector<NamedFile> files = {{folder.write("data.csv", text)}};
  ReadOptions options;
  options.types = parse_types("x=real");
  try {
    const LoadedData loaded = read_files(files, options);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      RC_ASSERT(loaded.data.columns[0].values[i] == std::stod(std::to_string(rows[i].first)));
      const auto level = std::size_t(loaded.data.columns[1].levels[i]);
      RC_ASSERT(loaded.data.variables[1].level_names[level] ==
                "k" + std::to_string(rows[i].second));
    }
  } catch (const Error& error) {
    RC_ASSERT(error.id() == "E-DATA-CONST");
  }
}

}  // namespace
}  // namespace whence
