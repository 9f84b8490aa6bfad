// whence simulate: what both kinds of simulation share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/whence/commands.hpp"

namespace whence {

/// Empty values are the defaults of the kind of simulation.
struct SimulateCommand {
  std::string what, kind, shift, truth, levels = "10", environments, rows, baseline_rows;
  std::string graph, noise, weights, hidden, drift, typos, noise_rows, seed = "0";
  std::string mixing, latents, law, per_latent, unchanged, doubles, columns, sensors, links;
  std::string max_memory = "4G", output = "whence-out/simulate";
  bool json = false;
};

std::size_t count_of(const std::string& option, const std::string& text, std::size_t least,
                     std::size_t most);

/// Refuses data that would need more than --max-memory, as numbers and as the texts of files.
void require_memory(const SimulateCommand& command, std::size_t rows, std::size_t columns);

/// A number in [least, most].
double number_of(const std::string& option, const std::string& text, double least, double most);

inline std::string value_or(const std::string& given, const std::string& usual) {
  return given.empty() ? usual : given;
}

/// Options with what was given for them; empty where nothing was.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

/// An error of usage for the first option that is given although it belongs to something else.
void refuse_given(const OptionValues& options, const std::string& belongs_to);

/// Those that were given, as words of a command.
void add_given(std::vector<std::string>& words, const OptionValues& options);

/// An error of usage that lists the choices.
[[noreturn]] void refuse_choice(const std::string& option, const std::string& given,
                                const std::string& choices);

void simulate_graph_files(const SimulateCommand& command, Globals& globals);
void simulate_mixed_files(const SimulateCommand& command, Globals& globals);

/// Options of one kind of simulation alone, for the other kinds to refuse.
OptionValues graph_only(const SimulateCommand& command);
OptionValues mixed_only(const SimulateCommand& command);

}  // namespace whence
