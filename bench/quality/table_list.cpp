#include "bench/quality/table_list.hpp"

#include <algorithm>

#include "bench/quality/altered_table.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

class ListReader {
 public:
  explicit ListReader(const std::filesystem::path& path)
      : folder_(path.parent_path()),
        file_(printable(path.filename().string())),
        json_(read_json(read_text_file(path, largest), file_, {.bytes = largest})) {}

  std::vector<ListedTable> read() const {
    const Json* list = json_.find("tables");
    if (list == nullptr || !list->is(Json::Kind::list) || list->items.empty())
      refuse(json_, "there is no list of tables");
    std::vector<ListedTable> tables;
    for (const Json& item : list->items) tables.push_back(table_of(item));
    return tables;
  }

 private:
  static constexpr std::size_t largest = std::size_t(16) << 20;

  [[noreturn]] void refuse(const Json& where, const std::string& problem) const {
    throw Error(ExitCode::bad_data, "E-TABLES-LIST", place_in(file_, where.place), problem,
                "bench/README.md says what a list of tables holds");
  }

  std::string text_of(const Json& value) const {
    if (!value.is(Json::Kind::text)) refuse(value, "a text belongs here");
    return value.text;
  }

  std::vector<std::string> texts_of(const Json& value) const {
    if (!value.is(Json::Kind::list)) refuse(value, "a list of texts belongs here");
    std::vector<std::string> texts;
    for (const Json& item : value.items) texts.push_back(text_of(item));
    return texts;
  }

  std::vector<ArrowPattern> arrows_of(const Json& value) const {
    std::vector<ArrowPattern> arrows;
    for (const std::string& text : texts_of(value)) {
      const std::size_t at = text.find("->");
      if (at == std::string::npos || at == 0 || at + 2 == text.size())
        refuse(value, in_quotes(text) + " is no arrow: \"cause->effect\"");
      arrows.push_back({text.substr(0, at), text.substr(at + 2)});
    }
    return arrows;
  }

  std::vector<std::string> controls_of(const Json& value) const {
    std::vector<std::string> names = texts_of(value);
    for (const std::string& name : names)
      if (std::none_of(all_alterations.begin(), all_alterations.end(),
                       [&](Alteration a) { return name_of(a) == name; }))
        refuse(value, in_quotes(name) + " is no control");
    return names;
  }

  ListedTable table_of(const Json& item) const {
    if (!item.is(Json::Kind::object)) refuse(item, "a table is an object");
    ListedTable out;
    for (const auto& [key, value, place] : item.members) {
      if (key == "name")
        out.name = text_of(value);
      else if (key == "table")
        out.file = folder_ / text_of(value);
      else if (key == "environment")
        out.environment = text_of(value);
      else if (key == "baseline")
        out.baseline = text_of(value);
      else if (key == "columns")
        out.columns = texts_of(value);
      else if (key == "exclude")
        out.exclude = texts_of(value);
      else if (key == "assigned")
        out.assigned = value.truth;
      else if (key == "impossible")
        out.impossible = arrows_of(value);
      else if (key == "right")
        out.right = arrows_of(value);
      else if (key == "controls")
        out.controls = controls_of(value);
      else
        refuse(value, in_quotes(key) + " is nothing that is said of a table");
    }
    if (out.file.empty() || out.environment.empty())
      refuse(item, "a table needs \"table\", its file, and \"environment\", a column of it");
    if (out.name.empty()) out.name = out.file.stem().string();
    return out;
  }

  std::filesystem::path folder_;
  std::string file_;
  Json json_;
};

}  // namespace

std::vector<ListedTable> read_table_list(const std::filesystem::path& list) {
  return ListReader(list).read();
}

}  // namespace whence
