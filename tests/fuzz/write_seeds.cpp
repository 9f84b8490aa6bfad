// write_seeds FOLDER TARGET...: what each target starts from, one folder per target.
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/seeds.hpp"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 2; i < argc; ++i) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / argv[i];
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const std::string& seed : whence::fuzz::seeds_of(argv[i]))
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
  }
}
