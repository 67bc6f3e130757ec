// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the TCP samples of senders as rows of the table `tcp`.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/query/row_sink.h"

namespace iscsiscope {

// One row per segment of new data of an iSCSI connection, from the segment on by which it was recognised as
// iSCSI. The target must outlive it.
class TcpRows final : public RecordSink {
public:
    TcpRows(RowSelection s, RowTarget &t) : selection_(s), target_(t) {}

    bool wants_tcp_samples() const override { return true; }
    void on_tcp_sample(const Connection &, PduDirection, const TcpSample &) override;

private:
    RowSelection selection_;
    RowTarget &target_;
};

} // namespace iscsiscope
