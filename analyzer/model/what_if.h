// SPDX-License-Identifier: GPL-2.0-or-later
// Changes applied to what was measured: settings of the model and the keys that they follow from.
#pragma once

#include "analyzer/model/cycle_model.h"

namespace iscsiscope {

// Keys and settings with the changes made.
struct Changed {
    ModelSettings settings;
    OperationalParameters keys;
    bool unsolicited = false, burst = false; // follow from the keys anew
    std::vector<std::string> remarks;
    bool block = false; // so does what is sent unasked of a block of another size, where the keys are known
};

// What data sent unasked follows from.
inline constexpr ParameterSet unsolicited_keys = {Parameter::first_burst_length, Parameter::initial_r2t,
                                                  Parameter::immediate_data, Parameter::max_recv_target};

// What the keys are taken to be where a change makes the model ask for them: those that the login does not
// tell as large as they were seen, else as RFC 7143 has them. Only for what-if, and said with it.
OperationalParameters keys_taken(const ModelInput &);
// The same with the best values for those of `asked` that are not known: the most that could be gained.
OperationalParameters best_keys(const ModelInput &, ParameterSet asked);

void apply(Changed &, const Change &, const ModelInput &);
// Behind the last change: bursts and unsolicited data as the keys now have them.
void settle_bursts(Changed &, const ModelInput &);

// The model's cycle made to agree with the measured one, where cycles and not the path set the rate.
double correction_of(const ModelInput &);

} // namespace iscsiscope
