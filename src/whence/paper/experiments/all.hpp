// One function per experiment; each lives in the file of its name.
#pragma once

#include "whence/paper/experiment.hpp"

namespace whence {

Report adaptation_curve(const Settings&, const RunOptions&);
Report zero_gradient(const Settings&, const RunOptions&);
Report propositions(const Settings&, const RunOptions&);
Report belief_discrete(const Settings&, const RunOptions&);
Report same_distribution(const Settings&, const RunOptions&);
Report shift_controls(const Settings&, const RunOptions&);
Report samples_continuous(const Settings&, const RunOptions&);
Report belief_mlp(const Settings&, const RunOptions&);
Report belief_continuous(const Settings&, const RunOptions&);
Report belief_linear_gaussian(const Settings&, const RunOptions&);
Report encoder_rotation(const Settings&, const RunOptions&);

}  // namespace whence
