#include "tests/golden/golden_file.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/source_tree.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {

namespace {

/// Libraries round exp and log differently in the last digits.
bool close(double measured, double golden, double noise) {
  return std::abs(measured - golden) <= 1e-9 * std::abs(golden) + noise;
}

/// The paths at which two values differ.
void differences(const Json& measured, const Json& golden, const std::string& path, double noise,
                 std::vector<std::string>& found) {
  const auto differ = [&] {
    found.push_back(path + ": " + measured.dump() + " instead of " + golden.dump());
  };
  if (measured.kind != golden.kind) return differ();
  switch (golden.kind) {
    case Json::Kind::number:
      if (!close(measured.as_double(), golden.as_double(), noise)) differ();
      return;
    case Json::Kind::list:
      if (measured.items.size() != golden.items.size()) return differ();
      for (std::size_t i = 0; i < golden.items.size(); ++i)
        differences(measured.items[i], golden.items[i], path + "[" + std::to_string(i) + "]", noise,
                    found);
      return;
    case Json::Kind::object:
      for (const JsonMember& member : golden.members) {
        const Json* other = measured.find(member.key);
        if (other)
          differences(*other, member.value, path + "/" + member.key, noise, found);
        else
          found.push_back(path + "/" + member.key + " is gone");
      }
      for (const JsonMember& member : measured.members)
        if (!golden.find(member.key)) found.push_back(path + "/" + member.key + " is new");
      return;
    default:
      if (measured.dump() != golden.dump()) differ();
  }
}

}  // namespace

bool regenerating() {
  const char* wish = std::getenv("WHENCE_REGENERATE_GOLDEN");
  return wish && std::string(wish) == "1";
}

Json golden_number(double value, double noise) {
  const std::string text = fmt::format("{:.12g}", std::abs(value) < noise ? 0.0 : value);
  double shortened = 0;
  std::from_chars(text.data(), text.data() + text.size(), shortened);
  return Json(shortened);
}

std::vector<std::string> differences(const Json& measured, const Json& golden, double noise) {
  std::vector<std::string> found;
  differences(measured, golden, "", noise, found);
  return found;
}

std::filesystem::path golden_folder() { return test::source_tree() / "tests" / "golden"; }

void compare_with_golden(const std::filesystem::path& file, const Json& measured, double noise) {
  if (regenerating()) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::trunc);
    out << measured.dump(2) << "\n";
    ASSERT_TRUE(out.good());
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(file)) << file.filename() << " is missing" << remedy;
  const Json golden = read_json(read_text_file(file), file.filename().string());
  for (const std::string& difference : differences(measured, golden, noise))
    ADD_FAILURE() << difference << remedy;
}

}  // namespace whence
