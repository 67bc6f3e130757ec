// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of senders → rows of `tcp`.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/query/row_sink.h"

namespace iscsiscope {

// A row a segment of new data of an iSCSI connection, from the one on which the connection was recognised.
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
