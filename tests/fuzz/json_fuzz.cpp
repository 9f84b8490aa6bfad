// Any bytes as JSON, as the configuration of whence direction, and as the page of a finished run.
#include "apps/whence/direction_settings.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/report/page/page_data.hpp"
#include "whence/report/page/report_page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  const std::string_view text(data, size);
  Json json;
  if (fuzz::succeeds([&] { json = read_json(text, "fuzz.json"); }, ExitCode::bad_config)) {
    // What was read is written so that it reads as the same.
    const std::string written = json.dump();
    fuzz::require(read_json(written, "again.json").dump() == written);
  }
  fuzz::succeeds([&] { read_direction_settings(text, "fuzz.json"); }, ExitCode::bad_config);
  PageData page;
  if (fuzz::succeeds([&] { page = read_page_data(text, "page.json"); })) {
    // Whatever was accepted can be drawn.
    if (page.graph) page.info.graph = &*page.graph;
    report_page(page.reports, page.info);
  }
  return 0;
}
