// Sentences for what engines noticed: one per kind of remark, with how often and where.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "whence/core/remark.hpp"
#include "whence/io/json/json.hpp"

namespace whence {

/// All remarks of one kind as one sentence; names are shortened and made printable. `remarks` is
/// not empty.
std::string in_words(std::span<const Remark> remarks);

/// Why a model was chosen: "all columns are numbers".
std::string reason_in_words(const Remark& reason);

/// One sentence per kind, in the order in which kinds first appear: warnings, or advice.
std::vector<std::string> warnings_in_words(const std::vector<Remark>& remarks);
std::vector<std::string> advice_in_words(const std::vector<Remark>& remarks);

/// Warnings from reading the data, then those of the engine.
std::vector<std::string> all_warnings(std::vector<std::string> of_reading,
                                      const std::vector<Remark>& remarks);

/// {"code": ..., "variables": [...], "environments": [...], "numbers": [...]}
Json remark_json(const Remark& remark);

}  // namespace whence
