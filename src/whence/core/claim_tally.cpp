#include "whence/core/claim_tally.hpp"

#include "whence/core/text.hpp"

namespace whence {

ClaimTally::ClaimTally(std::span<const Report> reports) : counts_{} {
  for (const Report& report : reports) {
    quick_ = quick_ || is_quick_look(report);
    for (const Claim& claim : report.claims) {
      Tally& tally = counts_[std::size_t(claim.kind)];
      tally.holds += claim.holds ? 1 : 0;
      ++tally.all;
    }
  }
}

bool is_quick_look(const Report& report) { return report.scale == "smoke"; }

std::size_t ClaimTally::all() const {
  std::size_t sum = 0;
  for (const Tally& tally : counts_) sum += tally.all;
  return sum;
}

std::string ClaimTally::in_words() const {
  if (quick_ && all() > 0)
    return "a quick look, too few runs to judge " +
           (all() == 1 ? "its claim" : std::to_string(all()) + " claims");
  const auto share = [](const Tally& tally) {
    return std::to_string(tally.holds) + " of " + std::to_string(tally.all);
  };
  const auto words = [&](ClaimKind kind) -> std::string {
    const Tally& tally = of(kind);
    switch (kind) {
      case ClaimKind::paper:
        return share(tally) + (tally.all == 1 ? " claim" : " claims") + " of the paper " +
               (tally.all == 1 ? "holds" : "hold");
      case ClaimKind::released: return "as released " + share(tally);
      case ClaimKind::corrected: return "corrected " + share(tally);
      case ClaimKind::control: return "controls " + share(tally);
      case ClaimKind::aim: return share(tally) + (tally.all == 1 ? " claim holds" : " claims hold");
    }
    return {};
  };
  std::vector<std::string> parts;
  for (ClaimKind kind : all_claim_kinds)
    if (of(kind).all > 0) parts.push_back(words(kind));
  return parts.empty() ? "no claims" : joined(parts, "; ");
}

std::string_view said_by(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::paper: return "The paper says";
    case ClaimKind::released: return "As released";
    case ClaimKind::corrected: return "Corrected";
    case ClaimKind::control: return "Control";
    case ClaimKind::aim: return "Aim";
  }
  return {};
}

std::string_view heading_of(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::paper: return "The paper’s claims";
    case ClaimKind::released: return "The same, as the released code does it";
    case ClaimKind::corrected: return "The same, corrected";
    case ClaimKind::control: return "Controls: no claims of the paper";
    case ClaimKind::aim: return "Figures to reach";
  }
  return {};
}

}  // namespace whence
