// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/run_tracker.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/iscsi/scsi/cdb.h"

namespace iscsiscope {

void RunTracker::lun(const LunRecord &r) {
    const auto known = luns_.find({r.session, r.lun});
    if (!r.designator.empty() && (known == luns_.end() || known->second.designator != r.designator))
        paths_.erase({r.session, r.lun});
}

RunTracker::Unit *RunTracker::unit(const Member &m, const SessionLun &at) {
    Unit **path = find_or_add(paths_, at, max_luns);
    if (path == nullptr || *path != nullptr)
        return path != nullptr ? *path : nullptr;
    const auto known = luns_.find(at);
    const std::string what = known != luns_.end() && !known->second.designator.empty()
                                 ? known->second.designator
                                 : m.unit->target_name + " " + std::to_string(at.second);
    return *path = &units_[std::to_string(m.initiator_key) + " " + what];
}

void RunTracker::command(const Member &m, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    if (!pdu.knows(header_field::cdb))
        return;
    const CommandInfo info = parse_cdb(v.cdb());
    if (!is_read(info.group) && !is_write(info.group))
        return;
    Unit *u = unit(m, {m.unit->session, static_cast<std::uint64_t>(v.lun())});
    if (u == nullptr)
        return;
    if (u->length > 0 && u->session != m.unit->session) {
        u->runs.add(static_cast<std::int64_t>(u->length));
        u->length = 0;
    }
    u->session = m.unit->session;
    ++u->length;
}

const Histogram *RunTracker::runs(SessionId session, std::uint64_t lun) const {
    const auto found = paths_.find({session, lun});
    return found == paths_.end() || found->second->runs.count() == 0 ? nullptr : &found->second->runs;
}

} // namespace iscsiscope
