// SPDX-License-Identifier: GPL-2.0-or-later
// Store keeps the records of the engine so that they can be looked up by frame at any later time. Its memory
// grows with the frames that carry payload and with the records.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/findings/finding.h"
#include "plugin/store/gap_store.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iscsiscope::plugin {

// The part of a cycle that a byte belongs to.
enum class Role : std::uint8_t { command, immediate_data, r2t, data_out, data_in, status };
inline constexpr std::size_t role_count = 6;
const char *name(Role);

struct Burst {
    BurstRecord record;
    bool shown = false;       // its result was shown on the first pass
    OptionalFrame late_frame; // its PDUs were known only at this frame, after they had passed; empty: in time
};

struct Cycle {
    CycleRecord record;
    bool ended = false; // the members that are known at its end are filled
    bool final = false; // the late members too
    std::vector<Burst> bursts;
};

struct BurstOnFrame {
    const BurstRecord *record = nullptr;
    bool result = false; // its figures are to be shown here
};

// A cycle of which a frame carries bytes.
struct CycleOnFrame {
    const Cycle *cycle = nullptr;
    unsigned roles = 0;  // bits by Role
    bool result = false; // its figures are to be shown here
    std::vector<BurstOnFrame> bursts;
};

// What the sender of the frame's segment knew; compact, because there is one for each segment.
struct SenderOnFrame {
    explicit SenderOnFrame(const TcpSampleRecord &);
    TcpSampleRecord sample() const; // the members that are not shown are empty

    static constexpr std::uint64_t unknown = ~std::uint64_t{0};

    std::uint64_t flight, flight_low, flight_high, cwnd, cwnd_low, cwnd_high, receive_window; // bytes
    std::int64_t rtt_ns; // negative: unknown
    std::uint32_t frame; // Wireshark's numbers have 32 bits
    PduDirection direction;
    SenderState state;
    SendLimit limit;
};

// A finding of which this frame is evidence.
struct FindingOnFrame {
    const Finding *finding;
    const EvidenceFrame *evidence;
    bool first; // of the finding's frames: it is counted here, so that sums and counts hold it once
};

// A PDU of which the header or the task tag is not in the file (Pdu::inferred).
struct InferredPdu {
    Opcode opcode;
    FrameNumber last_frame; // completed it, or is the last one before bytes that are in no frame
};

struct FrameFacts {
    std::vector<CycleOnFrame> cycles; // in stream order
    // Known since this frame, in the order of their delivery. Those that only the end of the capture confirms
    // are at the frame that completed them.
    std::vector<const InferredPdu *> inferred;
    std::vector<GapOnFrame> gaps;
    std::vector<const EventRecord *> events;
    std::vector<const Anomaly *> anomalies;
    std::vector<FindingOnFrame> findings; // empty while the file is being read
    const SenderOnFrame *sender = nullptr;
    const char *unread = nullptr;     // why iSCSI that this frame may hold was not read; null: nothing to say
    std::vector<const Cycle *> ended; // for statistics, each cycle once
    bool any() const {
        return !cycles.empty() || !inferred.empty() || !gaps.empty() || !events.empty() ||
               !anomalies.empty() || !findings.empty() || sender != nullptr || unread != nullptr;
    }
    void clear();
};

enum class ResultOn { end, command, both };

class Store final
    : public Takes<SegmentRecord, CycleBegun, PduBegun, PduRecord, CycleEnded, CycleRecord, BurstProgress,
                   BurstRecord, EventRecord, Anomaly, ConnectionRecord, SessionRecord, LunRecord>,
      public Sink<TcpSampleRecord> {
public:
    // senders: keep a sample of what the sender knew for each segment. ports: of iSCSI, besides 3260 and 860.
    Store(bool senders, std::vector<std::uint16_t> ports)
        : keeps_senders_(senders), ports_(std::move(ports)) {}

    // Takes the findings of the whole capture. Called once, after it has been read.
    void put_findings(FindingsResult);

    // States that iSCSI that this frame may hold was not read, and why. The words must live as long as the
    // store. Of more than some thousand frames the first count.
    void unread(FrameNumber, const char *why);
    // States that of connections on a port of iSCSI in which none was found. Called after the last record.
    void name_unread_connections();

    // Called before each segment is fed to the engine.
    void begin_frame(FrameNumber);

    // Called right after the frame was fed: gives the records that it caused, whichever frame they describe.
    void facts_now(FrameNumber, FrameFacts &) const;
    // Called later: returns all records about this frame.
    void facts_of(FrameNumber, ResultOn, FrameFacts &) const;

    const std::deque<Cycle> &cycles() const { return cycles_; }
    const std::deque<GapRecord> &gaps() const { return gaps_.all(); }
    const std::vector<ConnectionRecord> &connections() const { return connections_; }
    const std::vector<SessionRecord> &sessions() const { return sessions_; }
    const std::vector<LunRecord> &luns() const { return luns_; }
    // "10.1.0.1 to 10.2.0.1:3260": the addresses of a connection with cycles.
    std::string path_of(StreamId stream) const;

    void subscribe(RecordTables &) override; // its gaps too, and TcpSampleRecords if it keeps them
    void on(const SegmentRecord &) override;
    void on(const CycleBegun &) override;
    void on(const PduBegun &) override;
    void on(const PduRecord &) override;
    void on(const CycleEnded &) override;
    void on(const CycleRecord &) override;
    void on(const BurstProgress &) override;
    void on(const BurstRecord &) override;
    void on(const EventRecord &) override;
    void on(const TcpSampleRecord &) override;
    void on(const Anomaly &) override;
    void on(const ConnectionRecord &r) override { connections_.push_back(r); }
    void on(const SessionRecord &r) override { sessions_.push_back(r); }
    void on(const LunRecord &r) override { luns_.push_back(r); }

private:
    // A run of bytes of one direction that belongs to one cycle in one role.
    struct Run {
        std::uint64_t begin = 0, end = 0; // stream offsets
        CycleId cycle;
        std::uint64_t pdu = 0;           // stream offset of its PDU
        std::uint32_t tag = 0;           // R2TSN of an R2T; TargetTransferTag of a Data-Out
        std::uint32_t buffer_offset = 0; // of an R2T or Data-Out
        Role role{};
        bool ends_with_status = false; // Data-In with the S bit
    };
    struct Stream {
        std::vector<Run> runs[2]; // by Side of the sender, in stream order
        std::string path;
    };
    // The payload of a frame.
    struct Carried {
        std::uint64_t offset = 0;
        std::uint32_t frame = 0, length = 0, stream = 0;
        std::uint32_t senders = 0; // samples up to this frame; its own, if any, is the last of them
        Side side{};
    };

    Cycle &cycle(CycleId);
    Cycle *known(CycleId c) { return c.number < cycles_.size() ? &cycles_[c.number] : nullptr; }
    static CycleOnFrame &entry(FrameFacts &, const Cycle *);
    const Carried *payload_of(FrameNumber) const;
    void add_burst(CycleId cycle, std::uint32_t burst, bool result, FrameFacts &) const;
    void add_payload(FrameNumber, FrameFacts &) const;
    void add_inferred(FrameNumber, FrameFacts &) const;
    void add_unread(FrameNumber, FrameFacts &) const;
    void add_cycles(const Carried &, FrameFacts &) const;
    bool is_iscsi_port(std::uint16_t) const;
    void note_port(StreamId stream, const Segment &);
    Burst &put_burst(const BurstRecord &);
    void show_burst_now(Burst &); // its result

    std::deque<Cycle> cycles_; // by number; elements do not move
    GapStore gaps_;
    std::deque<EventRecord> events_;
    std::deque<Anomaly> anomalies_;
    bool keeps_senders_;
    std::vector<std::uint16_t> ports_;
    std::unordered_map<FrameNumber, const char *> unread_at_;
    // The first frame with payload of each connection on a port of iSCSI, by number of the connection.
    std::unordered_map<StreamId, FrameNumber> on_ports_;
    std::vector<bool> port_noted_;      // by number of the connection
    std::deque<SenderOnFrame> senders_; // by frame
    std::vector<ConnectionRecord> connections_;
    std::vector<SessionRecord> sessions_;
    std::vector<LunRecord> luns_;
    std::optional<FindingsResult> findings_;
    std::vector<std::unique_ptr<Stream>> streams_; // by number; null: a stream without iSCSI
    std::vector<Carried> carried_;                 // by frame
    std::unordered_multimap<FrameNumber, const Cycle *> ends_, begins_;
    // Bursts (cycle, number) by the frame that shows their result on later passes.
    std::unordered_multimap<FrameNumber, std::pair<CycleId, std::uint32_t>> burst_results_;
    std::multimap<FrameNumber, InferredPdu> inferred_at_; // of one frame, in the order of their delivery
    std::unordered_multimap<FrameNumber, const EventRecord *> events_at_;
    std::unordered_multimap<FrameNumber, const Anomaly *> anomalies_at_;
    std::multimap<FrameNumber, FindingOnFrame> findings_at_; // of one frame, in the findings' order
    // Records received since begin_frame().
    struct ThisFrame {
        FrameNumber frame = 0;
        std::vector<CycleId> ended;
        std::vector<std::pair<CycleId, std::uint32_t>> bursts, burst_results; // cycle, number
        std::size_t gaps = 0, events = 0, anomalies = 0;                      // counts at begin_frame()
    } this_frame_;
};

} // namespace iscsiscope::plugin
