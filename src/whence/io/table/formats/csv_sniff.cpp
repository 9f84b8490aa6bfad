// What a file is, judged by its first bytes.
#include <algorithm>
#include <array>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/io/table/formats/csv_scanner.hpp"

namespace whence {
namespace {

using namespace std::string_view_literals;

constexpr std::pair<std::string_view, const char*> magic_numbers[] = {
    {"\x1f\x8b"sv, "gzip; unpack it first"},
    {"PK\x03\x04"sv, "a zip archive (xlsx, npz); export a sheet as CSV, or name arrays *.npz"},
    {"PK\x05\x06"sv, "an empty zip archive"},
    {"PAR1\x15"sv,
     "parquet; in Python whence.discover(\"FILE.parquet\", ...) reads it, by pyarrow; or export it "
     "as CSV"},
    {"%PDF-"sv, "PDF"},
    {"\x93NUMPY"sv, "a NumPy array; name it *.npy"},
    {"\x89HDF\r\n"sv, "HDF5; export it as CSV"},
    {"\xD0\xCF\x11\xE0"sv, "an old Excel or Word file; export a sheet as CSV"},
    {"SQLite format 3\0"sv, "an SQLite database; export a table as CSV"},
    {"\x28\xB5\x2F\xFD"sv, "zstd; unpack it first"},
    {"\xFD"
     "7zXZ\0"sv,
     "xz; unpack it first"},
    {"ARROW1\0"sv,
     "an Arrow file; in Python whence.discover(\"FILE.arrow\", ...) reads it, by pyarrow; or "
     "export it as CSV"},
    {"<!DOCTYPE html"sv, "a web page; was the download refused?"},
    {"<html"sv, "a web page; was the download refused?"},
    {"\x7f"
     "ELF"sv,
     "a program"},
};

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

[[noreturn]] void fail_format(const std::string& file, std::string what) {
  const std::size_t semicolon = what.find("; ");
  std::string hint;
  if (semicolon != std::string::npos) hint = what.substr(semicolon + 2);
  throw Error(ExitCode::bad_data, "E-CSV-FORMAT", file,
              "this looks like " + what.substr(0, semicolon), hint);
}

constexpr std::array candidates = {',', ';', '\t', '|'};
using Counts = std::array<std::size_t, candidates.size()>;

/// How often each candidate stands outside quotes, for each of the first records.
std::vector<Counts> count_candidates(std::string_view text, bool is_whole_file) {
  constexpr std::size_t records = 20;
  std::vector<Counts> all;
  Counts counts{};
  bool quoted = false, blank = true;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '\n' || c == '\r')) {
      if (!blank) all.push_back(counts);
      if (all.size() == records) return all;
      counts = {};
      blank = true;
      continue;
    }
    blank = false;
    const auto* found = std::find(candidates.begin(), candidates.end(), c);
    if (!quoted && found != candidates.end()) ++counts[std::size_t(found - candidates.begin())];
  }
  if (!blank && (is_whole_file || all.empty())) all.push_back(counts);
  return all;
}

}  // namespace

void refuse_other_formats(std::string_view first_bytes, const std::string& file) {
  if (first_bytes.substr(0, 2) == "\xFF\xFE" || first_bytes.substr(0, 2) == "\xFE\xFF")
    throw Error(ExitCode::bad_data, "E-CSV-ENCODING", file + ":1:1",
                "this file is UTF-16, convert to UTF-8", "iconv -f UTF-16 -t UTF-8");
  for (const auto& [magic, what] : magic_numbers)
    if (first_bytes.substr(0, magic.size()) == magic) fail_format(file, what);
  if (first_bytes.substr(0, 3) == "BZh" && first_bytes.find("1AY&SY") == 4)
    fail_format(file, "bzip2; unpack it first");
  const std::string_view head = first_bytes.substr(0, 4096);
  if (head.substr(0, 1) == "{" && has(head, "\"program\"") && has(head, "\"whence\""))
    fail_format(file, "a result or checkpoint of whence, not data; name the data file instead");
}

char guess_delimiter(std::string_view prefix, bool is_whole_file, char decimal) {
  const std::vector<Counts> counts = count_candidates(prefix, is_whole_file);
  if (counts.empty()) return decimal == ',' ? ';' : ',';
  // The header decides; where it holds several, the one that all records hold equally often.
  std::size_t best = decimal == ',' ? 1 : 0;
  std::pair<bool, std::size_t> best_rank{false, 0};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i] == decimal || counts[0][i] == 0) continue;
    const bool even = std::all_of(counts.begin(), counts.end(),
                                  [&](const Counts& c) { return c[i] == counts[0][i]; });
    const std::pair<bool, std::size_t> rank{even, counts[0][i]};
    if (rank > best_rank) best = i, best_rank = rank;
  }
  return candidates[best];
}

}  // namespace whence
