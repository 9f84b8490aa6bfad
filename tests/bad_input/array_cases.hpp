// Cases Z01 to Z30 that one small file can show.
#pragma once

#include "tests/bad_input/array_files.hpp"
#include "tests/bad_input/case.hpp"

namespace whence::bad_input {

inline const std::vector<double>& six() {
  static const std::vector<double> values = {1.5, 2, 2.5, 3, 3.5, 5};
  return values;
}
inline std::string good_npy() { return npy("<f8", false, "(3, 2)", doubles(six())); }
inline std::string good_vector(double shift = 0) {
  return npy("<f8", false, "(3,)", doubles(std::vector<double>{1.5 + shift, 2.5, 4}));
}

inline std::vector<Case> npy_cases() {
  using namespace std::string_literals;
  const std::string data = doubles(six());
  const auto headed = [&](const std::string& header) { return npy_raw(header + "\n", data); };
  const auto shaped = [&](const std::string& shape) { return npy("<f8", false, shape, data); };
  const auto version = [&](int major, int minor) {
    std::string bytes = good_npy();
    bytes[6] = char(major), bytes[7] = char(minor);
    return bytes;
  };
  const std::string type = "'descr': '<f8', ", order = "'fortran_order': False, ",
                    shape = "'shape': (3, 2), ";
  std::string wide = good_npy();  // version 2.0 has four bytes of length
  wide = wide.substr(0, 6) + little(2, 2) + little(wide.size() - 10 - data.size(), 4) +
         wide.substr(10);
  std::vector<Case> cases = {
      {"Z01 0 bytes", "", "E-NPY-TRUNC"},
      {"Z01 5 bytes", "\x93NUMP", "E-NPY-TRUNC"},
      {"Z01 magic only", "\x93NUMPY", "E-NPY-TRUNC"},
      {"Z02 magic", "\x94NUMPY" + good_npy().substr(6), "E-NPY-MAGIC"},
      {"Z02 version 0.0", version(0, 0), "E-NPY-VERSION"},
      {"Z02 version 4.0", version(4, 0), "E-NPY-VERSION"},
      {"Z02 version 255.255", version(255, 255), "E-NPY-VERSION"},
      {"Z03", ("\x93NUMPY" + little(1, 2) + "\xff\xff" + std::string(67, ' ')), "E-NPY-TRUNC"},
      {"Z04", "\x93NUMPY" + little(2, 2) + little(0xfffffff0, 4), "E-NPY-TRUNC"},
      {"Z05 no line feed", npy_raw("{" + type + order + shape + "}", data), "E-NPY-HEADER", 3, "",
       "line feed"},
      {"Z05 not padded", headed("{" + type + order + shape + "}"), ""},
      {"Z05 tabs", headed("{\t" + type + order + "\t" + shape + "}\t"), ""},
      {"Z05 65000 spaces", headed("{" + type + order + shape + "}" + std::string(65000, ' ')), ""},
      {"Z05 version 2", wide, ""},
      {"Z06 code", headed("__import__('os').system('true')"), "E-NPY-HEADER"},
      {"Z06 code inside", headed("{'descr': __import__('os'), " + order + shape + "}"),
       "E-NPY-HEADER"},
      {"Z06 nested",
       npy_raw("{" + type + order + "'shape': " + std::string(30000, '(') + "\n", data),
       "E-NPY-SHAPE"},
      {"Z06 nested list", npy_raw("{'descr': " + std::string(60000, '[') + "\n", data),
       "E-NPY-DTYPE"},
      {"Z06 digits", headed("{" + type + order + "'shape': (" + std::string(60000, '9') + ",)}"),
       "E-NPY-SHAPE"},
      {"Z06 too long", "\x93NUMPY" + little(2, 2) + little(1000000, 4) + std::string(1000000, ' '),
       "E-NPY-HEADER"},
      {"Z07 missing", headed("{" + type + order + "}"), "E-NPY-HEADER", 3, "", "shape"},
      {"Z07 twice", headed("{" + type + type + order + shape + "}"), "E-NPY-HEADER", 3, "",
       "twice"},
      {"Z07 extra", headed("{" + type + order + shape + "'x': 1}"), "E-NPY-HEADER", 3, "",
       "unknown"},
      {"Z08", npy("<f8", false, "(65536, 65536)", ""), "E-NPY-TRUNC", 3, "",
       "declares 32 GiB, the file holds 0"},
      {"Z09", npy("<f8", false, "(4294967296, 4294967296)", data), "E-NPY-OVERFLOW"},
      {"Z09 three", shaped("(4294967296, 4294967296, 16)"), "E-NPY-SHAPE"},
      {"Z10 negative", shaped("(-3, 2)"), "E-NPY-SHAPE"},
      {"Z10 float", shaped("(3.0, 2)"), "E-NPY-SHAPE"},
      {"Z10 True", shaped("(True, 2)"), "E-NPY-SHAPE"},
      {"Z10 long", shaped("(3L, 2L)"), "E-NPY-SHAPE"},
      {"Z10 no tuple", shaped("(3)"), "E-NPY-SHAPE"},
      {"Z11 scalar", npy("<f8", false, "()", bytes_of(1)), "E-NPY-SHAPE", 3, "", "0 dimensions"},
      {"Z11 (0,)", npy("<f8", false, "(0,)", ""), "E-NPY-SHAPE", 3, "", "empty"},
      {"Z11 (0,5)", npy("<f8", false, "(0, 5)", ""), "E-NPY-SHAPE", 3, "", "empty"},
      {"Z11 33", shaped("(" + repeated("1, ", 33) + ")"), "E-NPY-SHAPE", 3, "", "dimensions"},
      {"Z30 rank", shaped("(3, 1, 2)"), "E-NPY-SHAPE", 3, "", "3 dimensions"},
      {"Z12 short", good_npy().substr(0, good_npy().size() - 1), "E-NPY-TRUNC"},
      {"Z12 long", good_npy() + "x", "E-NPY-SIZE"},
      {"Z13", npy("|O", false, "(3, 2)", data), "E-NPY-PICKLE"},
      {"Z14 structured", headed("{'descr': [('a', '<f8')], " + order + shape + "}"), "E-NPY-DTYPE"},
      {"Z15 >f8", npy(">f8", false, "(2,)", "\x3f\xf8\0\0\0\0\0\0\x40\0\0\0\0\0\0\0"s), ""},
      {"Z16", npy("<f8", true, "(3, 2)", doubles(std::vector<double>{1.5, 2.5, 3.5, 2, 3, 5})), ""},
      {"Z17 nan",
       npy("<f8", false, "(3, 2)", doubles(std::vector<double>{1, 2, __builtin_nan(""), 3, 4, 5})),
       "E-DATA-NONFINITE", 3, "[1,0]"},
      {"Z17 inf", npy("<f8", false, "(3,)", doubles(std::vector<double>{1, 2, -__builtin_inf()})),
       "E-DATA-NONFINITE", 3, "[2]"},
      {"Z17 signalling",
       npy("<f4", false, "(3,)", little(0x7fa00000, 4) + little(0, 4) + little(0x3f800000, 4)),
       "E-DATA-NONFINITE", 3, "[0]"},
      {"Z18", npy("<i8", false, "(2,)", little((std::uint64_t(1) << 53) + 1, 8) + little(1, 8)),
       "E-NPY-PRECISION", 3, "[0]"},
      {"Z18 negative", npy("<i8", false, "(2,)", little(std::uint64_t(1) << 63, 8) + little(1, 8)),
       "E-NPY-PRECISION"},
      {"Z18 unsigned", npy("<u8", false, "(2,)", little(~std::uint64_t(0), 8) + little(1, 8)),
       "E-NPY-PRECISION"},
      {"Z33", "{\"program\": \"whence\"}      ", "E-NPY-MAGIC"},
  };
  for (const char* bad : {"V8", "|V8", "<M8[ns]", "|S10", "<U10", "<c16", "<f2", "<f16", "|b1", "?",
                          "f8", "=f8", "|f8", "<i3", "", "<f80"})
    cases.push_back({std::string("Z14 ") + bad, npy(bad, false, "(3, 2)", data), "E-NPY-DTYPE", 3,
                     "", "f4 f8 i1"});
  return cases;
}

inline std::vector<Case> npz_cases() {
  using namespace std::string_literals;
  const std::string a = good_vector(), b = good_vector(1);
  const std::vector<Member> good = {{"A.npy", a}, {"B.npy", b}};
  const auto named = [&](const std::string& name) { return zip({{name, a}, {"B.npy", b}}); };
  std::vector<Case> cases = {
      {"good", zip(good), ""},
      {"good, as NumPy writes", zip({{.name = "A.npy", .content = a, .wide = true}}), ""},
      {"Z19 no zip", "this is not a zip file at all, but long enough", "E-NPZ-ZIP"},
      {"Z19 empty", "", "E-NPZ-ZIP"},
      {"Z19 no members", zip({}), "E-NPZ-EMPTY"},
      {"Z20", zip({{.name = "A.npy", .content = a, .crc = 12345}}), "E-NPZ-CRC", 3, ":A"},
      {"Z21 name", zip({{.name = "A.npy", .content = a, .local_name = "C.npy"}}), "E-NPZ-ZIP"},
      {"Z21 method", zip({{.name = "A.npy", .content = a, .local_method = 8}}), "E-NPZ-ZIP"},
      {"Z21 size", zip({{.name = "A.npy", .content = a, .local_size = 5}}), "E-NPZ-ZIP"},
      {"Z22", zip({{"A.npy", a}, {"A.npy", b}}), "E-NPZ-DUPLICATE"},
      {"Z23 up", named("../../etc/x.npy"), "E-NPZ-NAME"},
      {"Z23 absolute", named("/abs.npy"), "E-NPZ-NAME"},
      {"Z23 drive", named("C:\\x.npy"), "E-NPZ-NAME"},
      {"Z23 backslash", named("a\\..\\b.npy"), "E-NPZ-NAME"},
      {"Z23 64 KiB", named(std::string(65000, 'n') + ".npy"), "E-NPZ-NAME"},
      {"Z23 empty", named(""), "E-NPZ-NAME"},
      {"Z23 no array", named("readme.txt"), "E-NPZ-NAME"},
      {"Z23 only suffix", named(".npy"), "E-NPZ-NAME"},
      {"Z23 not UTF-8", named("\xff.npy"), "E-NPZ-NAME"},
      {"Z24 overlap", zip({{"A.npy", a}, {.name = "B.npy", .content = b, .offset = 0}}),
       "E-NPZ-ZIP"},
      {"Z24 nested", zip({{"A.npy", zip(good)}}), "E-NPY-MAGIC"},
      {"Z25",
       zip({{.name = "A.npy",
             .content = std::string(10 << 20, 'x'),
             .method = 8,
             .size = std::uint64_t(4000) << 20,
             .crc = 1}}),
       "E-NPZ-DATA"},
      {"Z26 too good", zip({{.name = "A.npy", .content = "x", .method = 8, .size = 1 << 20}}),
       "E-NPZ-ZIP"},
      {"Z27", zip(good, {.count = 65534}), "E-LIMIT-MEMBERS", 6},
      {"Z28 encrypted", zip({{.name = "A.npy", .content = a, .flags = 1}}), "E-NPZ-METHOD", 3, "",
       "encrypted"},
      {"Z28 bzip2", zip({{.name = "A.npy", .content = a, .method = 12}}), "E-NPZ-METHOD"},
      {"Z28 lzma", zip({{.name = "A.npy", .content = a, .method = 14}}), "E-NPZ-METHOD"},
      {"Z28 zstd", zip({{.name = "A.npy", .content = a, .method = 93}}), "E-NPZ-METHOD"},
      {"Z28 descriptor",
       zip({{.name = "A.npy",
             .content = a,
             .flags = 8,
             .descriptor =
                 "PK\x07\x08" + little(crc32(a), 4) + little(a.size(), 4) + little(a.size(), 4)}}),
       ""},
      {"Z28 wrong descriptor",
       zip({{.name = "A.npy",
             .content = a,
             .flags = 8,
             .descriptor = "PK\x07\x08" + little(crc32(a), 4) + little(a.size() + 1, 4) +
                           little(a.size(), 4)}}),
       "E-NPZ-ZIP"},
      {"Z28 no descriptor", zip({{.name = "A.npy", .content = a, .flags = 8}}), "E-NPZ-ZIP"},
      {"Z29 before", zip(good, {.before = "#!/bin/sh\n"}), "E-NPZ-ZIP"},
      {"Z29 between", zip(good, {.between = "x"}), "E-NPZ-ZIP"},
      {"Z29 behind", zip(good, {.behind = "x"}), "E-NPZ-ZIP"},
      {"Z29 comment", zip(good, {.comment = "hello"}), "E-NPZ-ZIP"},
      {"Z30 missing", zip(good), "E-USAGE-COLUMN", 2, "", "the columns are A, B",
       [](ReadOptions& o) { o.columns = {"C"}; }},
      {"Z30 rank", zip({{"A.npy", a}, {"B.npy", npy("<f8", false, "(1, 3, 2)", doubles(six()))}}),
       "E-NPY-SHAPE", 3, ":B"},
      {"Z30 rows", zip({{"A.npy", a}, {"B.npy", npy("<f8", false, "(6,)", doubles(six()))}}),
       "E-NPZ-ROWS", 3, ":B", "has 3"},
      {"Z13 in npz", zip({{"A.npy", npy("|O", false, "(3,)", a)}}), "E-NPY-PICKLE", 3, ":A"},
      {"others may be anything",
       zip({{"A.npy", a}, {"B.npy", b}, {"names.npy", npy("<U1", false, "(1,)", "x\0\0\0"s)}}), "",
       0, "", "",
       [](ReadOptions& o) {
         o.columns = {"A", "B"};
       }},
  };
  return cases;
}

}  // namespace whence::bad_input
