// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/track/acked_log.h"

namespace iscsiscope {

void AckedLog::add(const AckSeen &a, bool news) {
    if (ring_.size() == most)
        drop_oldest();
    const AckSeen before = ring_.empty() ? nothing : ring_.back();
    ring_.push_back(a);
    AckSeen &added = ring_.back();
    added.first_stamp = added.last_stamp = a.timestamp;
    if (before.known()) {
        in_order_ = in_order_ && a.time >= before.time;
        // A reordered ACK has an older TSval, but the sender knew the newer one before.
        if (is_later_stamp(before.last_stamp, a.timestamp))
            added.first_stamp = added.last_stamp = before.last_stamp;
    }
    const bool same = before.known() && before.same_state(a);
    added.state = same ? before.state : before.state + 1;
    added.since = same ? before.since : a.time;
    added.pure = same ? before.pure : a.pure;
    added.news_back = news ? 0 : before.news_back + 1;
}

} // namespace iscsiscope
