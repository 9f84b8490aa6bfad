// Everything a user of the library needs.
#pragma once

#include "whence/backends/backend.hpp"          // cpu_backend(), reference_backend(): fill Scores
#include "whence/belief/two_hypotheses.hpp"     // learn_belief(), bayes_belief(), diagnose()
#include "whence/core/error.hpp"                // Error: what, where, how to mend
#include "whence/core/scores.hpp"               // Scores, log_odds()
#include "whence/core/shift.hpp"                // Shift: what changed
#include "whence/discover/graph_discovery.hpp"  // find_graph(), find_changes()
#include "whence/io/graph/graph_formats.hpp"    // NamedGraph: graphs in files of every format
#include "whence/mechanisms/all.hpp"            // Module, CategoricalTable
#include "whence/paper/encoder_learning.hpp"    // meta_learn() with an encoder that is learnt
#include "whence/paper/experiment.hpp"          // experiments(), run_experiment()
#include "whence/paper/meta_learn.hpp"  // meta_learn(): Algorithm 1 on any source of episodes
#include "whence/paper/pair_task.hpp"   // PairTask, draw_episodes()
#include "whence/version.hpp"           // version()
#include "whence/worlds/categorical_world.hpp"  // CategoricalWorld, ShiftedWorld
#include "whence/worlds/graph_world.hpp"        // simulate_graph(): data with a known graph
