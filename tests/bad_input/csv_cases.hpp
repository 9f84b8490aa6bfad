// Cases C01 to C45 that one small file can show. The others (pipes, growing files, gigabytes) have
// tests of their own.
#pragma once

#include "tests/bad_input/case.hpp"

namespace whence::bad_input {

inline void drop(ReadOptions& o) { o.missing = MissingPolicy::drop; }
inline void drop_na(ReadOptions& o) {
  o.missing = MissingPolicy::drop;
  o.na = {"NA"};
}
inline std::function<void(ReadOptions&)> typed(const std::string& types) {
  return [types](ReadOptions& o) { o.types = parse_types(types); };
}
inline std::function<void(ReadOptions&)> columns(const std::string& names) {
  return [names](ReadOptions& o) { o.columns = parse_columns(names); };
}

inline std::vector<Case> structure_cases() {
  using namespace std::string_literals;
  const std::string rows = "1.5,2\n2.5,3\n3.5,5\n";
  std::vector<Case> cases = {
      {"C01", "", "E-CSV-EMPTY"},
      {"C02", "\n\n\n", "E-CSV-EMPTY"},
      {"C02 CR", "\r\r\n\r", "E-CSV-EMPTY"},
      {"C02 BOM only", "\xEF\xBB\xBF", "E-CSV-EMPTY"},
      {"C03", "a,b\n", "E-CSV-NOROWS"},
      {"C03 blank lines", "a,b\n\n\n", "E-CSV-NOROWS"},
      {"C04", "a,b\n1,2\n", "E-DATA-FEWROWS", 3, "", "at least 2"},
      {"C05", "\xEF\xBB\xBF" + ("a,b\n" + rows), ""},
      {"C06", "\xEF\xBB\xBF\"a\",\"b\"\n" + rows, ""},
      {"C07 LE", "\xFF\xFE"s + "a\0,\0b\0\n\0"s, "E-CSV-ENCODING", 3, ":1:1",
       "UTF-16, convert to UTF-8"},
      {"C07 BE", "\xFE\xFF\0a\0,\0b\0\n"s, "E-CSV-ENCODING", 3, ":1:1", "UTF-16, convert to UTF-8"},
      {"C07 no mark", "a\0,\0b\0\n\0"s, "E-CSV-NUL", 3, ":1:2", "UTF-16"},
      {"C08 half", "a,\xC3\x28\n1,2\n", "E-CSV-ENCODING", 3, ":1:3", "byte 2"},
      {"C08 overlong", "a,\xC0\xAF\n1,2\n", "E-CSV-ENCODING", 3, ":1:3", "byte 2"},
      {"C08 surrogate", "a,\xED\xA0\x80\n1,2\n", "E-CSV-ENCODING", 3, ":1:3", "byte 2"},
      {"C08 cut", "a,b\n1,2\n3,\xE2\x82", "E-CSV-ENCODING", 3, ":3:3", "byte 10"},
      {"C09", "a,b\n1,2\n1,x\0y\n"s, "E-CSV-NUL", 3, ":3:4"},
      {"C10 LF", "a,b\n" + rows, ""},
      {"C10 CRLF", "a,b\r\n1.5,2\r\n2.5,3\r\n3.5,5\r\n", ""},
      {"C10 CR", "a,b\r1.5,2\r2.5,3\r3.5,5\r", ""},
      {"C10 mixed", "a,b\r\n1.5,2\r2.5,3\n3.5,5", ""},
      {"C11", "a,\"", "E-CSV-QUOTE", 3, ":1:3", "never closed"},
      {"C11 later", "a,b\n1,2\n\"x\ny,3\n4,5\n", "E-CSV-QUOTE", 3, ":3:1", "never closed"},
      {"C13", "a,b\n\"a\"b,c\n", "E-CSV-QUOTE", 3, ":2:4", "after the closing quote"},
      {"C13 at the end", "a,b\n1,\"c\"d", "E-CSV-QUOTE", 3, ":2:6", "after the closing quote"},
      {"C13 inside", "a,b\nx\"y,c\n", "E-CSV-QUOTE", 3, ":2:2"},
      {"C14", "\"\"\"\",\"a\"\"b\"\n\"x,y\",\"1\n2\"\n\"z\",\"3\r\n4\"\n\"x,y\",u\n", ""},
      {"C15 few at row 2", "a,b\n1,2\n3\n", "E-CSV-FIELDS", 3, ":3:1",
       "expected 2 fields as in the header, found 1"},
      {"C15 many at row 2", "a,b\n1,2\n3,4,5\n", "E-CSV-FIELDS", 3, ":3:1", "found 3"},
      {"C15 at row 2049", "a,b\n" + repeated("1.5,2\n", 2048) + "1,2,3\n1,2\n", "E-CSV-FIELDS", 3,
       ":2050:1", "found 3"},
      {"C15 at the last row", "a,b\n" + rows + "1", "E-CSV-FIELDS", 3, ":5:1", "found 1"},
      {"C15 blank line", "a,b\n1,2\n\n3,4\n", "E-CSV-FIELDS", 3, ":3:1", "blank line"},
      {"C16", "a,b,\n1,2,\n3,4,\n", "E-CSV-NAME", 3, ":1:5", "end with a delimiter"},
      {"C17 short header", "a\n1,2\n3,4\n", "E-CSV-FIELDS", 3, ":2:1", "found 2",
       [](ReadOptions& o) { o.delimiter = ','; }},
      {"C17 long header", "a,b,c\n1,2\n3,4\n", "E-CSV-FIELDS", 3, ":2:1", "expected 3"},
      {"C18", "x,y,x\n1,2,3\n2,3,4\n", "E-CSV-DUPLICATE", 3, ":1:5", "columns 1 and 3"},
      {"C19 empty", "a,,c\n1,2,3\n", "E-CSV-NAME", 3, ":1:3"},
      {"C19 256 bytes", std::string(256, 'n') + ",b\n" + rows, ""},
      {"C19 300 bytes", std::string(300, 'n') + ",b\n" + rows, "E-CSV-NAME", 3, ":1:1",
       "300 bytes"},
      {"C19 900 KB", std::string(900000, 'n') + ",b\n" + rows, "E-CSV-NAME", 3, ":1:1"},
      {"C19 1 MiB", std::string(std::size_t(1) << 20, 'n') + ",b\n" + rows, "E-LIMIT-FIELD", 6,
       ":1:1"},
      {"C20 case", "Rain,rain\n" + rows, ""},
      {"C20 accents", "\xC3\xA9,e\xCC\x81\n" + rows, ""},
      {"C21",
       "a\xE2\x80\xAE"
       "b,a\xE2\x80\x8B\n" +
           rows,
       ""},
      {"C22", "rain,umbrella\n" + rows, "E-USAGE-COLUMN", 2, "", "did you mean 'rain'?",
       columns("rian,umbrella")},
      {"header of numbers", "1.5,2\n2.5,3\n", "E-CSV-HEADER", 3, ":1:1", "--no-header"},
      {"no header", rows, "", 0, "", "", [](ReadOptions& o) { o.header = false; }},
      {"C40", repeated("a,", 100000) + "a\n", "E-LIMIT-COLUMNS", 6},
      {"C42 gzip", "\x1f\x8b\x08rest", "E-CSV-FORMAT", 3, "", "looks like gzip"},
      {"C42 xlsx", "PK\x03\x04rest", "E-CSV-FORMAT", 3, "", "zip archive"},
      {"C42 parquet", "PAR1\x15\x04rest", "E-CSV-FORMAT", 3, "", "parquet"},
      {"C42 bzip2", "BZh91AY&SYrest", "E-CSV-FORMAT", 3, "", "bzip2"},
      {"C42 half a bzip2", "BZh", "E-CSV-NOROWS"},
      {"C42 PDF", "%PDF-1.7\n", "E-CSV-FORMAT", 3, "", "PDF"},
      {"C42 named like one", "PAR1,%PDF\n" + rows, ""},
      {"C45 names",
       "<script>,=cmd|'/c calc'!A1,../../x,%s%n,\x1b[2J\n1.5,2,3,4,5\n2.5,3,5,5,6\n3.5,4,5,6,8\n",
       "", 0, "", "", [](ReadOptions& o) { o.delimiter = ','; }},
      {"C45 in an error", "\x1b[2J,b\n1,2\n1_000,3\n", "E-CSV-NUMBER", 3, ":3:1", "\\x1b[2J"},
      {"Z33 result as data", "{\"program\": \"whence\", \"files\": []}\n", "E-CSV-FORMAT", 3, "",
       "checkpoint of whence"},
      {"decimal is delimiter", "a,b\n", "E-USAGE-CSV", 2, "", "",
       [](ReadOptions& o) { o.decimal = o.delimiter.emplace(','); }},
  };
  return cases;
}

inline std::vector<Case> value_cases() {
  const auto one = [](const std::string& value) { return "x,y\n1.5,2\n" + value + ",3\n2.5,4\n"; };
  const auto category = [](const std::string& value) {
    return "x,y\n1,1.5\n2,2.5\n" + value + ",3.5\n";
  };
  std::vector<Case> cases = {
      {"C23", "a;b\n1,5;2,5\n2,5;3,5\n", "E-CSV-NUMBER", 3, ":2:1", "--decimal=,"},
      {"C23 given", "a;b\n1,5;2,5\n2,5;3,5\n", "", 0, "", "",
       [](ReadOptions& o) { o.decimal = ','; }},
      {"C24 space", "x;y\n1 000,5;2\n1;2\n", "E-CSV-NUMBER", 3, ":2:1", "thousands"},
      {"C24 apostrophe", one("1'000"), "E-CSV-NUMBER", 3, ":3:1", "thousands"},
      {"C24 underscore", one("1_000"), "E-CSV-NUMBER", 3, ":3:1", "thousands"},
      {"C24 narrow space",
       one("1\xE2\x80\xAF"
           "000"),
       "E-CSV-NUMBER", 3, ":3:1", "thousands"},
      {"C24 all alike", "x,y\n\"1,000\",2\n\"2,000\",3\n", "E-CSV-NUMBER", 3, ":2:1"},
      {"C25 hex", one("0x1p3"), "E-CSV-NUMBER", 3, ":3:1", "decimal number"},
      {"C25 exponent", one("1e5"), ""},
      {"C25 plus", one("+1"), ""},
      {"C25 point first", one(".5"), ""},
      {"C25 point last", one("5."), ""},
      {"C25 spaces", one(" 5 "), ""},
      {"C25 quoted", one("\"5\""), ""},
      {"C25 word", one("five"), "E-CSV-NUMBER", 3, ":3:1", "--types x=categorical"},
      {"C25 two signs", one("+-5"), "E-CSV-NUMBER", 3, ":3:1"},
      {"C25 number among texts", "x,y\na,2\n5,3\n", "E-DATA-MIXED", 3, ":3:1"},
      {"C26 overflow", one("1e400"), "E-DATA-OVERFLOW", 3, ":3:1"},
      {"C26 underflow", one("1e-400"), ""},
      {"C26 smallest", one("4.9e-324"), ""},
      {"C28 empty", one(""), "E-DATA-MISSING", 3, ":3:1", "--missing=drop"},
      {"C28 quoted empty", one("\"\""), "E-DATA-MISSING", 3, ":3:1"},
      {"C28 dropped", one("") + "4.5,6\n", "", 0, "", "", drop},
      {"C28 NA not listed", one("NA"), "E-DATA-MISSING", 3, ":3:1", "--na=NA", drop},
      {"C28 NA listed", one("NA") + "4.5,6\n", "", 0, "", "", drop_na},
      {"C28 listed, not dropped", one("NA"), "E-DATA-MISSING", 3, ":3:1", "",
       [](ReadOptions& o) { o.na = {"NA"}; }},
      {"C28 number as NA", one("-999") + "4.5,6\n", "", 0, "", "",
       [](ReadOptions& o) { drop(o), o.na = {"-999"}; }},
      {"C29", "x,y\n,2\n,3\n,4\n", "E-DATA-ALLMISSING", 3, "", "\"x\"", drop},
      {"C29 not dropped", "x,y\n,2\n,3\n", "E-DATA-MISSING", 3, ":2:1"},
      {"C30", "x,y\n1.5,2\n1.5,3\n1.5,4\n", "E-DATA-CONST", 3, "", "\"x\""},
      {"C31", "x,y\nu,2.5\nu,3.5\nu,4.5\n", "E-DATA-CONST", 3, "", "\"x\""},
      {"C33", "x,y\n" + repeated("1.5,2.5\n", 50) + "1.75,3.5\n" + repeated("1.5,4.5\n", 50), ""},
      {"C34 negative", category("-1"), "E-DATA-CODE", 3, ":4:1", "=labels", typed("x=categorical")},
      {"C34 3.0", category("3.0"), "", 0, "", "", typed("x=categorical")},
      {"C34 3.5", category("3.5"), "E-DATA-CODE", 3, ":4:1", "", typed("x=categorical")},
      {"C34 -0", category("-0"), "", 0, "", "", typed("x=categorical")},
      {"C34 007", category("007"), "", 0, "", "", typed("x=categorical")},
      {"C34 large", category("9223372036854775808"), "E-DATA-CODE", 3, ":4:1", "",
       typed("x=categorical")},
      {"C34 as labels", category("-1"), "", 0, "", "", typed("x=labels")},
      {"C35", "x,y\n0,1.5\n9,2.5\n4,3.5\n", "E-DATA-CODE", 3, ":3:1", "beyond the 5 categories",
       typed("x=categorical:5")},
      {"C39", "x,y\n1e300,1.5\n1e-300,2.5\n-1e300,3.5\n", ""},
      {"type of no column", "x,y\n1.5,2\n", "E-USAGE-COLUMN", 2, "", "", typed("z=real")},
      {"text in a real column", "x,y\nu,1.5\nv,2.5\n", "E-CSV-NUMBER", 3, ":2:1", "",
       typed("x=real")},
  };
  for (const char* word : {"nan", "NaN(0x1)", "-nan", "1.#QNAN", "NAN"}) {
    cases.push_back({std::string("C27 ") + word, one(word), "E-DATA-NONFINITE", 3, ":3:1"});
    cases.push_back(
        {std::string("C27 dropped ") + word, one(word) + "4.5,6\n", "", 0, "", "", drop});
  }
  for (const char* word : {"inf", "-Infinity", "+INF", "1.#INF"})
    cases.push_back(
        {std::string("C27 ") + word, one(word), "E-DATA-NONFINITE", 3, ":3:1", "infinite", drop});
  for (const char* word : {"NULL", "?", "-", "N/A"})
    cases.push_back({std::string("C28 ") + word, one(word), "E-DATA-MISSING", 3, ":3:1", "--na="});
  return cases;
}

inline std::vector<Case> csv_cases() {
  std::vector<Case> all = structure_cases();
  for (Case& c : value_cases()) all.push_back(std::move(c));
  return all;
}

}  // namespace whence::bad_input
