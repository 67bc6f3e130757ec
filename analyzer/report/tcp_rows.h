// SPDX-License-Identifier: GPL-2.0-or-later
// Segments → rows of `tcp`. The inference runs here, so that it costs nothing where nobody asks for it.
#pragma once

#include "analyzer/cycles/record_sink.h"
#include "analyzer/report/row_sink.h"
#include "analyzer/tcp/inference/tcp_inference.h"

#include <cstdint>
#include <unordered_map>

namespace iscsiscope {

// A row a segment of new data of an iSCSI connection, from the one on which the connection was recognised.
class TcpRows final : public RecordSink, TcpSampleSink {
public:
    TcpRows(RowSelection s, RowWriter &w) : selection_(s), writer_(w) {}

    bool wants_progress() const override { return true; }
    void on_segment(const Connection &, const SegmentReport &) override;
    void on_pdu_begin(const Connection &, Side, const Pdu &, std::optional<std::uint64_t> cycle) override;

private:
    void on_tcp_sample(const Connection &, const TcpSample &) override;

    RowSelection selection_;
    RowWriter &writer_;
    TcpInference inference_{*this};
    std::unordered_map<std::uint64_t, Side> initiators_; // by stream; recognised connections only
};

} // namespace iscsiscope
