// write_seeds FOLDER: every case of tests/bad_input as a file, one folder per reader.
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/bad_input/array_cases.hpp"
#include "tests/bad_input/csv_cases.hpp"

namespace {

void write(const std::filesystem::path& folder, const std::vector<whence::bad_input::Case>& cases) {
  constexpr std::size_t largest = 4096;  // larger ones slow the fuzzer down
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const auto& one : cases) {
    if (one.bytes.size() > largest) continue;
    std::ofstream(folder / std::to_string(number++), std::ios::binary) << one.bytes;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  write(folder / "csv", whence::bad_input::csv_cases());
  write(folder / "npy", whence::bad_input::npy_cases());
  write(folder / "npz", whence::bad_input::npz_cases());
}
