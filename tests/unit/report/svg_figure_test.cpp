#include "whence/report/page/svg_figure.hpp"

#include <clocale>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/report/markup_reader.hpp"

namespace whence {
namespace {

Curve rising(const std::string& id, int points, double scale = 100) {
  Curve curve{id, "label of " + id, {}, {}, {}, {}};
  for (int i = 0; i < points; ++i) {
    const double y = 1 / (1 + std::exp(-i / scale));
    curve.x.push_back(i);
    curve.median.push_back(y);
    curve.q25.push_back(y - 0.02);
    curve.q75.push_back(y + 0.02);
  }
  return curve;
}

Figure figure_of(std::vector<std::string> ids) {
  Figure figure;
  figure.id = "f", figure.title = "Title", figure.x_label = "episodes", figure.y_label = "belief";
  figure.curves = std::move(ids);
  return figure;
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
  return n;
}

TEST(SvgFigure, IsWellFormedAndTellsWhatItShows) {
  const std::vector<Curve> curves = {rising("a", 1000), rising("b", 1000, 40)};
  const std::string svg = svg_figure(figure_of({"a", "b"}), curves);
  const test::MarkupReader read(svg);
  EXPECT_NE(svg.find("role=\"img\""), std::string::npos);
  EXPECT_NE(svg.find("<title>Title</title>"), std::string::npos);
  EXPECT_NE(svg.find("label of a: 0.5 at 0, 1 at 999."), std::string::npos);
  EXPECT_NE(read.style.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(SvgFigure, EqualInputGivesEqualBytesInEveryLocale) {
  const std::vector<Curve> curves = {rising("a", 100)};
  const std::string before = svg_figure(figure_of({"a"}), curves);
  const bool comma = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const std::string after = svg_figure(figure_of({"a"}), curves);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(before, after) << (comma ? "with decimal commas" : "same locale");
}

TEST(SvgFigure, StaysSmallForManyPoints) {
  const std::vector<Curve> curves = {rising("a", 100000), rising("b", 1000), rising("c", 1000)};
  EXPECT_LT(svg_figure(figure_of({"a", "b", "c"}), curves).size(), 40000u);
}

TEST(SvgFigure, GapsSplitTheLineAndLonePointsAreDots) {
  Curve curve = rising("a", 100);
  for (auto* values : {&curve.median, &curve.q25, &curve.q75}) (*values)[40] = (*values)[60] = NAN;
  const std::string gaps = svg_figure(figure_of({"a"}), std::vector{curve});
  const std::size_t path = gaps.find("fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" ");
  const std::size_t start = gaps.rfind("d=\"", path);
  EXPECT_EQ(count(gaps.substr(start, path - start), "M"), 3u);
  EXPECT_EQ(gaps.find("nan"), std::string::npos);

  const Curve one{"one", "", {3}, {0.5}, {0.4}, {0.6}};
  EXPECT_EQ(count(svg_figure(figure_of({"one"}), std::vector{one}), "<circle"), 1u);
}

TEST(SvgFigure, DrawsWhateverItIsGiven) {
  const double huge = 1e308;
  const std::vector<Curve> odd = {
      {"empty", "", {}, {}, {}, {}},
      {"nothing", "", {1, 2}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
      {"constant", "", {0, 1, 2}, {1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}},
      {"zero", "", {0, 1}, {0, 0}, {}, {}},
      {"huge", "", {-huge, huge}, {-huge, huge}, {-huge, -huge}, {huge, huge}},
      {"endless", "", {0, 1, 2}, {0, INFINITY, -INFINITY}, {0, 0, 0}, {1, 1, 1}},
      {"uneven", "", {0, 1, 2}, {5, 6}, {1}, {2, 3, 4, 5}},
      {"tiny", "", {0, 1}, {5e-324, 1e-310}, {}, {}},
      {"backwards", "", {3, 2, 1}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}};
  for (const Curve& curve : odd)
    for (int flags = 0; flags < 8; ++flags) {
      Figure figure = figure_of({curve.id, "missing"});
      figure.log_x = flags & 1, figure.log_y = flags & 2;
      if (flags & 4) figure.y_min = 0, figure.y_max = 1;
      for (const std::string& svg : {svg_figure(figure, odd), svg_plot(figure, odd, {340, 300})}) {
        EXPECT_NO_THROW(test::MarkupReader{svg}) << curve.id;
        EXPECT_EQ(svg.find("nan"), std::string::npos) << curve.id;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << curve.id;
        EXPECT_LT(svg.size(), 20000u);
      }
    }
  EXPECT_NE(svg_figure(figure_of({}), odd).find(">no data<"), std::string::npos);
}

TEST(SvgFigure, LogAxesPlacePowersOfTenEvenly) {
  const Curve curve{"a", "", {1, 10, 100}, {1, 10, 100}, {}, {}};
  Figure figure = figure_of({"a"});
  figure.log_x = figure.log_y = true;
  const std::string svg = svg_figure(figure, std::vector{curve});
  std::vector<double> x;
  for (std::size_t at = 0; (at = svg.find("<circle cx=\"", at)) != std::string::npos; ++at)
    x.push_back(std::stod(svg.substr(at + 12)));
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.2);
}

TEST(SvgFigure, TheRangeOfTheFigureIsKept) {
  Figure figure = figure_of({"a"});
  figure.y_min = -2, figure.y_max = 7;
  const std::string svg = svg_plot(figure, std::vector{rising("a", 10)}, {});
  EXPECT_NE(svg.find("data-y=\"-2 7 "), std::string::npos);
}

TEST(SvgFigure, ReferenceLinesWhereTheyMeanSomething) {
  Figure figure = figure_of({"a"});
  const std::vector curves{rising("a", 1000)};
  const auto has_line = [&](double low, double high) {
    figure.y_min = low, figure.y_max = high;
    return svg_figure(figure, curves).find("class=\"w-ref\"") != std::string::npos;
  };
  EXPECT_TRUE(has_line(0, 1)) << "one half on a probability axis";
  EXPECT_TRUE(has_line(-3, 2)) << "zero inside";
  EXPECT_FALSE(has_line(2, 9)) << "neither";
  EXPECT_FALSE(has_line(0, 0)) << "0.48 to 1 by chance, chosen from the data";
}

TEST(SvgFigure, LongNamesNeitherGrowNorBreakTheDrawing) {
  Curve curve = rising("a", 10);
  curve.label = std::string(10000, 'x');
  Figure figure = figure_of({"a"});
  figure.title = figure.y_label = std::string(9999, '<');
  const std::string svg = svg_figure(figure, std::vector{curve});
  EXPECT_NO_THROW(test::MarkupReader{svg});
  EXPECT_NE(svg.find("…"), std::string::npos);
}

}  // namespace
}  // namespace whence
