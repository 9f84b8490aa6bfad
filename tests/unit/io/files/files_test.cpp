// Names, hashes, CSV and result.json: what ends up in files.
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "whence/io/files/file_name.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"

namespace whence {
namespace {

TEST(Sha256, GivesThePublishedDigests) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                       "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(FileName, IsSafeForEveryText) {
  EXPECT_TRUE(rc::check(
      [](const std::string& text) { RC_ASSERT(is_safe_file_name(file_name_for(text))); }));
  for (const char* text : {"", ".", "..", "../../.bashrc", "-rf", "con", "NUL.txt", "a/b", "a\\b",
                           "%s%n", "\x1b[2J", "$(reboot)", "日本", ".hidden", "lpt1", "x."}) {
    EXPECT_FALSE(is_safe_file_name(text)) << text;
    EXPECT_TRUE(is_safe_file_name(file_name_for(text))) << file_name_for(text);
  }
  EXPECT_FALSE(is_safe_file_name(std::string(65, 'a')));
  EXPECT_TRUE(is_safe_file_name(std::string(64, 'a')));
  EXPECT_TRUE(is_safe_file_name("console"));
}

TEST(FileName, KeepsDifferentTextsApart) {
  std::set<std::string> names;
  const std::vector<std::string> texts = {"belief/N=10",
                                          "belief/N=100",
                                          "belief-N-10",
                                          "belief N=10",
                                          "belief/N=10 ",
                                          "a/b",
                                          "a:b",
                                          "a b",
                                          "",
                                          ".",
                                          ".."};
  for (const std::string& text : texts) names.insert(file_name_for(text));
  EXPECT_EQ(names.size(), texts.size());
  EXPECT_EQ(file_name_for("belief-N-10"), "belief-N-10");
  EXPECT_EQ(file_name_for("belief/N=10").substr(0, 12), "belief-N-10-");
}

TEST(Csv, DefusesFormulasAndLeavesNumbers) {
  EXPECT_EQ(csv_cell("=cmd|'/c calc'!A1"), "'=cmd|'/c calc'!A1");
  EXPECT_EQ(csv_cell("+SUM(A1)"), "'+SUM(A1)");
  EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
  EXPECT_EQ(csv_cell("@x"), "'@x");
  EXPECT_EQ(csv_cell("\tx"), "'\\x09x");
  EXPECT_EQ(csv_cell("\rx"), "'\\x0dx");
  EXPECT_EQ(csv_cell("-"), "'-");
  EXPECT_EQ(csv_cell("-0.5"), "-0.5");
  EXPECT_EQ(csv_cell("+1e-3"), "+1e-3");
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "two\\x0alines");
  EXPECT_EQ(csv_cell("\u202Ex"), "\\xe2\\x80\\xaex");
}

TEST(Csv, DataKeepTheirTexts) {
  EXPECT_EQ(csv_text("-lo"), "-lo");
  EXPECT_EQ(csv_text("@a"), "@a");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_text(" blank "), "\" blank \"");
}

Report small_report() {
  Report report;
  report.experiment = "test";
  report.seed = 18446744073709551615u;
  report.settings_json = "{\"runs\":3}";
  report.curves = {{"belief/N=10", "N = 10", {1, 2}, {0.5, 0.1 + 0.2}, {0.25, 0.25}, {0.75, 0.75}}};
  report.figures = {{"fig/1", "Figure", "x", "y", {"belief/N=10"}, "", false, false, 0, 1}};
  report.tables = {{"t", "Table", {"shift", "=p*"}, {{"cause", "-0.5"}, {"@row", "1"}}}};
  report.claims = {{"c", "paper says", "we saw", true, "why", ClaimKind::control}};
  report.numbers = {{"n", 1.5}};
  return report;
}

TEST(Csv, WritesCurvesThatReadBack) {
  const Report report = small_report();
  EXPECT_EQ(curve_csv(report.curves[0]),
            "x,median,q25,q75\n1,0.5,0.25,0.75\n2,0.30000000000000004,0.25,0.75\n");
  EXPECT_EQ(table_csv(report.tables[0]), "shift,'=p*\ncause,-0.5\n'@row,1\n");
  Curve holes{"c", "", {1, 2}, {std::nan(""), 2}, {}, {1, std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(curve_csv(holes), "x,median,q25,q75\n1,,,1\n2,2,,\n");
}

TEST(ResultJson, HoldsEverythingThatWasFound) {
  const auto json = nlohmann::json::parse(result_text(result_json(small_report())));
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["seed"], 18446744073709551615u);
  EXPECT_EQ(json["settings"]["runs"], 3);
  EXPECT_EQ(json["curves"][0]["id"], "belief/N=10");
  EXPECT_EQ(json["curves"][0]["median"][1], 0.1 + 0.2);
  EXPECT_EQ(json["tables"][0]["rows"][1][0], "@row");
  EXPECT_EQ(json["claims"][0]["holds"], true);
  EXPECT_EQ(json["claims"][0]["kind"], "control");
  EXPECT_EQ(json["numbers"][0]["value"], 1.5);
  EXPECT_EQ(json["provenance"]["settings_sha256"], sha256_hex("{\"runs\":3}"));
}

TEST(ResultJson, ShowsWhatIsNotFiniteAsNullWithAWarning) {
  Report report = small_report();
  report.curves[0].median[0] = std::nan("");
  report.numbers[0].value = -std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(result_text(result_json(report)));
  EXPECT_TRUE(json["curves"][0]["median"][0].is_null());
  EXPECT_TRUE(json["numbers"][0]["value"].is_null());
  ASSERT_EQ(json["warnings"].size(), 2u);
  EXPECT_NE(json["warnings"][0].get<std::string>().find("belief/N=10"), std::string::npos);
}

TEST(ResultJson, SurvivesHostileNames) {
  Report report = small_report();
  const std::string hostile = "</script><script>\"\\\n\x01';--";
  report.curves[0].id = report.claims[0].paper = hostile;
  const auto json = nlohmann::json::parse(result_text(result_json(report)));
  EXPECT_EQ(json["curves"][0]["id"], hostile);
  EXPECT_EQ(json["claims"][0]["paper"], hostile);
}

TEST(ReportFiles, HaveSafeNamesInTheirFolder) {
  Report report = small_report();
  report.curves[0].id = "../../etc/passwd";
  const auto files = report_files(report, {}, "group/");
  EXPECT_EQ(files[0].name, "group/result.json");
  std::set<std::string> names;
  for (const OutputFile& file : files) {
    EXPECT_EQ(file.name.substr(0, 6), "group/");
    EXPECT_EQ(file.name.find(".."), std::string::npos) << file.name;
    EXPECT_FALSE(file.content.empty()) << file.name;
    names.insert(file.name);
  }
  EXPECT_EQ(names.size(), files.size());
  EXPECT_EQ(files.size(), 6u);
}

}  // namespace
}  // namespace whence
