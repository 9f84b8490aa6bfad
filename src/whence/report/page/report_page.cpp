#include "whence/report/page/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "whence/core/claim_tally.hpp"
#include "whence/core/error.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/json/markup.hpp"
#include "whence/report/page/page_assets.hpp"
#include "whence/report/page/svg_figure.hpp"

namespace whence {
namespace {

/// Curves of one figure, found by id.
std::vector<const Curve*> curves_of(const Figure& figure, const Report& report) {
  std::vector<const Curve*> out;
  for (const std::string& id : figure.curves) {
    const auto same = [&](const Curve& curve) { return curve.id == id; };
    const auto found = std::find_if(report.curves.begin(), report.curves.end(), same);
    if (found != report.curves.end()) out.push_back(&*found);
  }
  return out;
}

std::string element(std::string_view tag, std::string_view attributes, std::string_view text) {
  return fmt::format("<{}{}{}>{}</{}>\n", tag, attributes.empty() ? "" : " ", attributes,
                     escape_markup(text), tag);
}

/// Words as an element; nothing when there are none.
std::string optional_element(std::string_view tag, std::string_view attributes,
                             std::string_view text) {
  return text.empty() ? "" : element(tag, attributes, text);
}

// ---- the data island --------------------------------------------------------------------------

/// Five digits are finer than any screen; the exact numbers are in result.json.
std::string json_numbers(const std::vector<double>& values) {
  std::string out = "[";
  for (double value : values) {
    if (out.size() > 1) out += ',';
    out += std::isfinite(value) ? fmt::format("{:.5g}", value) : "null";
  }
  return out + "]";
}

std::string json_places(const std::vector<double>& values) {
  std::string out = "[";
  for (double value : values) {
    if (out.size() > 1) out += ',';
    out += std::isfinite(value) ? fmt::format("{}", value) : "null";
  }
  return out + "]";
}

/// Curves mostly share their x values, so these are kept once.
std::string island(std::span<const Report> reports, const GraphView* graph) {
  std::map<std::string, std::size_t> places;
  std::vector<std::string> order;
  std::string figures;
  for (const Report& report : reports)
    for (const Figure& figure : report.figures) {
      std::string curves;
      for (const Curve* curve : curves_of(figure, report)) {
        const auto [at, fresh] = places.emplace(json_places(curve->x), places.size());
        if (fresh) order.push_back(at->first);
        curves += fmt::format("{}{{\"label\":{},\"x\":{},\"median\":{},\"q25\":{},\"q75\":{}}}",
                              curves.empty() ? "" : ",", json_string(curve->label), at->second,
                              json_numbers(curve->median), json_numbers(curve->q25),
                              json_numbers(curve->q75));
      }
      figures +=
          fmt::format("{}{{\"id\":{},\"x_label\":{},\"curves\":[{}]}}", figures.empty() ? "" : ",",
                      json_string(figure.id), json_string(figure.x_label), curves);
    }
  return fmt::format("{{\"x\":[{}],\"figures\":[{}]{}}}", fmt::join(order, ","), figures,
                     graph ? ",\"graph\":" + graph_island(*graph) : "");
}

// ---- claims -----------------------------------------------------------------------------------

std::string verdict(bool holds, std::string_view words) {
  return fmt::format(
      "<span class=\"verdict{}\"><svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">"
      "<circle cx=\"8\" cy=\"8\" r=\"7.2\" fill=\"none\" stroke=\"currentColor\" "
      "stroke-width=\"1.4\"/><path d=\"{}\" fill=\"none\" stroke=\"currentColor\" "
      "stroke-width=\"1.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>{}</span>",
      holds ? " holds" : "",
      holds ? "M4.8 8.4l2.2 2.2 4.3-5" : "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2", words);
}

/// In a quick look what does not show may still hold.
std::string verdict(const Claim& claim, bool quick) {
  if (claim.holds) return verdict(true, "Holds");
  return quick ? "<span class=\"verdict quick\">Not seen in so few runs</span>"
               : verdict(false, "Does not hold");
}

/// Distinguishes claims in equal words, and is the id of the same claim in result.json.
std::string claim_id(const Claim& claim) {
  return fmt::format("<code class=\"id\">{}</code>", escape_markup(claim.id));
}

std::string claim_entry(const Claim& claim, bool quick) {
  std::string out = fmt::format("<article class=\"claim\">\n<p>{} {}</p>\n<dl>\n",
                                verdict(claim, quick), claim_id(claim));
  out += fmt::format("<dt>{}</dt>\n", said_by(claim.kind)) +
         element("dd", "class=\"paper\"", claim.paper);
  out += "<dt>Measured here</dt>\n" + element("dd", "", claim.measured);
  if (!claim.why.empty())
    out += fmt::format("<dt>{}</dt>\n", claim.holds || quick ? "Remark" : "Why not") +
           element("dd", "", claim.why);
  return out + "</dl>\n</article>\n";
}

/// Claims under the name of their kind, the paper's first.
std::string claims_by_kind(const Report& report) {
  std::string out;
  for (ClaimKind kind : all_claim_kinds) {
    std::string entries;
    for (const Claim& claim : report.claims)
      if (claim.kind == kind) entries += claim_entry(claim, is_quick_look(report));
    if (!entries.empty()) out += element("h3", "", heading_of(kind)) + entries;
  }
  return out;
}

/// The kind of all claims, or nothing where several kinds stand side by side.
std::optional<ClaimKind> only_kind(const ClaimTally& tally) {
  for (ClaimKind kind : all_claim_kinds)
    if (tally.of(kind).all == tally.all()) return kind;
  return std::nullopt;
}

std::string claim_row(const Claim& claim, bool with_kind, bool quick) {
  const std::string whose =
      with_kind ? fmt::format("<span class=\"whose\">{}</span> ", said_by(claim.kind)) : "";
  return fmt::format(
      "<tr role=\"row\" class=\"{}{}\"><td role=\"cell\">{}</td><td role=\"cell\">{}{} {}</td>"
      "<td role=\"cell\">{}</td>",
      claim.holds ? "holds"
      : quick     ? "quick"
                  : "fails",
      with_kind && claim.kind == ClaimKind::paper ? " paper" : "", verdict(claim, quick), whose,
      escape_markup(claim.paper), claim_id(claim), escape_markup(claim.measured));
}

/// Of several experiments: all claims in one table, which can be filtered. A page about one has
/// them beside its figures.
std::string all_claims(std::span<const Report> reports, const std::vector<std::string>& ids) {
  const ClaimTally tally(reports);
  if (tally.all() == 0 || reports.size() < 2) return {};
  const bool with_kind = !only_kind(tally);
  // The roles keep this a table where the style shows it as a list (narrow screens).
  std::string out =
      "<section id=\"claims\" aria-labelledby=\"claims-title\">\n"
      "<h2 id=\"claims-title\">What holds, and what does not</h2>\n"
      "<table class=\"all-claims\" role=\"table\">\n<thead role=\"rowgroup\">\n<tr role=\"row\">";
  const std::string_view statement = with_kind ? "Statement" : said_by(*only_kind(tally));
  for (std::string_view name : {std::string_view("Verdict"), statement,
                                std::string_view("Measured here"), std::string_view("Experiment")})
    out += fmt::format("<th role=\"columnheader\" scope=\"col\">{}</th>", name);
  out += "</tr>\n</thead>\n<tbody role=\"rowgroup\">\n";
  for (std::size_t i = 0; i < reports.size(); ++i)
    for (const Claim& claim : reports[i].claims) {
      out += claim_row(claim, with_kind, is_quick_look(reports[i]));
      out += fmt::format("<td role=\"cell\"><a href=\"#{}\">{}</a></td>", ids[i],
                         escape_markup(reports[i].title));
      out += "</tr>\n";
    }
  return out + "</tbody>\n</table>\n</section>\n";
}

// ---- figures ----------------------------------------------------------------------------------

/// What the curves are worth at their end; the script shows other places.
std::string key_row(const Curve& curve, std::size_t index, double x) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < curve.x.size(); ++i)
    if (std::fabs(curve.x[i] - x) < std::fabs(curve.x[at] - x)) at = i;
  const auto value = [&](const std::vector<double>& list) {
    return at < list.size() ? list[at] : NAN;
  };
  const double q25 = value(curve.q25), q75 = value(curve.q75);
  const bool band = std::isfinite(q25) && std::isfinite(q75);
  return fmt::format(
      "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><span class=\"name\">{}"
      "<span>{}</span></span></th>"
      "<td role=\"cell\" class=\"num median\">{}</td>"
      "<td role=\"cell\" class=\"num quartiles\">{}</td></tr>\n",
      svg_key_line(index), escape_markup(curve.label.empty() ? curve.id : curve.label),
      human_number(value(curve.median)),
      band ? human_number(q25) + " to " + human_number(q75) : "–");
}

std::string key(const Figure& figure, const std::vector<const Curve*>& curves,
                const PageInfo& info) {
  double last = -INFINITY;
  for (const Curve* curve : curves)
    for (double x : curve->x)
      if (std::isfinite(x)) last = std::max(last, x);
  std::string out = fmt::format(
      "<table class=\"key\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">"
      "<th role=\"columnheader\" scope=\"col\"><span class=\"at\">{} = {}</span></th>"
      "<th role=\"columnheader\" scope=\"col\" class=\"num\">{}</th>"
      "<th role=\"columnheader\" scope=\"col\" class=\"num\">{}</th></tr></thead>\n"
      "<tbody role=\"rowgroup\">\n",
      escape_markup(figure.x_label), human_number(last, 6), info.random ? "median" : "value",
      info.random ? "25–75\u00a0%" : "range");
  for (std::size_t i = 0; i < curves.size(); ++i) out += key_row(*curves[i], i, last);
  return out + "</tbody>\n</table>\n";
}

/// Points have no value to read off: the key is their names.
std::string scatter_key(const Figure& figure, const std::vector<const Curve*>& curves) {
  std::string out = "<table class=\"key\" role=\"table\">\n<tbody role=\"rowgroup\">\n";
  for (std::size_t i = 0; i < curves.size(); ++i)
    out += fmt::format(
        "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><span class=\"name\">{}"
        "<span>{}</span></span></th></tr>\n",
        curves[i]->id == figure.fit ? svg_key_line(svg_fit_look) : svg_key_line(i, true),
        escape_markup(curves[i]->label.empty() ? curves[i]->id : curves[i]->label));
  return out + "</tbody>\n</table>\n";
}

std::string figure_element(const Figure& figure, const Report& report, std::size_t number,
                           const PageInfo& info) {
  const auto curves = curves_of(figure, report);
  // The script reads values off lines; it leaves a figure without a number alone.
  std::string out =
      figure.scatter ? "<figure>\n" : fmt::format("<figure data-figure=\"{}\">\n", number);
  out += element("h3", "", figure.title);
  out += "<div class=\"plot\">\n<div class=\"wide\">" +
         svg_plot(figure, report.curves, {640, 380}) + "</div>\n<div class=\"narrow\">" +
         svg_plot(figure, report.curves, {340, 300}) + "</div>\n</div>\n";
  if (!curves.empty())
    out += figure.scatter ? scatter_key(figure, curves) : key(figure, curves, info);
  return out + optional_element("figcaption", "", figure.caption) + "</figure>\n";
}

// ---- tables and numbers -----------------------------------------------------------------------

bool looks_numeric(std::string_view cell) {
  static constexpr std::string_view number_like = "0123456789+-.,eE%±×≤≥<>= \u2212\u2013\u2009∞";
  if (cell.empty()) return true;
  const bool digit = cell.find_first_of("0123456789") != std::string_view::npos;
  return (digit || cell == "–" || cell == "-") &&
         cell.find_first_not_of(number_like) == std::string_view::npos;
}

/// A column of numbers is set flush right; right and wrong get their sign.
std::string_view cell_class(std::string_view cell, bool numeric_column) {
  const std::string_view word = cell.substr(0, cell.find(':'));  // "wrong: nothing supports it"
  if (word == "right" || word == "yes" || word == "holds") return "yes";
  if (word == "wrong" || word == "no" || word == "does not hold") return "no";
  return numeric_column ? "num" : cell.size() > 40 ? "long" : "text";
}

std::vector<bool> numeric_columns(const Table& table) {
  std::vector<bool> out(table.columns.size(), !table.rows.empty());
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < out.size() && c < row.size(); ++c)
      out[c] = out[c] && looks_numeric(row[c]);
  return out;
}

std::string table_element(const Table& table) {
  const auto numeric = numeric_columns(table);
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n"
      "<table class=\"data\">\n<thead><tr>",
      escape_markup(table.title));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    out += fmt::format("<th scope=\"col\" class=\"{}\">{}</th>", numeric[c] ? "num" : "text",
                       escape_markup(table.columns[c]));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out +=
          fmt::format("<td class=\"{}\">{}</td>",
                      cell_class(row[c], c < numeric.size() && numeric[c]), escape_markup(row[c]));
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string tables(const Report& report) {
  std::string out;
  for (const Table& table : report.tables)
    out += "<div class=\"part\">\n" + element("h3", "", table.title) + table_element(table) +
           "</div>\n";
  return out;
}

/// Many numbers would drown the page; they are folded, not left out.
std::string numbers(const Report& report) {
  if (report.numbers.empty()) return {};
  std::string list = "<dl class=\"numbers\">\n";
  for (const Number& number : report.numbers)
    list += "<div>" + element("dt", "", number.id) +
            element("dd", "", human_number(number.value, 6)) + "</div>\n";
  list += "</dl>\n";
  if (report.numbers.size() > 18)
    return fmt::format("<details>\n<summary>All {} numbers</summary>\n{}</details>\n",
                       report.numbers.size(), list);
  return "<h3>Numbers</h3>\n" + list;
}

// ---- notes and settings -----------------------------------------------------------------------

std::string note_list(const std::vector<std::string>& notes) {
  std::string out = "<ul>\n";
  for (const std::string& note : notes) out += element("li", "", note);
  return out + "</ul>\n";
}

std::string warnings(const Report& report) {
  if (report.warnings.empty()) return {};
  return "<div class=\"warnings\">\n<h3><svg class=\"icon\" viewBox=\"0 0 16 16\" "
         "aria-hidden=\"true\"><path d=\"M8 1.8l6.6 12H1.4zM8 6.2v3.6M8 11.7v.2\" fill=\"none\" "
         "stroke=\"currentColor\" stroke-width=\"1.5\" stroke-linecap=\"round\" "
         "stroke-linejoin=\"round\"/></svg>Warnings</h3>\n" +
         note_list(report.warnings) + "</div>\n";
}

/// A page about a user's data shows its warnings right below the graph.
bool warns_early(const PageInfo& info) { return info.graph != nullptr; }

std::string notes(const Report& report, const PageInfo& info) {
  std::string out = warns_early(info) ? "" : warnings(report);
  if (!report.assumptions.empty())
    out += "<div>\n<h3>Assumptions</h3>\n" + note_list(report.assumptions) + "</div>\n";
  return out.empty() ? out : "<div class=\"part notes\">\n" + out + "</div>\n";
}

/// One setting per line where the text is JSON; as it stands where it is not.
std::string indented(const std::string& text) {
  try {
    return read_json(text, "settings").dump(2);
  } catch (const Error&) {
    return text;
  }
}

std::string settings(const Report& report) {
  if (report.settings_json.empty()) return {};
  return "<details>\n<summary>Settings of this run</summary>\n" +
         element("pre", "tabindex=\"0\"", indented(report.settings_json)) + "</details>\n";
}

// ---- the page ---------------------------------------------------------------------------------

std::string provenance(const Report& report, const PageInfo& info) {
  if (!info.random) return {};
  std::string out = "<p class=\"eyebrow\">";
  out += fmt::format("<span>{}</span>", escape_markup(report.experiment));
  if (!report.profile.empty())
    out += fmt::format("<span>profile {}</span>", escape_markup(report.profile));
  if (!report.scale.empty())
    out += fmt::format("<span>scale {}</span>", escape_markup(report.scale));
  return out + fmt::format("<span>seed {}</span></p>\n", report.seed);
}

/// What the top of the page has said is not said again.
std::string heading(const Report& report, const std::string& id, const PageInfo& info) {
  const bool said = report.title == info.title;
  return element("h2", fmt::format("id=\"{}-title\"", id),
                 said ? "Figures and measurements" : report.title) +
         optional_element("p", "class=\"summary\"",
                          report.summary == info.lead ? "" : report.summary);
}

/// Many pictures of the same kind stand side by side.
bool small_multiples(const Report& report) {
  return report.figures.size() > 2 &&
         std::all_of(report.figures.begin(), report.figures.end(),
                     [](const Figure& figure) { return !figure.fit.empty(); });
}

std::string experiment(const Report& report, const std::string& id, const PageInfo& info,
                       std::size_t& figures) {
  std::string out = fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n", id);
  out += provenance(report, info) + heading(report, id, info);
  std::string drawn;
  const std::string said = claims_by_kind(report);
  for (const Figure& figure : report.figures)
    drawn += figure_element(figure, report, figures++, info);
  // The evidence first, the claims beside it: figures, or else the tables.
  if (drawn.empty()) {
    out += tables(report);
    if (!said.empty()) out += "<div class=\"part claims-only\">\n" + said + "</div>\n";
  } else {
    out += fmt::format(
        "<div class=\"pair{}\">\n<div class=\"figures{}\">\n{}</div>\n"
        "<div class=\"claims\">\n{}</div>\n</div>\n",
        said.empty() ? "" : " both", small_multiples(report) ? " many" : "", drawn, said);
    out += tables(report);
  }
  out += notes(report, info);
  const std::string folded = numbers(report) + settings(report);
  if (!folded.empty()) out += "<div class=\"part\">\n" + folded + "</div>\n";
  return out + "</section>\n";
}

/// The paper's claims, or Whence's own aims where there are none; the rest in one line below.
std::string top_tally(const ClaimTally& tally) {
  if (tally.all() == 0) return {};
  if (tally.quick())
    return element(
        "p", "class=\"tally\"",
        "A quick look, too few runs to judge the claims: what shows here may not hold, and "
        "the reverse. --scale full is the real run.");
  const bool papers = tally.of(ClaimKind::paper).all > 0;
  const auto [holds, all] = tally.of(papers ? ClaimKind::paper : ClaimKind::aim);
  const std::size_t fails = all - holds;
  const std::string_view whose = papers ? " of the paper" : "";
  std::string out;
  if (holds > 0)
    out += verdict(true, fmt::format("{} claim{}{} hold{}", holds, holds == 1 ? "" : "s", whose,
                                     holds == 1 ? "s" : ""));
  if (fails > 0)
    out += verdict(false, fmt::format("{} claim{}{} {} not hold", fails, fails == 1 ? "" : "s",
                                      whose, fails == 1 ? "does" : "do"));
  if (!out.empty()) out = "<p class=\"tally\">" + out + "</p>\n";
  return only_kind(tally) ? out : out + element("p", "class=\"whose\"", tally.in_words() + ".");
}

std::string top(std::span<const Report> reports, const PageInfo& info) {
  std::string out = "<header class=\"top\">\n<p class=\"eyebrow\">Whence report</p>\n";
  out += element("h1", "", info.title);
  out += optional_element("p", "class=\"lead\"", info.lead);
  out += top_tally(ClaimTally(reports));
  return out + "</header>\n";
}

std::string contents(std::span<const Report> reports, const std::vector<std::string>& ids) {
  if (reports.size() < 2) return {};
  std::string out = "<nav class=\"contents\" aria-label=\"Experiments\">\n<ol>\n";
  for (std::size_t i = 0; i < reports.size(); ++i)
    out += fmt::format("<li><a href=\"#{}\">{}</a> <small>{}</small></li>\n", ids[i],
                       escape_markup(reports[i].title),
                       escape_markup(ClaimTally(reports[i]).in_words()));
  return out + "</ol>\n</nav>\n";
}

std::string colophon(const PageInfo& info) {
  std::string out = "<footer class=\"colophon\">\n<h2>How to reproduce this page</h2>\n";
  if (!info.command.empty())
    out += element("pre", "class=\"command\" tabindex=\"0\"", info.command);
  out += info.random
             ? "<p>Equal settings and an equal seed give equal numbers, whatever the number of "
               "threads. Lines in the figures are medians over runs, bands reach from the "
               "25\u00a0% to the 75\u00a0% quantile.</p>\n"
             : "<p>Equal data and equal options give equal numbers, whatever the number of "
               "threads.</p>\n";
  out += "<p class=\"eyebrow\">";
  out += fmt::format("<span>Whence {}</span>", escape_markup(info.version));
  if (!info.revision.empty())
    out += fmt::format("<span>revision {}</span>", escape_markup(info.revision));
  return out + "</p>\n</footer>\n";
}

/// One id per report, readable and unique, whatever the experiments are called.
std::vector<std::string> section_ids(std::span<const Report> reports) {
  std::vector<std::string> out;
  for (const Report& report : reports) {
    std::string id = "run-" + slug(report.experiment);
    if (std::find(out.begin(), out.end(), id) != out.end())
      id += fmt::format("-{}", out.size() + 1);
    out.push_back(std::move(id));
  }
  return out;
}

/// A hash as a policy spells it: base64, which is two letters for every three hexadecimal digits.
std::string hash_source(std::string_view text) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = sha256_hex(text) + "00";  // 64 digits are 21 threes and one
  std::string out;
  for (std::size_t i = 0; i < 64; i += 3) {
    unsigned bits = 0;
    for (char digit : hex.substr(i, 3))
      bits = bits * 16 + unsigned(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    out += letters[bits >> 6];
    out += letters[bits & 63];
  }
  out.back() = '=';  // the last letter holds no bit of the hash
  return "'sha256-" + out + "'";
}

std::string head(const PageInfo& info, const std::string& style, std::string_view script) {
  return fmt::format(
      "<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
      "script-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n",
      hash_source(style), hash_source(script), escape_markup(info.title), style);
}

}  // namespace

std::string report_page(std::span<const Report> reports, const PageInfo& info) {
  const std::string style = page_style() + std::string(info.graph ? graph_style() : "");
  const std::string script =
      std::string(page_script()) + std::string(info.graph ? graph_script() : "");
  const auto ids = section_ids(reports);
  std::string out = "<!doctype html>\n<html lang=\"en\">\n" + head(info, style, script);
  out += "<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<div class=\"wrap\">\n";
  out += top(reports, info) + contents(reports, ids);
  out += "<main id=\"main\" tabindex=\"-1\">\n";
  if (info.graph) {
    out += graph_section(*info.graph);
    for (const Report& report : reports) out += warnings(report);
    out += changes_sections(*info.graph);
  }
  std::size_t figures = 0;
  for (std::size_t i = 0; i < reports.size(); ++i)
    out += experiment(reports[i], ids[i], info, figures);
  out += all_claims(reports, ids);
  out += "</main>\n" + colophon(info) + "</div>\n";
  out += "<script type=\"application/json\" id=\"whence-data\">" + island(reports, info.graph) +
         "</script>\n";
  out += fmt::format("<script>{}</script>\n</body>\n</html>\n", script);
  return out;
}

}  // namespace whence
