#include "whence/report/result_json.hpp"

#include <algorithm>
#include <cmath>

#include "whence/io/files/sha256.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

template <class Item, class Function>
Json listed(const std::vector<Item>& items, Function to_json) {
  Json list = Json::list();
  for (const Item& item : items) list.items.push_back(to_json(item));
  return list;
}

Json curve_json(const Curve& curve) {
  return Json::object({{"id", curve.id},
                       {"label", curve.label},
                       {"x", Json::list(curve.x)},
                       {"median", Json::list(curve.median)},
                       {"q25", Json::list(curve.q25)},
                       {"q75", Json::list(curve.q75)}});
}

Json table_json(const Table& table) {
  return Json::object(
      {{"id", table.id},
       {"title", table.title},
       {"columns", Json::list(table.columns)},
       {"rows", listed(table.rows, [](const auto& row) { return Json::list(row); })}});
}

Json claim_json(const Claim& claim) {
  return Json::object({{"id", claim.id},
                       {"kind", std::string(name_of(claim.kind))},
                       {"paper", claim.paper},
                       {"measured", claim.measured},
                       {"holds", claim.holds},
                       {"why", claim.why}});
}

Json provenance(const std::string& settings) {
  return Json::object({{"version", version()},
                       {"revision", revision()},
                       {"settings_sha256", sha256_hex(settings)}});
}

/// Names of curves and numbers that hold something that is not finite.
std::vector<std::string> not_finite(const Report& report) {
  const auto bad = [](double value) { return !std::isfinite(value); };
  std::vector<std::string> ids;
  for (const Curve& curve : report.curves)
    for (const auto* values : {&curve.x, &curve.median, &curve.q25, &curve.q75})
      if (std::any_of(values->begin(), values->end(), bad)) {
        ids.push_back(curve.id);
        break;
      }
  for (const Number& number : report.numbers)
    if (bad(number.value)) ids.push_back(number.id);
  return ids;
}

}  // namespace

Json result_json(const Report& report) {
  std::vector<std::string> warnings = report.warnings;
  for (const std::string& id : not_finite(report))
    warnings.push_back("'" + id + "' has values that are not finite; they are shown as null");
  return Json::object(
      {{"program", "whence"},
       {"format", result_format},
       {"version", version()},
       {"experiment", report.experiment},
       {"title", report.title},
       {"summary", report.summary},
       {"profile", report.profile},
       {"scale", report.scale},
       {"seed", report.seed},
       {"settings", report.settings_json.empty() ? Json::object()
                                                 : read_json(report.settings_json, "settings")},
       {"claims", listed(report.claims, claim_json)},
       {"numbers", listed(report.numbers,
                          [](const Number& n) {
                            return Json::object({{"id", n.id}, {"value", n.value}});
                          })},
       {"tables", listed(report.tables, table_json)},
       {"curves", listed(report.curves, curve_json)},
       {"assumptions", Json::list(report.assumptions)},
       {"warnings", Json::list(warnings)},
       {"provenance", provenance(report.settings_json)}});
}

Json result_json(std::span<const Report> reports, std::span<const FailedExperiment> failed) {
  Json experiments = Json::list(), failures = Json::list();
  for (const Report& report : reports) experiments.items.push_back(result_json(report));
  for (const FailedExperiment& f : failed)
    failures.items.push_back(
        Json::object({{"experiment", f.experiment}, {"error", f.id}, {"problem", f.problem}}));
  return Json::object({{"program", "whence"},
                       {"format", result_format},
                       {"version", version()},
                       {"experiments", std::move(experiments)},
                       {"failed", std::move(failures)}});
}

std::string result_text(const Json& result) { return result.dump(2) + "\n"; }

}  // namespace whence
