// SPDX-License-Identifier: GPL-2.0-or-later
// The order in which records come is the one that record_sink.h states, on every bundled capture.
#include "catch.h"

#include "analyzer/cycles/engine.h"
#include "tests/support/bundle.h"
#include "tests/support/each_segment.h"

#include <cstdio>
#include <map>
#include <set>

using namespace iscsiscope;

namespace {

class Order final
    : public Takes<SegmentRecord, CycleBegun, CycleEnded, PduBegun, PduRecord, BurstProgress, EventRecord,
                   SessionRecord, LoginRecord, MemberRecord, PassedRecord, TcpSampleRecord, BurstRecord,
                   CycleRecord, GapRecord, NoTaskRecord, LedgerEntry, RetransmissionRecord, ReorderingRecord,
                   TcpDirectionRecord, ConnectionRecord> {
public:
    std::size_t records = 0;
    std::string broken; // the first rule that did not hold

    void begin_frame(FrameNumber frame) {
        frame_ = frame;
        segment_done_ = false;
    }
    void finish() {
        frame_ = 0;
        segment_done_ = false;
    }
    // What must be true after the last record.
    void check_end() {
        expect(begun_ == final_ || std::includes(final_.begin(), final_.end(), begun_.begin(), begun_.end()),
               "each task that began has a CycleRecord");
        expect(bursts_of_ == none, "bursts without their task");
        expect(joined_.empty(), "members of no session");
    }

    void on(const SegmentRecord &r) override {
        any();
        expect(r.segment.frame == frame_, "a segment comes in its own frame");
        segment_done_ = true;
    }
    void on(const CycleBegun &r) override {
        any(r.cycle.stream);
        expect(begun_.insert(r.cycle.cycle).second, "a task begins once");
        expect(member_[r.cycle.stream] == r.cycle.session, "its connection is a member of its session");
    }
    void on(const CycleEnded &r) override {
        any(r.cycle.stream);
        expect(!final_.contains(r.cycle.cycle), "a task ends before its record is final");
        expect(r.amended <= ended_.contains(r.cycle.cycle), "only what ended is amended");
        ended_.insert(r.cycle.cycle);
    }
    void on(const CycleRecord &r) override {
        expect(bursts_of_ == none || bursts_of_ == r.cycle, "bursts come right before their task");
        bursts_of_ = none;
        any(r.stream);
        expect(ended_.contains(r.cycle), "a final task has ended");
        expect(final_.insert(r.cycle).second, "a task is final once");
    }
    void on(const BurstRecord &r) override {
        expect(bursts_of_ == none || (bursts_of_ == r.cycle && r.burst > last_burst_), "bursts by number");
        bursts_of_ = none;
        any(r.stream);
        bursts_of_ = r.cycle;
        last_burst_ = r.burst;
    }
    void on(const PduBegun &r) override {
        any(r.connection->stream);
        in_order(begun_to_, r.connection->stream, r.pdu);
        expect(!r.cycle || begun_.contains(*r.cycle) || r.pdu.view().opcode() != Opcode::scsi_command,
               "a task begins before its command's PDU");
    }
    void on(const PduRecord &r) override {
        any(r.connection->stream);
        in_order(delivered_to_, r.connection->stream, r.pdu);
    }
    void on(const GapRecord &r) override {
        any(r.stream);
        expect(gap_end_[r.stream] <= r.start + r.length, "gaps by their end");
        gap_end_[r.stream] = r.start + r.length;
    }
    void on(const NoTaskRecord &r) override {
        any(r.stream);
        expect(without_task_[r.stream] <= r.start, "time without a task in order");
        without_task_[r.stream] = r.start;
    }
    void on(const LoginRecord &r) override {
        any(r.connection->stream);
        expect(r.login != nullptr, "a login record has a login");
    }
    void on(const MemberRecord &r) override {
        any(r.connection->stream);
        member_[r.connection->stream] = r.session;
        if (!sessions_.contains(r.session))
            joined_.insert(r.session);
    }
    void on(const SessionRecord &r) override {
        any();
        expect(sessions_.insert(r.session).second, "a session begins once");
        expect(joined_.erase(r.session) == 1, "a session begins with its first member");
    }
    void on(const TcpDirectionRecord &r) override {
        any(r.connection->stream);
        std::size_t &n = directions_[r.connection->stream];
        expect(n == static_cast<std::size_t>(r.direction), "to_target, then to_initiator");
        ++n;
    }
    void on(const ConnectionRecord &r) override {
        any(r.stream);
        expect(directions_[r.stream] == 2, "both directions before their connection");
        closed_.insert(r.stream);
    }
    void on(const BurstProgress &r) override { any(r.burst.stream); }
    void on(const EventRecord &r) override { any(r.stream); }
    void on(const PassedRecord &r) override { any(r.stream); }
    void on(const TcpSampleRecord &r) override {
        any(r.stream);
        expect(r.frame == frame_, "a sample comes in its own frame");
    }
    void on(const LedgerEntry &r) override { any(r.stream); }
    void on(const RetransmissionRecord &r) override { any(r.stream); }
    void on(const ReorderingRecord &r) override { any(r.stream); }

private:
    static constexpr CycleId none{~std::uint64_t{0}};
    using Ends = std::map<std::pair<StreamId, PduDirection>, std::uint64_t>; // by stream

    void any() {
        ++records;
        expect(!segment_done_, "the segment comes last of its frame");
        expect(bursts_of_ == none, "nothing comes between bursts and their task");
    }
    void any(StreamId stream) {
        any();
        expect(!closed_.contains(stream), "the connection comes last");
    }
    void in_order(Ends &ends, StreamId stream, const Pdu &pdu) {
        std::uint64_t &end = ends[{stream, pdu.direction}];
        expect(end <= pdu.offset, "PDUs in order of the stream");
        end = pdu.offset + 1;
    }
    void expect(bool holds, const char *rule) {
        if (!holds && broken.empty())
            broken = "frame " + std::to_string(frame_) + ": " + rule;
    }

    FrameNumber frame_ = 0;
    bool segment_done_ = false;
    CycleId bursts_of_ = none;
    std::uint32_t last_burst_ = 0;
    std::set<CycleId> begun_, ended_, final_;
    std::set<SessionId> sessions_, joined_;
    std::set<StreamId> closed_;
    std::map<StreamId, SessionId> member_;
    std::map<StreamId, std::size_t> directions_;
    std::map<StreamId, Time> gap_end_, without_task_;
    Ends begun_to_, delivered_to_;
};

} // namespace

TEST_CASE("records come in the order that is stated") {
    std::size_t captures = 0, records = 0;
    for (const auto &path : test::bundled_captures()) {
        INFO(path.string());
        Order order;
        RecordTables tables(order);
        Engine engine(tables);
        REQUIRE(test::each_segment(path.string(), tables, [&](const Segment &s) {
                    order.begin_frame(s.frame);
                    engine.feed(s);
                }).empty());
        order.finish();
        engine.finish();
        order.check_end();
        CHECK(order.broken == "");
        ++captures;
        records += order.records;
    }
    std::printf("FIGURE: order of records: %zu records of %zu captures\n", records, captures);
}

TEST_CASE("a table that nobody takes is not asked for") {
    struct Gaps final : Takes<GapRecord> {
        void on(const GapRecord &) override {}
    } gaps;
    const RecordTables tables(gaps);
    CHECK(tables.wanted<GapRecord>());
    CHECK_FALSE(tables.wanted<CycleRecord>());
}
