#include "whence/report/report_bytes.hpp"

#include "whence/core/error.hpp"
#include "whence/core/shared_work.hpp"

namespace whence {

namespace {

/// One description of every part for both ways: `Bytes` writes or reads what it is given.
struct Writing {
  ByteWriter bytes;
  void operator()(const std::string& text) { bytes.put_text(text); }
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void operator()(const Value& value) { bytes.put(value); }
  template <class Value, class Each>
  void list(const std::vector<Value>& values, const Each& each) {
    bytes.put(values.size());
    for (const Value& value : values) each(*this, value);
  }
};

struct Reading {
  ByteReader bytes;
  void operator()(std::string& text) { text = bytes.get_text(); }
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void operator()(Value& value) { value = bytes.get<Value>(); }
  template <class Value, class Each>
  void list(std::vector<Value>& values, const Each& each) {
    for (auto left = bytes.get<std::size_t>(); left > 0 && !bytes.failed(); --left)
      each(*this, values.emplace_back());
  }
};

constexpr auto plain = [](auto& way, auto& value) { way(value); };

template <class Way, class AnyReport>
void each_part(Way& way, AnyReport& report) {
  way(report.experiment), way(report.title), way(report.summary), way(report.profile);
  way(report.scale), way(report.seed), way(report.settings_json);
  way.list(report.curves, [](auto& w, auto& curve) {
    w(curve.id), w(curve.label);
    w.list(curve.x, plain), w.list(curve.median, plain);
    w.list(curve.q25, plain), w.list(curve.q75, plain);
  });
  way.list(report.figures, [](auto& w, auto& figure) {
    w(figure.id), w(figure.title), w(figure.x_label), w(figure.y_label);
    w.list(figure.curves, plain);
    w(figure.caption), w(figure.log_x), w(figure.log_y), w(figure.y_min), w(figure.y_max);
    w(figure.scatter), w(figure.fit);
  });
  way.list(report.tables, [](auto& w, auto& table) {
    w(table.id), w(table.title);
    w.list(table.columns, plain);
    w.list(table.rows, [](auto& v, auto& row) { v.list(row, plain); });
  });
  way.list(report.claims, [](auto& w, auto& claim) {
    w(claim.id), w(claim.paper), w(claim.measured), w(claim.holds), w(claim.why), w(claim.kind);
  });
  way.list(report.numbers, [](auto& w, auto& number) { w(number.id), w(number.value); });
  way.list(report.assumptions, plain), way.list(report.warnings, plain);
  way(report.failed_runs);
}

}  // namespace

std::string report_bytes(const Report& report) {
  Writing way;
  each_part(way, report);
  return way.bytes.take();
}

Report report_of_bytes(std::string_view bytes) {
  Reading way{ByteReader(bytes)};
  Report report;
  each_part(way, report);
  if (!way.bytes.whole())
    throw Error(ExitCode::checkpoint, "E-CHECKPOINT-DAMAGED", "",
                "a kept report does not hold what it should",
                "delete the checkpoint and start again");
  return report;
}

}  // namespace whence
