#include "whence/io/table/kept_files.hpp"

#include <string>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"

namespace whence {
namespace {

KeptFiles example(std::size_t bytes) {
  std::string content;
  for (std::size_t i = 0; i < bytes; ++i) content += char(i * 37 % 256);
  return {Json::object({{"model", "auto"}}),
          {{"fold\xe9r/b.csv", true, std::make_shared<const std::string>(content)},
           {"w.csv", false, std::make_shared<const std::string>("X,Y\n")}}};
}

TEST(KeptFiles, ComeBackByteForByte) {
  for (const std::size_t bytes : {0u, 1u, 2u, 3u, 4u, 255u, 256u, 1000u}) {
    const KeptFiles kept = example(bytes);
    const KeptFiles again = read_kept_files(kept_files_text(kept), "s.json");
    ASSERT_EQ(again.files.size(), 2u);
    EXPECT_EQ(again.files[0].path, kept.files[0].path);
    EXPECT_TRUE(again.files[0].baseline);
    EXPECT_EQ(*again.files[0].content, *kept.files[0].content);
    EXPECT_EQ(*again.files[1].content, "X,Y\n");
    EXPECT_EQ(kept_files_text(again), kept_files_text(kept));
  }
}

TEST(KeptFiles, NoticeEveryFlippedBit) {
  const std::string text = kept_files_text(example(5));
  // Which version wrote it says nothing about its content.
  const std::size_t skip = text.find("\"version\""), resume = text.find("\"sha256\"");
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      if (at >= skip && at < resume) continue;
      if (at + 1 == text.size()) continue;  // the line's end
      std::string damaged = text;
      damaged[at] = char(damaged[at] ^ (1 << bit));
      EXPECT_THROW(read_kept_files(damaged, "s.json"), Error) << at << " " << bit;
    }
}

}  // namespace
}  // namespace whence
