// What a user knows already: edges that must or cannot be there, an order of groups, and what was
// intervened on. Errors are of usage and name the option.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// "x->y" as numbers; blanks around names do not count. Where names hold "->" themselves, the
/// reading that names two variables is taken.
std::pair<std::size_t, std::size_t> parse_edge(std::string_view text,
                                               const std::vector<std::string>& names,
                                               const std::string& option);

/// Marks the edges; one that is required and forbidden, or a cycle of required ones, is
/// E-USAGE-KNOWLEDGE.
void add_edges(const std::vector<std::string>& edges, EdgeKnowledge::Word word,
               const std::vector<std::string>& names, const std::string& option,
               EdgeKnowledge& knowledge);

/// One group per line, names between commas, or a JSON list of lists of names. No edge goes from a
/// later group to an earlier one; variables that are not named are free.
void add_tiers(std::string_view text, const std::string& file,
               const std::vector<std::string>& names, EdgeKnowledge& knowledge);

/// "a:price,b:,c:x+y": in environment a only the mechanism of price changed, in b none, in c those
/// of x and y. Environments that are not named stay unknown. [variable][environment]
void add_targets(std::string_view text, const std::vector<std::string>& names,
                 const std::vector<Environment>& environments, std::vector<KnownChange>& known);
void set_targets(std::size_t environment, std::span<const std::size_t> targets,
                 std::size_t variables, std::size_t environments, std::vector<KnownChange>& known);

}  // namespace whence
