// Any bytes as the configuration of an experiment, and of meta-learn.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "whence/paper/meta_learn_report.hpp"
#include "whence/paper/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  if (size == 0) return 0;
  const UserConfig config = {std::string(data + 1, size - 1), "config.json"};
  const char* experiments[] = {"belief-discrete", "belief-mlp", "encoder-rotation"};
  fuzz::succeeds(
      [&] {
        if (const unsigned which = std::uint8_t(data[0]) % 4; which < 3)
          Settings::of(experiments[which], "paper", "smoke", config);
        else
          meta_learning_settings(config);
      },
      ExitCode::bad_config);
  return 0;
}
