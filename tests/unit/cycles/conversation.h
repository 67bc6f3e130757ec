// SPDX-License-Identifier: GPL-2.0-or-later
// Hand-made PDUs for the CycleEngine, as the tcp and iscsi rooms would report them.
#pragma once

#include "analyzer/cycles/cycle_engine.h"
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/tcp/hosts/host_pairs.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope::test {

using namespace std::chrono_literals;

constexpr Time at(Duration d) {
    return Time{std::chrono::seconds{1'000'000}} + d;
}

struct Recording : Takes<Anomaly, CycleEnded, CycleRecord, BurstRecord, GapRecord, LedgerEntry, NoTaskRecord,
                         EventRecord, LunRecord, SessionRecord, ConnectionRecord> {
    std::vector<Anomaly> anomalies;
    std::vector<CycleRecord> ends, cycles;
    std::vector<BurstRecord> bursts;
    std::vector<GapRecord> gaps;
    std::vector<NoTaskRecord> without_task;
    std::vector<LedgerEntry> owned;
    std::vector<EventRecord> events;
    std::vector<LunRecord> luns;
    std::vector<SessionRecord> sessions;
    std::vector<ConnectionRecord> connections;

    void on(const Anomaly &a) override { anomalies.push_back(a); }
    void on(const CycleEnded &r) override {
        if (!r.amended)
            ends.push_back(r.cycle);
    }
    void on(const CycleRecord &r) override { cycles.push_back(r); }
    void on(const BurstRecord &r) override { bursts.push_back(r); }
    void on(const GapRecord &r) override { gaps.push_back(r); }
    void on(const LedgerEntry &r) override { owned.push_back(r); }
    void on(const NoTaskRecord &r) override { without_task.push_back(r); }
    void on(const EventRecord &r) override { events.push_back(r); }
    void on(const LunRecord &r) override { luns.push_back(r); }
    void on(const SessionRecord &r) override { sessions.push_back(r); }
    void on(const ConnectionRecord &r) override { connections.push_back(r); }

    // The final record of the n-th cycle; fails the test if it never became final.
    const CycleRecord &cycle(std::uint64_t number) const;
    std::size_t count(AnomalyKind) const;
};

// One connection. Times are given as distance from a common start. Each call is one frame.
class Link {
public:
    // ends: of the initiator, of the target. syn: when its SYN passed; empty: before the capture.
    Link(CycleEngine &, std::uint64_t &frames, StreamId stream, std::uint32_t slot,
         const std::array<Endpoint, 2> &ends = {}, std::optional<Duration> syn = {});

    // A PDU in one frame, which also acknowledges all that the other side has sent.
    void send(Duration when, PduDirection, const HeaderBytes &, std::span<const std::byte> data = {});
    // Its header in one frame; then the rest of it in further ones; the last one ends the PDU.
    void begin(Duration when, PduDirection, const HeaderBytes &);
    void more(Duration when, PduDirection, std::uint32_t bytes);
    // The header frame passes at `seen` but is reported at `reported`, as behind a hole that is given up.
    void send_late(Duration seen, Duration reported, PduDirection, const HeaderBytes &);
    // No frame holds the PDU: it passed behind the frame at `before`, and is reported at `reported`.
    void send_unseen(Duration before, Duration reported, PduDirection, const HeaderBytes &);
    void acknowledge(Duration when, PduDirection sender_of_ack);
    // Only the bytes below this offset.
    void acknowledge_to(Duration when, PduDirection sender_of_ack, std::uint64_t offset) {
        ack_limit_ = offset;
        acknowledge(when, sender_of_ack);
        ack_limit_ = ~std::uint64_t{0};
    }
    // `bytes` from the sender's offset on pass again.
    void repeat(Duration when, PduDirection, std::uint64_t offset, std::uint32_t bytes);
    // A frame passes whose bytes wait behind a hole; send_late() reports their PDU.
    void pass_behind_hole(Duration when, PduDirection, std::uint32_t bytes);
    // Bytes go by that no frame holds; the next frame of the other side acknowledges them.
    void pass_unseen(PduDirection d, std::uint32_t bytes) { sent_[static_cast<std::size_t>(d)] += bytes; }
    void flag(Duration when, PduDirection, std::uint8_t tcp_flags);
    void sync_lost(PduDirection);
    void login(Duration when, const Login &);
    void close(Duration when, CloseReason = CloseReason::capture_end);

    std::uint64_t sent(PduDirection d) const { return sent_[static_cast<std::size_t>(d)]; }
    FrameNumber last_frame() const { return *frames_; }
    // What a ConnectionState keeps, and a ConnectionDirectory: the hosts have no other connection.
    struct Around {
        ConnectionNotes notes;
        HostPairs pairs;
        HostShare hosts;
    };
    std::unique_ptr<Around> around = std::make_unique<Around>();
    Connection tcp;
    bool acknowledges = true; // frames with payload do

private:
    void report_late(Duration reported, PduDirection, Pdu &);
    static Side side(PduDirection d) { return d == PduDirection::to_target ? Side::opener : Side::acceptor; }
    void segment(Duration when, PduDirection, std::uint64_t offset, std::uint32_t payload, std::uint8_t flags,
                 std::uint32_t new_bytes, bool acknowledge);
    void deliver(Duration when, PduDirection, Pdu &);

    CycleEngine &engine_;
    std::uint64_t *frames_;
    std::array<std::uint64_t, 2> sent_{};
    std::uint64_t ack_limit_ = ~std::uint64_t{0};
    std::array<Pdu, 2> open_{};
    bool pdus_ = false; // headers or ends of PDUs were delivered since the last segment
};

struct Scene {
    Recording sink;
    CycleEngine engine;
    std::uint64_t frames = 0;
    std::vector<std::unique_ptr<Link>> links;

    explicit Scene(CycleOptions options = {}, FollowOrder *order = nullptr)
        : engine(sink, options, nullptr, order) {}
    Link &connect() {
        const auto n = links.size();
        links.push_back(std::make_unique<Link>(engine, frames, StreamId{n}, static_cast<std::uint32_t>(n)));
        return *links.back();
    }
    void close_all(Duration when) {
        for (auto &link : links)
            link->close(when);
    }
};

inline constexpr auto to_target = PduDirection::to_target;
inline constexpr auto to_initiator = PduDirection::to_initiator;

// Headers. Blocks are of 512 bytes.
HeaderBytes read_command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint32_t bytes, std::uint64_t lun = 0);
// immediate: bytes in the command's own data segment; final: no unsolicited Data-Out follows.
HeaderBytes write_command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint32_t bytes,
                          std::uint32_t immediate = 0, bool final = true);
HeaderBytes test_unit_ready(std::uint32_t itt, std::uint32_t cmd_sn);
HeaderBytes data_in(std::uint32_t itt, std::uint32_t sn, std::uint32_t bytes, bool status = false,
                    std::uint32_t max_cmd_sn = 1000);
HeaderBytes data_out(std::uint32_t itt, std::uint32_t ttt, std::uint32_t sn, std::uint32_t bytes, bool final);
HeaderBytes r2t(std::uint32_t itt, std::uint32_t ttt, std::uint32_t sn, std::uint32_t offset,
                std::uint32_t bytes);
HeaderBytes response(std::uint32_t itt, std::uint8_t status = 0, std::uint32_t sense_bytes = 0,
                     std::uint8_t response = 0, std::uint32_t max_cmd_sn = 1000);
HeaderBytes management(std::uint32_t itt, TaskManagementFunction, std::uint32_t referenced = 0xffffffff,
                       std::uint64_t lun = 0);
HeaderBytes management_response(std::uint32_t itt, std::uint8_t response = 0);

Duration sum(const Phases &);

} // namespace iscsiscope::test
