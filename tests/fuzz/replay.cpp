// A fuzz target without a fuzzer: its seeds, then a fixed number of damaged ones, the same on every
// machine. It needs no clang, so every test run has it, under every sanitizer.
//   replay TARGET INPUTS [ONLY]    ONLY: the number of the one input to run
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fuzz/seeds.hpp"
#include "whence/math/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace {

using whence::Purpose;
using whence::sample_index;
using whence::Stream;

std::uint32_t current = 0;

/// The one thing to know of a failure: how to have it again.
void name_input() { std::fprintf(stderr, "input number %u failed\n", current); }
void aborted(int) {
  name_input();
  std::_Exit(1);
}

/// Pieces that mean something to one reader or another.
const std::vector<std::string>& words() {
  static const std::vector<std::string> list = {"\n",
                                                "\r\n",
                                                ",",
                                                ";",
                                                "\t",
                                                "\"",
                                                "\"\"",
                                                "-",
                                                "1e999",
                                                "nan",
                                                "0x",
                                                "NA",
                                                "\xef\xbb\xbf",
                                                std::string(1, '\0'),
                                                "\xff",
                                                "PK\x01\x02",
                                                "PK\x05\x06",
                                                "'shape': (",
                                                "<f8",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                "->",
                                                "<",
                                                "&amp;",
                                                "\\u0000",
                                                "18446744073709551616",
                                                "/*",
                                                "//"};
  return list;
}

std::size_t place_in(const std::string& text, Stream& stream) {
  return std::size_t(sample_index(stream, int(text.size()) + 1));
}

void damage(std::string& text, const std::vector<std::string>& seeds, Stream& stream) {
  const std::size_t at = place_in(text, stream);
  const auto length = std::size_t(sample_index(stream, 16)) + 1;
  switch (sample_index(stream, 7)) {
    case 0:
      if (at < text.size()) text[at] = char(text[at] ^ (1 << sample_index(stream, 8)));
      break;
    case 1:
      if (at < text.size()) text[at] = char(sample_index(stream, 256));
      break;
    case 2: text.erase(at, length); break;
    case 3: text.resize(at); break;
    case 4: text.insert(at, text.substr(place_in(text, stream), length)); break;
    case 5: text.insert(at, words()[std::size_t(sample_index(stream, int(words().size())))]); break;
    default: {
      const std::string& other = seeds[std::size_t(sample_index(stream, int(seeds.size())))];
      text = text.substr(0, at) + other.substr(place_in(other, stream));
    }
  }
}

std::string input(std::uint32_t number, const std::vector<std::string>& seeds) {
  if (number < seeds.size()) return seeds[number];
  Stream stream(0, Purpose::tests, {number, 0, 8});
  std::string text = seeds[std::size_t(sample_index(stream, int(seeds.size())))];
  for (int times = 1 + sample_index(stream, 6); times > 0; --times) damage(text, seeds, stream);
  constexpr std::size_t longest = 8192;
  text.resize(std::min(text.size(), longest));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::signal(SIGABRT, aborted);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(name_input);
  const auto seeds = whence::fuzz::seeds_of(argv[1]);
  const std::size_t inputs = seeds.size() + std::stoul(argv[2]);
  for (current = 0; current < inputs; ++current) {
    if (argc > 3 && current != std::stoul(argv[3])) continue;
    // On the heap and without a byte to spare: reading past the end is seen.
    const std::string text = input(current, seeds);
    const std::vector<char> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%s: %zu inputs\n", argv[1], inputs);
}
