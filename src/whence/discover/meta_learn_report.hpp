// Algorithm 1 from a configuration file: a drawn world, a kind of shift, every switch as a key.
#pragma once

#include "whence/discover/experiment.hpp"

namespace whence {

/// The settings of a configuration laid over the defaults; a key that the chosen world does not use
/// is an Error with its place, as is every other mistake.
Settings meta_learning_settings(const UserConfig& config);

/// `runs` worlds of that kind, each with its own belief; curves are medians over them.
Report meta_learning_report(const Settings& settings, const RunOptions& options);

/// The parts of it that are not about two directions: a belief per edge, and a learnt encoder.
Report edge_learning_report(const Settings& settings, const RunOptions& options);
Report encoder_learning_report(const Settings& settings, const RunOptions& options);

}  // namespace whence
