// SPDX-License-Identifier: GPL-2.0-or-later
// Asks a logical unit what it is before work begins: INQUIRY, TEST UNIT READY, READ CAPACITY.
#pragma once

#include "analyzer/iscsi/scsi/inventory.h"
#include "sample-captures/testbed/initiator/session/session.h"

#include <functional>
#include <string>

namespace iscsiscope::testbed::initiator {

struct UnitFacts {
    std::string error; // a sentence where the unit cannot be used; the rest is then meaningless
    std::uint64_t blocks = 0;
    std::uint32_t block_bytes = 0;
    std::string vendor, product;
};

// `known` is called once; the session must live until then.
void probe_unit(Session &session, std::function<void(const UnitFacts &)> known);

} // namespace iscsiscope::testbed::initiator
