// SPDX-License-Identifier: GPL-2.0-or-later
// PDU framing and searching: PDUs of a direction never overlap, and each had its header told.
#include "analyzer/base/ids.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "fuzz/engine_input.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <map>
#include <utility>

using namespace iscsiscope;

namespace {

class Check final : public PduSink, public AnomalySink {
public:
    void on_iscsi(const Connection &c, Side) override {
        fuzz::require(state_.emplace(c.stream, State{}).second);
    }
    std::uint32_t on_header(const Connection &c, const Pdu &p) override {
        Way &way = of(c, p);
        fuzz::require(p.offset >= way.end);
        way.header = p.offset;
        return 100;
    }
    void on_pdu(const Connection &c, const Pdu &p) override {
        Way &way = of(c, p);
        fuzz::require(way.header == p.offset && p.end_offset >= p.offset + basic_header_size);
        fuzz::require(p.data.size() <= p.data_length && p.ahs.size() <= p.ahs_length);
        fuzz::require(p.first_seen <= p.complete && p.complete <= p.delivered);
        fuzz::require(p.header_delivered <= p.delivered);
        way.end = p.end_offset;
    }
    void on_login(const Connection &, const Login &) override {}
    void on_sync_lost(const Connection &, PduDirection, std::uint64_t) override {}
    void on_segment(const Connection &c, const SegmentEvent &) override {
        fuzz::require(state_.count(c.stream) == 1);
    }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override { state_.erase(c.stream); }
    void on_anomaly(const Anomaly &) override {}
    bool all_closed() const { return state_.empty(); }

private:
    struct Way {
        std::uint64_t header = ~std::uint64_t{0}, end = 0;
    };
    using State = std::pair<Way, Way>;
    Way &of(const Connection &c, const Pdu &p) {
        State &s = state_.at(c.stream);
        return p.direction == PduDirection::to_target ? s.first : s.second;
    }
    std::map<StreamId, State> state_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Check check;
    IscsiEngine iscsi{check, check, {.ports = {}, .search_limit = 4096}};
    FedTcp engine{iscsi, check};
    fuzz::segments(data, size, [&](const Segment &s) { engine.feed(s); });
    engine.finish();
    fuzz::require(check.all_closed());
    return 0;
}
