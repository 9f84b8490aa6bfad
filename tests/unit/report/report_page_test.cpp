#include "whence/report/page/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/report/markup_reader.hpp"
#include "whence/io/json/markup.hpp"

namespace whence {
namespace {

struct Input {
  std::vector<Report> reports;
  PageInfo info;
  std::string page() const { return report_page(reports, info); }
};

/// One of everything that a page can show.
Input sample() {
  Report r;
  r.experiment = "belief", r.title = "Belief", r.summary = "It grows.", r.seed = 42;
  r.profile = "paper", r.scale = "full", r.settings_json = R"({"levels":10,"name":"x"})";
  r.curves = {{"belief/N=10", "N = 10", {0, 1, 2}, {.5, NAN, 1}, {.4, .5, .9}, {.6, .8, 1}},
              {"other", "other", {0, 1, 2}, {.5, .25, 1.25}, {}, {}}};
  r.figures = {{"belief",
                "Belief",
                "episodes",
                "σ(γ)",
                {"belief/N=10", "other"},
                "Look.",
                false,
                false,
                0,
                1}};
  r.tables = {{"t", "Table", {"kind", "p"}, {{"cause", "1.0"}, {"effect", "0.1"}}}};
  r.claims = {{"c1", "It grows", "it does", true, ""}, {"c2", "It ends", "no", false, "because"}};
  r.numbers = {{"gap", 0.25}};
  r.assumptions = {"independent"};
  r.warnings = {"small"};
  Input input;
  input.reports = {r, r};
  input.reports[1].experiment = "again";
  input.info = {"Report", "The answer.", "1.2.3", "abcdef", "whence reproduce belief"};
  return input;
}

/// Every place where a name from outside can come to stand.
using Sink = std::function<void(Input&, const std::string&)>;
const std::vector<std::pair<std::string, Sink>>& sinks() {
  static const std::vector<std::pair<std::string, Sink>> list = {
      {"page title", [](Input& i, const std::string& s) { i.info.title = s; }},
      {"lead", [](Input& i, const std::string& s) { i.info.lead = s; }},
      {"version", [](Input& i, const std::string& s) { i.info.version = s; }},
      {"revision", [](Input& i, const std::string& s) { i.info.revision = s; }},
      {"command", [](Input& i, const std::string& s) { i.info.command = s; }},
      {"experiment", [](Input& i, const std::string& s) { i.reports[0].experiment = s; }},
      {"title", [](Input& i, const std::string& s) { i.reports[0].title = s; }},
      {"summary", [](Input& i, const std::string& s) { i.reports[0].summary = s; }},
      {"profile", [](Input& i, const std::string& s) { i.reports[0].profile = s; }},
      {"scale", [](Input& i, const std::string& s) { i.reports[0].scale = s; }},
      {"settings", [](Input& i, const std::string& s) { i.reports[0].settings_json = s; }},
      {"setting",
       [](Input& i, const std::string& s) {
         i.reports[0].settings_json = "{" + json_string(s) + ":" + json_string(s) + "}";
       }},
      {"curve id",
       [](Input& i, const std::string& s) {
         i.reports[0].curves[0].id = i.reports[0].figures[0].curves[0] = s;
         i.reports[0].curves[0].label.clear();
       }},
      {"curve label", [](Input& i, const std::string& s) { i.reports[0].curves[0].label = s; }},
      {"figure id", [](Input& i, const std::string& s) { i.reports[0].figures[0].id = s; }},
      {"figure title", [](Input& i, const std::string& s) { i.reports[0].figures[0].title = s; }},
      {"x label", [](Input& i, const std::string& s) { i.reports[0].figures[0].x_label = s; }},
      {"y label", [](Input& i, const std::string& s) { i.reports[0].figures[0].y_label = s; }},
      {"caption", [](Input& i, const std::string& s) { i.reports[0].figures[0].caption = s; }},
      {"table title", [](Input& i, const std::string& s) { i.reports[0].tables[0].title = s; }},
      {"column", [](Input& i, const std::string& s) { i.reports[0].tables[0].columns[0] = s; }},
      {"cell", [](Input& i, const std::string& s) { i.reports[0].tables[0].rows[0][1] = s; }},
      {"claim id", [](Input& i, const std::string& s) { i.reports[0].claims[0].id = s; }},
      {"claim", [](Input& i, const std::string& s) { i.reports[0].claims[0].paper = s; }},
      {"measured", [](Input& i, const std::string& s) { i.reports[0].claims[0].measured = s; }},
      {"why", [](Input& i, const std::string& s) { i.reports[0].claims[1].why = s; }},
      {"number", [](Input& i, const std::string& s) { i.reports[0].numbers[0].id = s; }},
      {"assumption", [](Input& i, const std::string& s) { i.reports[0].assumptions[0] = s; }},
      {"warning", [](Input& i, const std::string& s) { i.reports[0].warnings[0] = s; }}};
  return list;
}

/// Attacks on each way out of each context, bare and wrapped in ordinary text.
std::vector<std::string> payloads() {
  const std::vector<std::string> cores = {
      "<img src=x onerror=alert(1)>",
      "</script><script>alert(1)</script>",
      "\"><svg/onload=alert(1)>",
      "'><svg/onload=alert(1)>",
      "\" onmouseover=\"alert(1)",
      "' onmouseover='alert(1)",
      "javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "{{7*7}}",
      "${alert(1)}",
      "#{7*7}",
      "<%= 7*7 %>",
      "]]>",
      "<![CDATA[",
      "<!--",
      "-->",
      "<!doctype x>",
      "<?xml version=\"1.0\"?>",
      "&lt;script&gt;",
      "&#60;script&#62;",
      "&amp;amp;",
      "&",
      "&#x;",
      "</title><script>alert(1)</script>",
      "</style><script>alert(1)</script>",
      "</svg><script>alert(1)</script>",
      "</text><foreignObject>",
      "</pre></details><h1>",
      "</td></tr></table>",
      "<a href=javascript:alert(1)>x</a>",
      "<base href=//x>",
      "<meta http-equiv=refresh content=0>",
      "<style>*{display:none}</style>",
      "<plaintext>",
      "<textarea>",
      "<template>",
      "url(http://x)",
      "@import 'x'",
      "expression(alert(1))",
      "\\\"",
      "\\",
      "\\u003cscript\\u003e",
      "\",\"x\":\"",
      "\u2028",
      "\u2029",
      "\u202Egnp.exe",
      "\u200B\uFEFF",
      std::string("nul\0byte", 8),
      "\x1b[2J\x07",
      "\xff\xfe\xc0\x80",
      "\xed\xa0\x80",
      "\n\n\t ",
      "\r\n<br>",
      std::string(10000, 'A'),
      std::string(3000, '<'),
      "=cmd|'/c calc'!A1",
      "../../x",
      "%s%n%x",
      "{}{0}{:d}",
      "因果 ＜script＞",
      "😀<😀>",
  };
  std::vector<std::string> out = cores;
  for (const std::string& core : cores) out.push_back("P(B | " + core + ") of A");
  return out;
}

TEST(ReportPage, IsWellFormedAndHasItsLandmarks) {
  const std::string page = sample().page();
  const test::MarkupReader read(page);
  for (std::string_view part :
       {"<!doctype html>", "<html lang=\"en\">", "<header", "<nav", "<main", "<footer",
        "<h1>Report</h1>", "name=\"viewport\"", "<td role=\"cell\">It grows <code", "Does not hold",
        "Why not", "because", "whence reproduce belief", "seed 42", "revision abcdef",
        "<figcaption>Look.</figcaption>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(ReportPage, SaysWhoseAClaimIs) {
  Input input = sample();
  EXPECT_EQ(input.page().find("The paper says"), std::string::npos);  // nothing is the paper's
  for (Report& report : input.reports) {
    report.claims[0].kind = ClaimKind::paper;
    report.claims[1].kind = ClaimKind::control;
  }
  const std::string page = input.page();
  for (std::string_view part :
       {"2 claims of the paper hold<", "<h3>The paper’s claims</h3>",
        "<h3>Controls: no claims of the paper</h3>",
        "2 of 2 claims of the paper hold; controls 0 of 2",
        "<span class=\"whose\">Control</span> It ends", "class=\"holds paper\""})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("not hold</span></p>"), std::string::npos);  // a control is no failure of it
}

TEST(ReportPage, AQuickLookJudgesNothing) {
  Input input = sample();
  for (Report& report : input.reports) report.scale = "smoke";
  const std::string page = input.page().substr(0, input.page().find("<script"));
  EXPECT_NE(page.find("A quick look, too few runs to judge"), std::string::npos);
  EXPECT_NE(page.find("Not seen in so few runs"), std::string::npos);
  for (std::string_view part :
       {"Does not hold", "do not hold", "does not hold", "Why not", "class=\"fails"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(ReportPage, FiguresComeBeforeTheTableOfClaims) {
  const std::string page = sample().page();
  EXPECT_LT(page.find("<figure"), page.find("id=\"claims\""));
  Input one = sample();
  one.reports.pop_back();
  const std::string single = one.page();
  EXPECT_EQ(single.find("id=\"claims\""), std::string::npos)
      << "its claims stand beside the figure";
  EXPECT_EQ(single.find(">It grows<"), single.rfind(">It grows<"));
}

TEST(ReportPage, HostileNamesChangeNoElementAndNoAttribute) {
  ASSERT_GE(payloads().size(), 100u);
  ASSERT_GE(sinks().size(), 8u);
  for (const auto& [name, put] : sinks()) {
    Input benign = sample();
    put(benign, "an ordinary name");
    const std::string skeleton = test::MarkupReader(benign.page()).skeleton;
    for (const std::string& payload : payloads()) {
      Input hostile = sample();
      put(hostile, payload);
      ASSERT_EQ(test::MarkupReader(hostile.page()).skeleton, skeleton) << name << ": " << payload;
    }
  }
}

TEST(ReportPage, NamesAreShownAsTheyAre) {
  const std::string name = "<b>&'\"</b> → 因果";
  for (const auto& [sink, put] : sinks()) {
    if (sink == "experiment" || sink == "figure id" || sink == "setting") continue;
    Input input = sample();
    put(input, name);
    bool found = false;
    for (const std::string& text : test::MarkupReader(input.page()).texts)
      found = found || test::unescaped(text).find(name) != std::string::npos;
    EXPECT_TRUE(found) << sink;
  }
}

TEST(ReportPage, AllNamesHostileAtOnceStayInsideTheIsland) {
  for (const std::string& payload : payloads()) {
    Input input = sample();
    for (const auto& [name, put] : sinks()) put(input, payload);
    const test::MarkupReader read(input.page());
    EXPECT_EQ(read.island.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(read.island.find("\u2028"), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(read.island)) << payload;
  }
}

TEST(ReportPage, TheIslandHoldsTheCurves) {
  Input input = sample();
  input.reports[0].figures[0].x_label = "</script>\u2028&";
  const auto json = nlohmann::json::parse(test::MarkupReader(input.page()).island);
  const auto& figure = json.at("figures").at(0);
  EXPECT_EQ(figure.at("x_label"), input.reports[0].figures[0].x_label);
  const auto& curve = figure.at("curves").at(0);
  EXPECT_EQ(curve.at("label"), "N = 10");
  EXPECT_EQ(json.at("x").at(curve.at("x").get<std::size_t>()), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(json.at("x").size(), 1u) << "equal x values are kept once";
  EXPECT_EQ(curve.at("median").dump(), "[0.5,null,1]");
  EXPECT_EQ(curve.at("q75").dump(), "[0.6,0.8,1]");
}

TEST(ReportPage, LoadsNothingAndRunsNothingElse) {
  const std::string page = sample().page();
  const test::MarkupReader read(page);
  for (std::string_view word : {"http:", "https:", "//", "eval(", "innerHTML", "document.write",
                                "fetch(", "XMLHttpRequest", "@import", "url("}) {
    if (word == "//") {  // comments of the script aside
      EXPECT_EQ(read.style.find(word), std::string::npos);
      continue;
    }
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
  for (const std::string& attribute : read.attributes) {
    EXPECT_NE(attribute.substr(0, 6), "style=") << "the policy forbids inline styles";
    EXPECT_NE(attribute.substr(0, 2), "on") << attribute;
    if (attribute.substr(0, 5) == "href=") {
      EXPECT_TRUE(attribute[5] == '#' || attribute == "href=data:,") << attribute;
    }
    EXPECT_NE(attribute.substr(0, 4), "src=") << attribute;
  }
}

TEST(ReportPage, IdsAreUniqueAndLinksLeadSomewhere) {
  Input input = sample();
  input.reports[1].experiment = "BELIEF!";  // the same id as the first, but for the number
  std::vector<std::string> ids, links;
  for (const std::string& attribute : test::MarkupReader(input.page()).attributes) {
    if (attribute.substr(0, 3) == "id=") ids.push_back(attribute.substr(3));
    if (attribute.substr(0, 6) == "href=#") links.push_back(attribute.substr(6));
  }
  for (const std::string& id : ids) EXPECT_EQ(std::count(ids.begin(), ids.end(), id), 1) << id;
  for (const std::string& link : links)
    EXPECT_EQ(std::count(ids.begin(), ids.end(), link), 1) << link;
}

TEST(ReportPage, APageOfOneReportSaysItsTitleAndAnswerOnce) {
  Input input = sample();
  input.reports.pop_back();
  input.info.title = input.reports[0].title = "Only once";
  input.info.lead = input.reports[0].summary = "Said once.";
  const test::MarkupReader read(input.page());
  EXPECT_EQ(std::count(read.texts.begin(), read.texts.end(), "Only once"), 2) << "title and h1";
  EXPECT_EQ(std::count(read.texts.begin(), read.texts.end(), "Said once."), 1);
}

TEST(ReportPage, EqualInputGivesEqualBytes) { EXPECT_EQ(sample().page(), sample().page()); }

TEST(ReportPage, SaysSomethingSensibleAboutNothing) {
  EXPECT_NO_THROW(test::MarkupReader{report_page({}, {})});
  const std::vector<Report> empty(3);
  EXPECT_NO_THROW(test::MarkupReader{report_page(empty, {})});
  Input input = sample();
  input.reports[0].figures[0].curves = {"missing"};
  input.reports[0].tables[0].rows = {{}, {"too", "many", "cells"}};
  EXPECT_NO_THROW(test::MarkupReader{input.page()});
}

}  // namespace
}  // namespace whence
