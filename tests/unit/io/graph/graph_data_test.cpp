// DCDI folders and ENCO archives: what is written is read back, and their traps are known.
#include "whence/io/graph/graph_data.hpp"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/table/formats/number_array.hpp"

namespace whence {
namespace {

using bad_input::TemporaryFolder;

void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string id_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

/// Five rows of two variables; the second and the last are observational.
NumberArray five_rows() { return {{5, 2}, {0, 10, 1, 11, 2, 12, 3, 13, 4, 14}, false}; }

TEST(Dcdi, AnEmptyLineIsAnObservationalRow) {
  for (const std::string end : {"\n", "\r\n"}) {
    const TemporaryFolder folder;
    put(folder / "data_interv3.npy", npy_bytes(five_rows()));
    put(folder / "intervention3.csv", "1" + end + end + "0,1" + end + "1" + end + end);
    put(folder / "DAG3.npy", npy_bytes({{2, 2}, {0, 1, 0, 0}, true}));
    const GraphData found = read_dcdi(folder / "", 3);
    const auto& environments = found.loaded.data.environments;
    ASSERT_EQ(environments.size(), 3u);
    EXPECT_EQ(environments[0].name, "observational");
    EXPECT_EQ(found.loaded.baseline, 0u);
    EXPECT_EQ(found.loaded.data.columns[0].values, (std::vector<double>{1, 4, 0, 3, 2}));
    EXPECT_EQ(found.targets[0], std::vector<std::size_t>{});
    EXPECT_EQ(found.targets[1], std::vector<std::size_t>{1});
    EXPECT_EQ(found.targets[2], (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(found.truth->graph, read_graph("0->1"));
  }
}

TEST(Dcdi, RegimesMayStandAlone) {
  const TemporaryFolder folder;
  put(folder / "data_interv1.npy", npy_bytes(five_rows()));
  put(folder / "regime1.csv", "2\n0\n1\n2.0\n0");
  const GraphData found = read_dcdi(folder / "", 1);
  EXPECT_EQ(found.loaded.data.columns[1].values, (std::vector<double>{11, 14, 12, 10, 13}));
  EXPECT_EQ(found.loaded.data.environments[2].name, "regime_2");
  EXPECT_FALSE(found.targets[0].has_value());
  EXPECT_FALSE(found.truth.has_value());
}

TEST(Dcdi, WholeNumbersMayBeReadAsLevels) {
  const TemporaryFolder folder;
  put(folder / "data_interv1.npy", npy_bytes({{3, 2}, {0, 0, 2, 0, 1, 0}, false}));
  put(folder / "regime1.csv", "0\n1\n0\n");
  Dataset data = read_dcdi(folder / "", 1).loaded.data;
  Dataset numbers = data;
  read_as_levels(data);
  EXPECT_EQ(data.columns[0].levels, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_TRUE(data.columns[0].values.empty());
  EXPECT_EQ(data.variables[0].kind, Variable::Kind::categorical);
  EXPECT_EQ(data.variables[0].levels, 3);
  EXPECT_EQ(data.variables[1].levels, 2) << "a constant might have been another";
  for (const double bad : {0.5, -1.0, 1000.0, double(NAN)}) {
    numbers.columns[1].values[2] = bad;
    EXPECT_EQ(id_of([&] { read_as_levels(numbers); }), "E-DCDI-VALUE") << bad;
  }
}

TEST(Dcdi, GraphsOfPythonTwoInFortranOrder) {
  const TemporaryFolder folder;
  put(folder / "data_interv1.npy", npy_bytes(five_rows()));
  put(folder / "regime1.csv", "0\n0\n0\n1\n1\n");
  std::string bytes = npy_bytes({{2, 2}, {0, 0, 1, 0}, true});  // by columns: 0 -> 1
  const auto swap = [&](const std::string& from, const std::string& to) {
    bytes.replace(bytes.find(from), from.size(), to);
  };
  swap("False, 'shape': (2, 2), }   ", "True, 'shape': (2L, 2L), }  ");
  put(folder / "DAG1.npy", bytes);
  EXPECT_EQ(read_dcdi(folder / "", 1).truth->graph, read_graph("0->1"));
}

TEST(Dcdi, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const auto read = [&] { return id_of([&] { read_dcdi(folder / "", 1); }); };
  EXPECT_EQ(read(), "E-IO-SYSTEM");
  put(folder / "data_interv1.npy", npy_bytes(five_rows()));
  EXPECT_EQ(read(), "E-DCDI-FILES");
  put(folder / "regime1.csv", "0\n1\n1\n");
  EXPECT_EQ(read(), "E-DCDI-ROWS");
  put(folder / "regime1.csv", "0\n1\n1\nx\n0\n");
  EXPECT_EQ(read(), "E-DCDI-VALUE");
  put(folder / "regime1.csv", "0\n1\n1\n1\n0\n");
  put(folder / "intervention1.csv", "\n0\n1\n0\n\n");
  EXPECT_EQ(read(), "E-DCDI-REGIME");
  put(folder / "intervention1.csv", "\n2\n2\n2\n\n");
  EXPECT_EQ(read(), "E-DCDI-VALUE") << "there is no variable 2";
  put(folder / "intervention1.csv", "0\n1\n1\n1\n0\n");
  EXPECT_EQ(read(), "E-DCDI-REGIME") << "regime 0 with targets";
  put(folder / "intervention1.csv", "\n1\n1\n1\n\n");
  EXPECT_EQ(read(), "none");
  put(folder / "DAG1.npy", npy_bytes({{3, 3}, std::vector<double>(9, 0), true}));
  EXPECT_EQ(read(), "E-GRAPH-MATRIX");
}

/// A baseline and one environment for each of two variables with three and two levels.
NamedArrays enco_arrays() {
  return {{"data_obs", {{3, 2}, {0, 1, 2, 0, 1, 1}, true}},
          {"data_int", {{2, 2, 2}, {2, 0, 0, 1, 1, 0, 1, 1}, true}},
          {"adj_matrix", {{2, 2}, {0, 1, 0, 0}, true}}};
}

TEST(Enco, OneEnvironmentPerVariable) {
  const TemporaryFolder folder;
  put(folder / "x.npz", npz_bytes(enco_arrays()));
  const GraphData found = read_enco(folder / "x.npz");
  const Dataset& data = found.loaded.data;
  ASSERT_EQ(data.environments.size(), 3u);
  EXPECT_EQ(data.environments[2].name, "do_X1");
  EXPECT_EQ(data.variables[0].levels, 3);
  EXPECT_EQ(data.variables[1].levels, 2);
  EXPECT_EQ(data.columns[0].levels, (std::vector<std::int32_t>{0, 2, 1, 2, 0, 1, 1}));
  EXPECT_EQ(found.targets[2], std::vector<std::size_t>{1});
  EXPECT_EQ(found.truth->graph, read_graph("0->1"));
  EXPECT_EQ(write_enco(found), npz_bytes(enco_arrays())) << "and back, to the byte";
}

TEST(Enco, RealNumbersStayReal) {
  const TemporaryFolder folder;
  auto arrays = enco_arrays();
  arrays[0].second.values[0] = 0.5;
  arrays[0].second.whole = false;
  put(folder / "x.npz", npz_bytes(arrays));
  EXPECT_EQ(read_enco(folder / "x.npz").loaded.data.variables[0].kind, Variable::Kind::real);
}

TEST(Enco, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const auto read = [&](const NamedArrays& arrays) {
    put(folder / "x.npz", npz_bytes(arrays));
    return id_of([&] { read_enco(folder / "x.npz"); });
  };
  auto arrays = enco_arrays();
  EXPECT_EQ(read(arrays), "none");
  EXPECT_EQ(read({arrays[0]}), "E-ENCO-ARRAYS");
  EXPECT_EQ(read({arrays[0], {"data_int", arrays[0].second}}), "E-ENCO-SHAPE");
  EXPECT_EQ(read({arrays[0], arrays[1], {"adj_matrix", {{1, 1}, {0}, true}}}), "E-GRAPH-MATRIX");
  put(folder / "x.npz", "not a zip file");
  EXPECT_EQ(id_of([&] { read_enco(folder / "x.npz"); }), "E-NPZ-ZIP");
}

TEST(GraphData, BecomesDcdiAndComesBack) {
  const TemporaryFolder folder;
  put(folder / "x.npz", npz_bytes(enco_arrays()));
  const GraphData data = read_enco(folder / "x.npz");
  for (const OutputFile& file : write_dcdi(data, 7)) put(folder / file.name, file.content);
  const GraphData again = read_dcdi(folder / "", 7);
  EXPECT_EQ(again.targets, data.targets);
  EXPECT_EQ(again.truth, data.truth);
  for (std::size_t v = 0; v < 2; ++v) {
    const auto& levels = data.loaded.data.columns[v].levels;
    EXPECT_EQ(again.loaded.data.columns[v].values,
              std::vector<double>(levels.begin(), levels.end()));
  }
}

TEST(GraphData, TargetsThatNobodyKnowsAreNotInvented) {
  const TemporaryFolder folder;
  put(folder / "x.npz", npz_bytes(enco_arrays()));
  GraphData data = read_enco(folder / "x.npz");
  data.targets[1].reset();
  EXPECT_EQ(id_of([&] { write_dcdi(data, 1); }), "E-DCDI-TARGETS");
  EXPECT_EQ(id_of([&] { write_enco(data); }), "E-ENCO-TARGETS");
  data.targets[1] = {0, 1};
  EXPECT_EQ(id_of([&] { write_enco(data); }), "E-ENCO-TARGETS");
  EXPECT_EQ(write_long_table(data.loaded.data).substr(0, 38),
            "environment,X0,X1\nobservational,0,1\nob");
}

TEST(NumberArrays, ThreeDimensionsInEitherOrder) {
  NumberArray array{{2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, false};
  std::string bytes = npy_bytes(array);
  const auto read = [](const std::string& text) {
    MemorySource source("f", text);
    return read_npy_array(source).values;
  };
  EXPECT_EQ(read(bytes), array.values);
  bytes.replace(bytes.find("False, "), 7, "True,  ");
  EXPECT_EQ(read(bytes), (std::vector<double>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

}  // namespace
}  // namespace whence
