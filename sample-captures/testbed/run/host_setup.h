// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/carriers/carrier.h"
#include "sample-captures/testbed/net/shim.h"
#include "sample-captures/testbed/scenario/scenario.h"

#include <memory>
#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// The hosts of a scenario, each a network namespace with one device. All is gone when this and the
// processes in the namespaces are.
struct HostSet {
    std::vector<shim::NetNamespace> spaces;
    std::vector<std::unique_ptr<shim::Port>> ports; // moved into the shim
    shim::CarrierKind carrier = shim::CarrierKind::veth;
    std::vector<std::string> unknown_sysctls; // set by default elsewhere, not known to this kernel
};

// The process is already in a private network.
Result<HostSet> set_up_hosts(const scenario::Scenario &scenario);

} // namespace iscsiscope::testbed::run
