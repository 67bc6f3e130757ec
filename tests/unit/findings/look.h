// SPDX-License-Identifier: GPL-2.0-or-later
// A capture → what the rooms model and findings say of it.
#pragma once

#include "analyzer/findings/findings_input.h"

#include <optional>
#include <string>

namespace iscsiscope {

struct Look {
    Facts facts;
    FindingsResult result;

    // "r2t_ping_pong", or "none" where nothing is found.
    std::string first() const;
    // The first problem's name, or "none".
    std::string first_problem() const;
};

// nullopt: it cannot be read.
std::optional<Look> look_at(const std::string &path);

// One line a finding, for people.
std::string printed(const Look &);

} // namespace iscsiscope
