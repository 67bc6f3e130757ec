// SPDX-License-Identifier: GPL-2.0-or-later
// Kinds of gaps, owners, outcomes of tasks and connections in words.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

// Returns the glossary's clause: what is awaited during a gap of this kind; if empty, what transfer is.
std::string_view explanation(std::optional<GapKind>);
// "closed", as a clause: "connection closed by FIN".
std::string_view explanation(ConnectionOutcome);
std::string_view explanation(Owner);
// "CHECK CONDITION", "ended by a reset": behind a number of tasks.
std::string_view outcome_words(TaskOutcome);
// "logged out".
std::string words(ConnectionOutcome);
// Returns a name with spaces for its underscores: "packet loss".
std::string spaced(std::string_view name);

} // namespace iscsiscope
