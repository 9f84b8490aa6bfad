// Everything a user of the library needs.
#pragma once

// Data in, answers out.
#include "whence/core/control.hpp"                   // Control: threads, progress, stop
#include "whence/core/dataset.hpp"                   // Dataset::from_columns(), from_environments()
#include "whence/core/error.hpp"                     // Error: what, where, how to mend
#include "whence/core/knowledge.hpp"                 // EdgeKnowledge, set_targets(): what is known
#include "whence/discover/encoder/find_encoder.hpp"  // find_encoder(): variables behind mixed columns
#include "whence/discover/graph/graph_discovery.hpp"  // find_graph(), find_changes()
#include "whence/discover/pair/direction.hpp"         // find_direction(): which of two is the cause
#include "whence/io/graph/graph_formats.hpp"          // NamedGraph: graphs in files of every format
#include "whence/version.hpp"                         // version()

// Data whose truth is known, and how near an answer came.
#include "whence/judge/evaluate.hpp"        // evaluate()
#include "whence/worlds/graph_world.hpp"    // simulate_graph()
#include "whence/worlds/random_graph.hpp"   // draw_named_graph(): "er:20:40"
#include "whence/worlds/simulate_pair.hpp"  // simulate_pair()

// The paper: Scores of episodes, and the belief that is learnt from them.
#include "whence/backends/backend.hpp"          // cpu_backend(), reference_backend(): fill Scores
#include "whence/belief/two_hypotheses.hpp"     // learn_belief(), bayes_belief(), diagnose()
#include "whence/core/scores.hpp"               // Scores, log_odds()
#include "whence/core/shift.hpp"                // Shift: what changed
#include "whence/mechanisms/all.hpp"            // Module, CategoricalTable
#include "whence/paper/encoder_learning.hpp"    // meta_learn() with an encoder that is learnt
#include "whence/paper/experiment.hpp"          // experiments(), run_experiment()
#include "whence/paper/meta_learn.hpp"          // meta_learn(): Algorithm 1 on any source
#include "whence/paper/tasks/pair_task.hpp"     // PairTask, draw_episodes()
#include "whence/worlds/categorical_world.hpp"  // CategoricalWorld, ShiftedWorld
