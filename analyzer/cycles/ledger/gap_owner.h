// SPDX-License-Identifier: GPL-2.0-or-later
// How an idle gap is divided between the network and the end that was awaited (docs/figures.md, "Whose time
// it is"). Pure functions.
#pragma once

#include "analyzer/cycles/ledger/connection_ledger.h"

namespace iscsiscope {

// The part of a gap that belongs to the end that was awaited; the rest of its busy part is the network's.
struct EndPart {
    Duration length{};
    Owner owner = Owner::unknown;
};

// The network lost segments: the whole gap is its trouble.
constexpr bool is_repair(GapKind k) {
    return k == GapKind::path_down || k == GapKind::retransmission_timeout || k == GapKind::fast_retransmit;
}
// The capture shows it only as a wait of the iSCSI layer.
constexpr bool is_of_iscsi(GapKind k) {
    return k >= GapKind::target_first_data && k <= GapKind::control;
}
// The gap's without_task is known. sent_by_target: the sender of the frame that ended the gap.
EndPart end_part(const GapRecord &, const WaitParts &, bool sent_by_target);

} // namespace iscsiscope
