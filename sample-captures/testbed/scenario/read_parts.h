// SPDX-License-Identifier: GPL-2.0-or-later
// Internal to this folder: one function for each kind of table in a scenario.
#pragma once

#include "sample-captures/testbed/scenario/table_reader.h"

namespace iscsiscope::testbed::scenario {

void read_hosts(TableReader &top, Scenario &scenario);
void read_links(TableReader &top, Scenario &scenario);
void read_paths(TableReader &top, Scenario &scenario);
void read_taps(TableReader &top, Scenario &scenario);
void read_programs(TableReader &top, Scenario &scenario, const OptionNames &known);

// "there is no link \"wna\" (did you mean wan? there are: lan, wan)". what: "link".
std::string no_such(std::string_view what, const std::string &name, const std::vector<std::string> &there);

std::optional<std::uint32_t> host_named(const Scenario &scenario, const std::string &name);
std::optional<std::uint32_t> link_named(const Scenario &scenario, const std::string &name);
std::string no_such_host(const Scenario &scenario, const std::string &name);
std::string no_such_link(const Scenario &scenario, const std::string &name);
// A name goes into file and row names: letters, digits, - and _.
bool is_plain_name(const std::string &name);

// False, with a mistake added, if the key leads nowhere.
bool apply_override(toml::table &top, const Override &change, std::vector<Mistake> &mistakes);

} // namespace iscsiscope::testbed::scenario
