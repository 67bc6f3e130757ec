// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/cycle_store.h"

#include <algorithm>

namespace iscsiscope::gui {
namespace {

// Bits of CycleChunk::known: which optional members the record has.
enum Known : std::uint16_t {
    knowsCid = 1,
    knowsCmdSn = 2,
    knowsOpcode = 4,
    knowsServiceAction = 8,
    knowsLba = 16,
    knowsBlocks = 32,
    knowsExpected = 64,
    knowsNextWait = 128,
    knowsCycleTime = 256,
    knowsService = 512,
    knowsIdle = 1024,
    knowsStatus = 2048,
    knowsResponse = 4096,
    knowsSense = 8192,
    knowsWay = 16384,
};
enum Flag : std::uint8_t {
    isImmediate = 1,
    isComplete = 2,
    isLostBeyondTap = 4,
    withPhases = 8,
    isInferred = 16,
    knowsTag = 32,
    knowsResidual = 64,
};

constexpr std::array phaseMembers = {&Phases::command,     &Phases::first_data_wait, &Phases::data,
                                     &Phases::unsolicited, &Phases::r2t_wait,        &Phases::burst_response,
                                     &Phases::burst_data,  &Phases::status_wait};
static_assert(phaseMembers.size() == phaseCount);

// The value of an optional member, its bit set in known.
template <class Stored, class T>
Stored put(const std::optional<T> &v, std::uint16_t bit, std::uint16_t &known) {
    if (!v)
        return Stored{};
    known = static_cast<std::uint16_t>(known | bit);
    return static_cast<Stored>(*v);
}

// A frame in 32 bits; 0: none.
std::uint32_t narrow(OptionalFrame f) {
    return static_cast<std::uint32_t>(std::min<FrameNumber>(f.value_or(0), 0xffffffffU));
}

} // namespace

void CycleStore::append(const CycleRecord &r, Row firstBurst, Row bursts) {
    CycleChunk &c = table_.chunkToAppend();
    const std::size_t i = table_.placeToAppend();
    std::uint16_t known = 0;
    c.span[i] = {r.start, r.end};
    c.response[i] = r.response_time.value_or(Duration{-1});
    c.cycleTime[i] = put<Duration>(r.cycle_time, knowsCycleTime, known);
    c.nextWait[i] = put<Duration>(r.next_command_wait, knowsNextWait, known);
    c.service[i] = put<Duration>(r.target_service, knowsService, known);
    c.idle[i] = put<Duration>(r.idle, knowsIdle, known);
    c.way[i] = put<Duration>(r.rtt_to_initiator, knowsWay, known);
    c.residual[i] = r.residual;
    for (std::size_t p = 0; p < phaseCount; ++p)
        c.phases[i][p] = r.phases.*phaseMembers[p];
    c.cycle[i] = r.cycle.number;
    c.lun[i] = r.lun;
    c.lba[i] = put<std::uint64_t>(r.lba, knowsLba, known);
    c.blocks[i] = put<std::uint64_t>(r.blocks, knowsBlocks, known);
    c.moved[i] = r.bytes_moved;
    c.cut[i] = r.cut_bytes;
    c.unseen[i] = r.unseen_bytes;
    c.session[i] = static_cast<std::uint32_t>(r.session.number);
    c.stream[i] = static_cast<std::uint32_t>(r.stream.number);
    c.itt[i] = r.itt;
    c.cmdSn[i] = put<std::uint32_t>(r.cmd_sn, knowsCmdSn, known);
    c.expected[i] = put<std::uint32_t>(r.bytes_expected, knowsExpected, known);
    c.sense[i] = put<std::uint32_t>(r.sense, knowsSense, known);
    c.commandFrame[i] = narrow(r.command_frame);
    c.firstDataFrame[i] = narrow(r.first_data_frame);
    c.lastDataFrame[i] = narrow(r.last_data_frame);
    c.statusFrame[i] = narrow(r.status_frame);
    c.endFrame[i] = narrow(r.end_frame);
    c.idleGaps[i] = r.idle_gaps;
    c.r2ts[i] = r.r2t_count;
    c.dataPdus[i] = r.data_pdus;
    c.retransmitted[i] = r.retransmitted_segments;
    c.depth[i] = r.queue_depth;
    c.sessionDepth[i] = r.session_depth;
    c.firstBurst[i] = firstBurst;
    c.bursts[i] = bursts;
    c.cid[i] = put<std::uint16_t>(r.cid, knowsCid, known);
    c.serviceAction[i] = put<std::uint16_t>(r.service_action, knowsServiceAction, known);
    c.type[i] = static_cast<std::uint8_t>(r.type);
    c.outcome[i] = static_cast<std::uint8_t>(r.outcome);
    c.opcode[i] = put<std::uint8_t>(r.opcode, knowsOpcode, known);
    c.status[i] = put<std::uint8_t>(r.status, knowsStatus, known);
    c.response8[i] = put<std::uint8_t>(r.response, knowsResponse, known);
    c.flags[i] =
        static_cast<std::uint8_t>((r.immediate ? isImmediate : 0) | (r.complete ? isComplete : 0) |
                                  (r.lost_beyond_tap ? isLostBeyondTap : 0) |
                                  (r.has_phases ? withPhases : 0) | (r.inferred ? isInferred : 0) |
                                  (r.tag_known ? knowsTag : 0) | (r.residual_known ? knowsResidual : 0));
    c.known[i] = known;
    table_.added();
}

CycleRecord CycleStore::record(Row row) const {
    const CycleChunk &c = chunk(row);
    const std::size_t i = at(row);
    const std::uint16_t known = c.known[i];
    const auto get = [known](std::uint16_t bit, auto v) {
        return (known & bit) != 0 ? std::optional(v) : std::nullopt;
    };
    CycleRecord r;
    r.cycle = CycleId{c.cycle[i]};
    r.session = SessionId{c.session[i]};
    r.stream = StreamId{c.stream[i]};
    r.cid = get(knowsCid, c.cid[i]);
    r.itt = c.itt[i];
    r.cmd_sn = get(knowsCmdSn, c.cmdSn[i]);
    r.immediate = (c.flags[i] & isImmediate) != 0;
    r.type = static_cast<TaskType>(c.type[i]);
    r.opcode = get(knowsOpcode, c.opcode[i]);
    r.service_action = get(knowsServiceAction, c.serviceAction[i]);
    r.lun = c.lun[i];
    r.lba = get(knowsLba, c.lba[i]);
    r.blocks = get(knowsBlocks, c.blocks[i]);
    r.bytes_expected = get(knowsExpected, c.expected[i]);
    r.bytes_moved = c.moved[i];
    r.tag_known = (c.flags[i] & knowsTag) != 0;
    r.residual = c.residual[i];
    r.residual_known = (c.flags[i] & knowsResidual) != 0;
    r.command_frame = known_frame(c.commandFrame[i]);
    r.first_data_frame = known_frame(c.firstDataFrame[i]);
    r.last_data_frame = known_frame(c.lastDataFrame[i]);
    r.status_frame = known_frame(c.statusFrame[i]);
    r.end_frame = known_frame(c.endFrame[i]);
    r.start = c.span[i].start;
    r.end = c.span[i].end;
    for (std::size_t p = 0; p < phaseCount; ++p)
        r.phases.*phaseMembers[p] = c.phases[i][p];
    r.has_phases = (c.flags[i] & withPhases) != 0;
    r.next_command_wait = get(knowsNextWait, c.nextWait[i]);
    r.response_time = responseTime(row);
    r.cycle_time = get(knowsCycleTime, c.cycleTime[i]);
    r.target_service = get(knowsService, c.service[i]);
    r.idle = get(knowsIdle, c.idle[i]);
    r.rtt_to_initiator = get(knowsWay, c.way[i]);
    r.idle_gaps = c.idleGaps[i];
    r.r2t_count = c.r2ts[i];
    r.data_pdus = c.dataPdus[i];
    r.retransmitted_segments = c.retransmitted[i];
    r.queue_depth = c.depth[i];
    r.session_depth = c.sessionDepth[i];
    r.outcome = static_cast<TaskOutcome>(c.outcome[i]);
    r.status = get(knowsStatus, c.status[i]);
    r.response = get(knowsResponse, c.response8[i]);
    r.sense = get(knowsSense, c.sense[i]);
    r.complete = (c.flags[i] & isComplete) != 0;
    r.inferred = (c.flags[i] & isInferred) != 0;
    r.lost_beyond_tap = (c.flags[i] & isLostBeyondTap) != 0;
    r.cut_bytes = c.cut[i];
    r.unseen_bytes = c.unseen[i];
    return r;
}

bool CycleStore::hasLba(Row r) const {
    return (chunk(r).known[at(r)] & knowsLba) != 0;
}

bool CycleStore::hasPhases(Row r) const {
    return (chunk(r).flags[at(r)] & withPhases) != 0;
}

std::uint32_t CycleStore::firstFrame(Row r) const {
    const CycleChunk &c = chunk(r);
    const std::size_t i = at(r);
    for (const std::uint32_t f :
         {c.commandFrame[i], c.firstDataFrame[i], c.lastDataFrame[i], c.statusFrame[i]})
        if (f != 0)
            return f;
    return c.endFrame[i];
}

std::uint32_t CycleStore::lastFrame(Row r) const {
    const CycleChunk &c = chunk(r);
    const std::size_t i = at(r);
    return std::max({c.commandFrame[i], c.lastDataFrame[i], c.statusFrame[i], c.endFrame[i]});
}

} // namespace iscsiscope::gui
