// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/status.h"

namespace iscsiscope {

std::string_view name(ScsiStatus s) {
    switch (s) {
    case ScsiStatus::good:
        return "GOOD";
    case ScsiStatus::check_condition:
        return "CHECK CONDITION";
    case ScsiStatus::condition_met:
        return "CONDITION MET";
    case ScsiStatus::busy:
        return "BUSY";
    case ScsiStatus::reservation_conflict:
        return "RESERVATION CONFLICT";
    case ScsiStatus::task_set_full:
        return "TASK SET FULL";
    case ScsiStatus::aca_active:
        return "ACA ACTIVE";
    case ScsiStatus::task_aborted:
        return "TASK ABORTED";
    }
    return "unknown";
}

} // namespace iscsiscope
