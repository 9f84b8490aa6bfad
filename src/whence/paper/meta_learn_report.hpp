// Algorithm 1 from a configuration file: a drawn world, a kind of shift, every switch as a key.
#pragma once

#include <cstddef>
#include <string>

#include "whence/paper/experiment.hpp"

namespace whence {

/// The settings of a configuration laid over the defaults; a key that the chosen world does not use
/// is an Error with its place, as is every other mistake.
Settings meta_learning_settings(const UserConfig& config);

/// `runs` worlds of that kind, each with its own belief; curves are medians over them.
Report meta_learning_report(const Settings& settings, const RunOptions& options);

/// The parts of it that are not about two directions: a belief per edge, and a learnt encoder.
Report edge_learning_report(const Settings& settings, const RunOptions& options);
Report encoder_learning_report(const Settings& settings, const RunOptions& options);

/// What both kinds of belief read, and say, alike. Learning: MetaLearning or EdgeMetaLearning.
template <class Learning>
void take_episodes(const Settings& settings, Learning& how) {
  how.episodes = std::size_t(settings.integer("episodes"));
  how.steps = settings.integer("steps");
  how.batch = settings.integer("batch");
  how.adaptation = {settings.optimizer("adaptation"), settings.flag("reset")};
}
/// "After 200 episodes under shifts of kind 'cause'", and a warning without a reset.
std::string after_episodes(const Settings& settings);
void warn_without_reset(const Settings& settings, Report& report);

}  // namespace whence
