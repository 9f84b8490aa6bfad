// Any bytes as the state of whence direction; and any bytes behind a right checksum.
#include "tests/fuzz/fuzz.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/table/kept_files.hpp"

namespace {

using namespace whence;

/// What was read is written so that it reads as the same.
void read(std::string_view text) {
  KeptFiles kept;
  if (!fuzz::succeeds([&] { kept = read_kept_files(text, "state.json"); }, ExitCode::checkpoint))
    return;
  const std::string written = kept_files_text(kept);
  const KeptFiles again = read_kept_files(written, "again.json");
  fuzz::require(kept_files_text(again) == written);
  fuzz::require(again.files.size() == kept.files.size());
  for (std::size_t i = 0; i < kept.files.size(); ++i)
    fuzz::require(*again.files[i].content == *kept.files[i].content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string_view text(data, size);
  read(text);
  Json content;
  if (!fuzz::succeeds([&] { content = read_json(text, "content.json"); }, ExitCode::bad_config))
    return 0;
  // A document is tried with its own "content" and as the content, both under a right checksum.
  if (const Json* inner = content.find("content")) content = Json(*inner);
  read(Json::object({{"program", "whence"},
                     {"kind", "direction-state"},
                     {"format", kept_files_format},
                     {"version", "0"},
                     {"sha256", sha256_hex(content.dump())},
                     {"content", content}})
           .dump());
  return 0;
}
