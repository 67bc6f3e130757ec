// SPDX-License-Identifier: GPL-2.0-or-later
// Applies changes of predict to measured settings and to the keys that determine them.
#pragma once

#include "analyzer/model/cycle_model.h"

namespace iscsiscope {

// Keys and settings after the changes so far.
struct Changed {
    ModelSettings settings;
    OperationalParameters keys;
    bool unsolicited = false, burst = false; // settle_bursts() computes them from the keys
    std::vector<std::string> remarks;
    bool block = false; // block size changed: likewise for unsolicited data, where the keys are known
};

// The keys that determine the amount of unsolicited data.
inline constexpr ParameterSet unsolicited_keys = {Parameter::first_burst_length, Parameter::initial_r2t,
                                                  Parameter::immediate_data, Parameter::max_recv_target};

// Returns the keys for a what-if: an unknown key is taken as large as its use in the capture shows, else at
// the default of RFC 7143. A prediction states this assumption.
OperationalParameters keys_taken(const ModelInput &);
// The same with the best values for those of `asked` that are not known, for the largest possible gain.
OperationalParameters best_keys(const ModelInput &, ParameterSet asked);

void apply(Changed &, const Change &, const ModelInput &);
// To be called after the last change: computes bursts and unsolicited data from the keys.
void settle_bursts(Changed &, const ModelInput &);

// The throughput with other settings. predict() and key_verdicts() both rest on this one function. Without a
// change the throughput is the measured one.
struct Forecast {
    ModelResult result; // its throughput is the predicted one
    Certainty certainty{};
    Changed changed;
};
// keys: those in force before the changes, as keys_taken() or best_keys() gives them.
Forecast forecast(const ModelInput &, const OperationalParameters &keys, std::span<const Change>);

// The sentence why more data in flight does not raise the throughput; empty if it may.
std::string full_path_words(const ModelInput &);
// The values of the range that key_verdicts() tries, from the least to the largest.
std::vector<double> tried_values(SettingName, const ModelInput &);
// The value of a setting as --set takes it: "No", "64 KiB", "8".
std::string value_words(SettingName, double value);

} // namespace iscsiscope
