// The answer of find_encoder as result.json, as a page, and as a table of latents.
#pragma once

#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/discover/encoder/find_encoder.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/table/data_reader.hpp"
#include "whence/report/page/graph_view.hpp"

namespace whence {

/// Raised when a reader of result.json would have to change.
inline constexpr int encoder_format = 1;

struct EncoderProvenance {
  std::vector<Variable> variables;
  std::vector<SourceInfo> inputs;
  Json options;                            // everything that was asked for, defaults included
  std::vector<std::string> warnings = {};  // of the reader of the data
};

/// The answer in one or two sentences.
std::string in_words(const EncoderAnswer& answer);

/// Which data would answer more; empty where nothing is missing.
std::string advice_in_words(EncoderVerdict verdict);

/// Equal inputs give equal bytes: no time, no folder, no thread count.
Json encoder_json(const EncoderAnswer& answer, const EncoderProvenance& provenance);

/// The profile of J over angles, points before and after, tables of weights and changes.
Report encoder_report(const EncoderAnswer& answer, const Dataset& data);

/// The map of what changed where, on the page.
GraphView encoder_view(const EncoderAnswer& answer);

/// environment, row, Z1, ...: every row of the data, in order.
std::string latents_csv(const EncoderAnswer& answer, const Dataset& data);

}  // namespace whence
