// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions with several tasks under way, every packet of them cut, some of them missing: are the PDUs
// that come out those of the session?
#include "catch.h"
#include "iscsi/busy_dialogue.h"
#include "iscsi/pdu_recording.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

using namespace iscsiscope;
using namespace traffic;

namespace {

struct Capture {
    std::uint32_t segment = 1448,
                  snap = 30; // payload bytes of a packet at most, and how many of them are in the file
    double missing = 0;      // share of the packets that are not in the file
};

struct Cut {
    std::vector<Packet> packets;
    std::vector<bool> visible[2]; // by stream offset
};

// Each turn of the dialogue is written at once, and sent in segments. The login is whole.
Cut cut(const BusyDialogue &d, const Capture &how, std::mt19937 &random) {
    Cut out{handshake(), {}};
    for (int side = 0; side < 2; ++side)
        out.visible[side].resize(d.stream(side).size());
    std::uint64_t sent[2] = {0, 0};
    for (const BusyDialogue::Turn &turn : d.turns()) {
        for (std::uint64_t at = turn.begin; at < turn.end; at = sent[turn.side]) {
            Packet p;
            p.side = turn.side;
            p.sequence = initial_sequence[turn.side] + static_cast<std::uint32_t>(at);
            p.acknowledgment =
                initial_sequence[1 - turn.side] + static_cast<std::uint32_t>(sent[1 - turn.side]);
            const std::uint64_t end = std::min<std::uint64_t>(turn.end, at + how.segment);
            const auto &stream = d.stream(turn.side);
            p.payload.assign(stream.begin() + static_cast<std::ptrdiff_t>(at),
                             stream.begin() + static_cast<std::ptrdiff_t>(end));
            sent[turn.side] = end;
            const bool login = at < d.login_end(turn.side);
            if (!login)
                p.cut_to = how.snap;
            if (!login && std::uniform_real_distribution<>(0, 1)(random) < how.missing)
                continue;
            for (std::uint64_t i = at; i < end && i - at < p.cut_to; ++i)
                out.visible[turn.side][i] = true;
            out.packets.push_back(std::move(p));
        }
    }
    stamp(out.packets, random);
    return out;
}

void run(PduRecording &recording, const std::vector<Packet> &packets) {
    IscsiEngine iscsi{recording, recording};
    FedTcp tcp{iscsi, recording};
    for (std::size_t i = 0; i < packets.size(); ++i)
        tcp.feed(segment(packets[i], i + 1));
    tcp.finish();
}

struct Found {
    std::vector<std::string>
        wrong; // PDUs that are none, and PDUs whose header is in the file and that are not found
    std::size_t real = 0, told = 0, inferred = 0;
};

std::string describe(int side, std::uint64_t begin, std::uint64_t end, Opcode opcode,
                     std::uint32_t data_length) {
    return "side " + std::to_string(side) + ", " + std::to_string(begin) + " to " + std::to_string(end) +
           ", opcode " + std::to_string(static_cast<int>(opcode)) + ", data " + std::to_string(data_length);
}

// Every PDU found must be one of the dialogue, and every one whose header is in the file must be found.
Found compare(const BusyDialogue &d, const Cut &c, const PduRecording &r) {
    Found out;
    for (int side = 0; side < 2; ++side) {
        std::map<std::uint64_t, const Pdu *> told;
        for (const Pdu &p : r.pdus[side]) {
            told[p.offset] = &p;
            out.inferred += p.inferred ? 1U : 0U;
        }
        out.told += told.size();
        for (const Dialogue::Placed &p : d.pdus(side)) {
            ++out.real;
            const auto at = c.visible[side].begin() + static_cast<std::ptrdiff_t>(p.begin);
            const bool there = std::all_of(at, at + basic_header_size, [](bool v) { return v; });
            const auto found = told.find(p.begin);
            if (found == told.end()) {
                if (there)
                    out.wrong.push_back("missed: " + describe(side, p.begin, p.end, p.opcode, p.data_length));
                continue;
            }
            if (found->second->end_offset == p.end && found->second->view().opcode() == p.opcode)
                told.erase(found);
        }
        for (const auto &[begin, p] : told)
            out.wrong.push_back("false: " +
                                describe(side, begin, p->end_offset, p->view().opcode(), p->data_length));
    }
    return out;
}

Found follow(const BusyOptions &options, bool some_missing, std::mt19937 &random) {
    Capture how;
    how.segment = random() % 3 == 0 ? 65000 : 1448;
    how.snap = static_cast<std::uint32_t>(30 + random() % 200);
    how.missing = !some_missing ? 0 : random() % 2 == 0 ? 0.01 : 0.05;
    const BusyDialogue d{options, random};
    const Cut c = cut(d, how, random);
    PduRecording r;
    run(r, c.packets);
    return compare(d, c, r);
}

Found follow(std::uint32_t seed, bool some_missing) {
    std::mt19937 random{seed};
    const BusyOptions options = random_busy_options(random);
    return follow(options, some_missing, random);
}

// Predictions are not proofs: two orders of PDUs of the same length may both agree with all that is in the
// file, and the right one may rest on a PDU of the other direction that was not found. In sessions of up to
// 16 tasks at once, served in any order, with all but 30 to 230 bytes of each packet missing, a few of 10,000
// predicted PDUs are false (docs/protocol.md). The bars below were set after that was known.
void check_many(bool some_missing, std::size_t allowed_of_a_thousand) {
    constexpr std::uint32_t sessions = 600;
    std::size_t wrong = 0, inferred = 0, told = 0, real = 0;
    for (std::uint32_t seed = 0; seed < sessions; ++seed) {
        const Found f = follow(seed, some_missing);
        wrong += f.wrong.size();
        inferred += f.inferred;
        told += f.told;
        real += f.real;
        if (!f.wrong.empty())
            UNSCOPED_INFO("seed " << seed << ": " << f.wrong.front());
    }
    std::printf(
        "FIGURE: %u busy sessions, packets cut%s: %zu of %zu PDUs found, %zu of them predicted, %zu wrong\n",
        sessions, some_missing ? " and some missing" : "", told, real, inferred, wrong);
    CHECK(wrong * 1000 <= inferred * allowed_of_a_thousand);
    CHECK(inferred > 0);
}

} // namespace

TEST_CASE("busy sessions, their packets cut: at most one of 1000 predicted PDUs is false", "[iscsi]") {
    check_many(false, 1);
}

TEST_CASE("busy sessions, their packets cut and some missing: at most one of 200 predicted PDUs is false",
          "[iscsi]") {
    check_many(true, 5);
}

// With one task at a time nothing can be mistaken for something else.
TEST_CASE("a session of one task at a time, its packets cut: no PDU is false or missed", "[iscsi]") {
    REQUIRE(rc::check([](std::uint32_t seed) {
        std::mt19937 random{seed};
        BusyOptions o = random_busy_options(random);
        o.depth = 1;
        RC_ASSERT(follow(o, false, random).wrong == std::vector<std::string>{});
    }));
}
