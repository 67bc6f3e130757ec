// SPDX-License-Identifier: GPL-2.0-or-later
// Stream following: whatever the segments, every byte of a direction is handed on once, in order.
#include "analyzer/base/ids.h"
#include "fuzz/engine_input.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <map>

using namespace iscsiscope;

namespace {

class Check final : public StreamSink, public AnomalySink {
public:
    void on_open(const Connection &c) override { fuzz::require(open_.emplace(c.stream, Ends{}).second); }
    void on_piece(const Connection &c, Side side, const StreamPiece &p) override {
        std::uint64_t &next = open_.at(c.stream).next[index(side)];
        fuzz::require(p.offset == next && p.length > 0);
        fuzz::require(p.bytes.size() <= p.captured && p.captured <= p.length);
        next += p.length;
        for (std::byte b : p.bytes)
            sum_ += std::to_integer<unsigned>(b);
    }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        fuzz::require(open_.count(c.stream) == 1 && r.new_bytes <= r.segment->payload_length);
    }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override {
        const Ends ends = open_.at(c.stream);
        for (Side side : {Side::opener, Side::acceptor}) {
            const ConnectionEnd &e = c.end(side);
            fuzz::require(ends.next[index(side)] == 0 ||
                          e.stream_bytes + e.unseen_bytes == ends.next[index(side)]);
        }
        open_.erase(c.stream);
    }
    std::uint64_t content_needed_from(const Connection &c, Side side) override {
        return open_.at(c.stream).next[index(side)] + 100;
    }
    void on_anomaly(const Anomaly &) override {}
    bool all_closed() const { return open_.empty(); }

private:
    struct Ends {
        std::uint64_t next[2] = {0, 0};
    };
    std::map<StreamId, Ends> open_;
    unsigned sum_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Check check;
    FedTcp engine{check, check, {.max_kept_bytes = 4096}, {.max_connections = 3}};
    fuzz::segments(data, size, [&](const Segment &s) { engine.feed(s); });
    engine.finish();
    fuzz::require(check.all_closed());
    return 0;
}
