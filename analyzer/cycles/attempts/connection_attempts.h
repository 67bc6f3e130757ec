// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionAttempts: follows each TCP connection of the capture from its SYN to the first answer and reports
// it as an AttemptRecord. Accepted and refused attempts are reported with their answer, others by finish().
//
// In: HandshakeRecords and ForgottenRecords, and the time of each segment, in file order.
//
// The behaviour of the opener shows whether it got an answer, even if the capture holds only what it sent:
// after a SYN/ACK it sends an ACK, after a RST no SYN with the same sequence number. A single SYN counts as
// unanswered only if the capture holds anything else from the other host.
//
// Memory: at most `max_pending` attempts without an answer (the oldest is then reported as it stands) and
// `max_hosts` addresses (further hosts are taken not to be in the capture); nothing per connection.
#pragma once

#include "analyzer/cycles/records/attempt_record.h"
#include "analyzer/cycles/records/record_sink.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace iscsiscope {

class ConnectionAttempts final : public Takes<HandshakeRecord, ForgottenRecord> {
public:
    static constexpr std::size_t max_pending = 1024, max_hosts = 4096;

    using Report = std::function<void(const AttemptRecord &)>;
    // ports: of iSCSI portals, besides 3260 and 860.
    ConnectionAttempts(std::vector<std::uint16_t> ports, Report report)
        : ports_(std::move(ports)), report_(std::move(report)) {}

    // The next segment of the capture passed then, of whatever connection; before the records that it causes.
    void at(Time t) { last_time_ = t; }
    void on(const HandshakeRecord &) override;
    void on(const ForgottenRecord &) override;
    void finish();

private:
    struct Pending {
        AttemptRecord record;
        std::uint32_t sequence = 0; // of the SYN
        FrameNumber last_frame = 0; // of the SYNs, copies included
    };

    void opened(const HandshakeRecord &);
    void answered(std::map<StreamId, Pending>::iterator, AttemptOutcome, Time, FrameNumber);
    AttemptOutcome without_answer(const AttemptRecord &) const;
    void report_oldest();

    std::vector<std::uint16_t> ports_;
    Report report_;
    std::map<StreamId, Pending> pending_; // by stream, that is, in order of opening
    std::set<IpAddress> hosts_;           // from which the capture holds a segment
    std::optional<Time> last_time_;
};

} // namespace iscsiscope
