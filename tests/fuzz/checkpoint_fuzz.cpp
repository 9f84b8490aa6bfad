// Any bytes as a checkpoint; and any bytes behind a right checksum.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/files/checkpoint_file.hpp"
#include "whence/io/files/sha256.hpp"

namespace {

using namespace whence;

void read(const std::string& text) {
  Checkpoint one;
  if (!fuzz::succeeds([&] { one = read_checkpoint(text, "a.checkpoint"); }, ExitCode::checkpoint))
    return;
  const std::string written = checkpoint_text(one);
  const Checkpoint again = read_checkpoint(written, "again");
  fuzz::require(checkpoint_text(again) == written && again.units == one.units);
  require_same_run(again, one.facts, "again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string text(data, size);
  read(text);
  // What follows the second line, or all of it, under its own checksum.
  std::size_t start = text.find('\n');
  if (start != std::string::npos) start = text.find('\n', start + 1);
  const std::string contents = text.substr(start == std::string::npos ? 0 : start + 1);
  read("whence checkpoint 1\n" + sha256_hex(contents) + "\n" + contents);
  return 0;
}
