// SPDX-License-Identifier: GPL-2.0-or-later
// Commands one by one, good or refused, and what the findings say of them.
#pragma once

#include "findings/made_facts.h"
#include "findings/made_wire.h"

#include <string>
#include <vector>

namespace iscsiscope::made {

// Commands one after the other on one connection, 10 ms apart, and what the findings say of them.
class Work {
public:
    Work() { facts_ = one_connection(); }

    std::uint64_t lun = 0, session = 0;

    // opcode 0x28 READ(10), 0x2a WRITE(10), 0x00 TEST UNIT READY ...
    void command(std::uint8_t opcode, TaskOutcome outcome, std::optional<std::uint32_t> sense = {}) {
        CycleRecord r;
        r.session = SessionId{session};
        r.stream = StreamId{session};
        r.type = opcode == 0x28 ? TaskType::read : opcode == 0x2a ? TaskType::write : TaskType::control;
        r.opcode = opcode;
        r.lun = lun << 48;
        r.lba = 1000;
        r.command_frame = ++frame_;
        r.status_frame = r.end_frame = ++frame_;
        r.start = time_from_ns(next_start_.count());
        r.end = r.start + response;
        r.response_time = response;
        r.queue_depth = 1;
        r.outcome = outcome;
        r.sense = sense;
        r.bytes_expected = asked;
        next_start_ += step;
        facts_.refusals.add(r);
        if (r.type != TaskType::control && outcome == TaskOutcome::good)
            ++facts_.types[static_cast<std::size_t>(r.type)].count;
        if (sense)
            facts_.senses[*sense].add(r);
    }
    void good(std::uint8_t opcode, int times = 1) {
        while (times-- > 0)
            command(opcode, TaskOutcome::good);
    }
    void check(std::uint8_t opcode, std::uint32_t sense, int times = 1) {
        while (times-- > 0)
            command(opcode, TaskOutcome::check_condition, sense);
    }
    void inquiry(std::uint8_t peripheral) {
        PresenceRecord r;
        r.session = SessionId{session};
        r.lun = lun << 48;
        r.frame = ++frame_;
        r.peripheral = peripheral;
        facts_.refusals.add(r);
    }
    void lists(std::vector<std::uint64_t> luns, bool whole = true) {
        PresenceRecord r;
        r.session = SessionId{session};
        r.frame = ++frame_;
        for (const std::uint64_t l : luns)
            r.luns.push_back(l << 48);
        r.whole = whole;
        facts_.refusals.add(r);
    }
    // A further session, of another host at another portal.
    void host_of(std::uint64_t number, std::uint8_t initiator, std::uint8_t portal) {
        while (facts_.connections.size() <= number)
            facts_.connections.push_back(one_connection().connections[0]);
        ConnectionRecord &r = facts_.connections[number].record;
        r.session = SessionId{number};
        r.stream = StreamId{number};
        r.initiator = host(initiator, 40001);
        r.target = host(portal, 3260);
        r.initiator_name = "iqn.host" + std::to_string(initiator);
        r.target_name = "iqn.t";
    }
    FindingsResult result() const { return found(facts_); }

    Duration response = 1ms, step = 10ms;
    std::uint32_t asked = 4096;
    Facts &facts() { return facts_; }

private:
    Facts facts_;
    Duration next_start_{};
    FrameNumber frame_ = 0;
};

inline constexpr std::uint32_t no_such_lun = 0x052500, no_space = 0x072707, threshold = 0x063807,
                               resized = 0x062a09, lun_list = 0x063f0e, transition = 0x02040a,
                               bad_field = 0x052400;
inline constexpr std::uint8_t read10 = 0x28, write10 = 0x2a, write_same = 0x93, test_ready = 0x00,
                              inquiry_code = 0x12;

inline bool holds(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

} // namespace iscsiscope::made
