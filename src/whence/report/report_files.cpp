#include "whence/report/report_files.hpp"

#include "whence/io/files/file_name.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/report/page/page_data.hpp"
#include "whence/report/page/svg_figure.hpp"
#include "whence/report/result_json.hpp"

namespace whence {

namespace {

std::vector<OutputFile> all_files(std::string result, const Report& report, const PageInfo& page,
                                  const std::string& folder) {
  std::vector<OutputFile> files;
  const auto add = [&](const std::string& name, std::string content) {
    files.push_back({folder + name, std::move(content)});
  };
  add("result.json", std::move(result));
  add("index.html", report_page({&report, 1}, page));
  add("page.json", page_data_text({&report, 1}, page));
  for (const Curve& curve : report.curves)
    add("curves/" + file_name_for(curve.id) + ".csv", curve_csv(curve));
  for (const Table& table : report.tables)
    add("tables/" + file_name_for(table.id) + ".csv", table_csv(table));
  for (const Figure& figure : report.figures)
    add("figures/" + file_name_for(figure.id) + ".svg", svg_figure(figure, report.curves));
  return files;
}

}  // namespace

std::vector<OutputFile> report_files(const Report& report, const PageInfo& page,
                                     const std::string& folder) {
  return all_files(result_text(result_json(report)), report, page, folder);
}

std::vector<OutputFile> answer_files(std::string result, const Report& report,
                                     const PageInfo& page) {
  return all_files(std::move(result), report, page, {});
}

}  // namespace whence
