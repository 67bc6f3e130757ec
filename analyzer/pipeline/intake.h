// SPDX-License-Identifier: GPL-2.0-or-later
// Intake: what a segment shows by itself, in file order, before anybody follows its connection: which
// connection it belongs to, and what is counted of all segments.
//
// In: each segment once, in file order. Out: its Placement, with the closings of the directory before it; at
// the end the ports and the unread storage traffic of a CaptureSummary.
#pragma once

#include "analyzer/pipeline/read_capture.h"
#include "analyzer/pipeline/unread_traffic.h"
#include "analyzer/tcp/stream/connection_directory.h"

namespace iscsiscope {

class Intake {
public:
    // directory: of the engine that follows the connections; it must outlive the object. ports: of iSCSI,
    // besides 3260 and 860.
    Intake(ConnectionDirectory &directory, const std::vector<std::uint16_t> &ports)
        : directory_(directory), unread_(ports) {}

    // Takes the next segment. closings() are to be done before it, and valid until the next call.
    Placement take(const Segment &s) {
        ports_.count(s);
        unread_.add(s);
        return directory_.place(s);
    }
    const std::vector<Closing> &closings() const { return directory_.closings(); }
    // As of ConnectionDirectory.
    bool has_retired() const { return directory_.has_retired(); }
    RetiredSilences take_retired() { return directory_.take_retired(); }

    // Adds what was counted; undecoded: what the decoder counted beside the segments.
    void sum_up(CaptureSummary &summary, const UnreadCounts &undecoded) const {
        summary.unread = unread_.found(undecoded);
        summary.ports = ports_.busiest(ports_kept);
    }

private:
    static constexpr std::size_t ports_kept = 10;

    ConnectionDirectory &directory_;
    PortSurvey ports_;
    UnreadSurvey unread_;
};

} // namespace iscsiscope
