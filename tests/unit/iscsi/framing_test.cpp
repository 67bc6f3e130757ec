// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/text_keys.h"
#include "catch.h"
#include "iscsi/dialogue.h"
#include "iscsi/pdu_recording.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <rapidcheck.h>

#include <algorithm>

using namespace iscsiscope;
using namespace traffic;

namespace {

IscsiCoverage run(PduRecording &recording, const std::vector<Packet> &packets,
                  std::uint16_t target_port = 3260) {
    IscsiEngine iscsi{recording, recording};
    FedTcp tcp{iscsi, recording};
    for (std::size_t i = 0; i < packets.size(); ++i)
        tcp.feed(segment(packets[i], i + 1, 50000, target_port));
    tcp.finish();
    return iscsi.coverage();
}

DialogueOptions random_options(std::mt19937 &random) {
    DialogueOptions o;
    o.header_digest = random() % 2 == 0;
    o.data_digest = random() % 2 == 0;
    o.target_leaves_digests_out = !o.header_digest && !o.data_digest && random() % 2 == 0;
    o.tasks = static_cast<int>(random() % 12) + 3;
    o.largest_data = random() % 3 == 0 ? 60 : 9000;
    return o;
}

// Packets of both sides. What answers a login comes behind its request; with `causal` also the first
// command behind that answer, else commands may overtake it.
std::vector<Packet> packets_of(const Dialogue &d, bool syn, bool causal, const Disorder &how,
                               std::mt19937 &random) {
    std::vector<Packet> out = syn ? handshake() : std::vector<Packet>{};
    const auto append = [&](const std::vector<Packet> &more) {
        out.insert(out.end(), more.begin(), more.end());
    };
    append(scramble(0, d.stream(0), 0, d.login_end(0), random, how));
    if (causal)
        append(scramble(1, d.stream(1), 0, d.login_end(1), random, how));
    const std::vector<Packet> side[2] = {
        scramble(0, d.stream(0), d.login_end(0), d.stream(0).size(), random, how),
        scramble(1, d.stream(1), causal ? d.login_end(1) : 0, d.stream(1).size(), random, how)};
    std::size_t at[2] = {0, 0};
    while (at[0] < side[0].size() || at[1] < side[1].size()) {
        const int s = at[1] == side[1].size() || (at[0] < side[0].size() && random() % 2 == 0) ? 0 : 1;
        out.push_back(side[s][at[s]++]);
    }
    stamp(out, random);
    return out;
}

// Every time of a PDU, from the first-seen time of each byte and nothing else.
void check_against_oracle(const PduRecording &r, const Dialogue &d, const std::vector<Packet> &packets) {
    RC_ASSERT(!r.order_broken);
    for (int side = 0; side < 2; ++side) {
        const auto oracle = first_seen(side, packets, d.stream(side).size());
        RC_ASSERT(r.pdus[side].size() == d.pdus(side).size());
        FirstSeen reached = *oracle[d.pdus(side).front().begin];
        const auto later = [](const FirstSeen &a, const FirstSeen &b) {
            return a.time_ns > b.time_ns || (a.time_ns == b.time_ns && a.frame > b.frame) ? a : b;
        };
        for (std::size_t i = 0; i < d.pdus(side).size(); ++i) {
            const Pdu &got = r.pdus[side][i];
            const Dialogue::Placed &want = d.pdus(side)[i];
            RC_ASSERT(got.view().opcode() == want.opcode);
            RC_ASSERT(got.offset == want.begin);
            RC_ASSERT(got.end_offset == want.end);
            RC_ASSERT(got.data_length == want.data_length);
            RC_ASSERT(got.header_digest != DigestState::bad && got.data_digest != DigestState::bad);
            RC_ASSERT(got.cut_bytes == 0U && got.unseen_bytes == 0U);
            FirstSeen complete = *oracle[want.begin], header{};
            for (std::uint64_t k = want.begin; k < want.end; ++k) {
                complete = later(complete, *oracle[k]);
                reached = later(reached, *oracle[k]);
                if (k + 1 == want.header_end)
                    header = reached;
            }
            RC_ASSERT(to_ns(got.first_seen) == oracle[want.begin]->time_ns);
            RC_ASSERT(got.frame == oracle[want.begin]->frame);
            RC_ASSERT(to_ns(got.complete) == complete.time_ns);
            RC_ASSERT(got.last_frame == complete.frame);
            RC_ASSERT(to_ns(got.delivered) == reached.time_ns);
            RC_ASSERT(got.delivered_frame == reached.frame);
            RC_ASSERT(to_ns(got.header_delivered) == header.time_ns);
            RC_ASSERT(got.header_frame == header.frame);
        }
    }
}

// A dialogue, cut, repeated and reordered as the seed says.
void check_disordered(std::uint32_t seed) {
    std::mt19937 random{seed};
    const DialogueOptions options = random_options(random);
    const Dialogue d{options, random};
    const Disorder how{.smallest = 1,
                       .largest = static_cast<std::uint32_t>(1 + random() % 3000),
                       .repeat = 0.3,
                       .reorder_distance = random() % 12};
    const auto packets = packets_of(d, true, random() % 2 == 0, how, random);
    PduRecording r;
    run(r, packets, random() % 2 == 0 ? 3260 : 13260);
    check_against_oracle(r, d, packets);
    RC_ASSERT(r.logins.size() == 1U);
    RC_ASSERT(r.logins[0].accepted);
    RC_ASSERT(r.logins[0].keys.parameters.header_digest_crc32c == options.header_digest);
    const auto expected = [](bool on) { return on ? DigestState::ok : DigestState::none; };
    for (int side = 0; side < 2; ++side) {
        for (const Pdu &p : r.pdus[side]) {
            if (p.offset < d.login_end(side))
                continue;
            RC_ASSERT(p.header_digest == expected(options.header_digest));
            RC_ASSERT(p.data_digest == expected(options.data_digest && p.data_length > 0));
        }
    }
}

} // namespace

namespace {

// Each PDU told is one of the dialogue, in order: its offsets, opcode and length are those, whether its
// header was in the file or was predicted.
bool all_true(const std::vector<Pdu> &told, const std::vector<Dialogue::Placed> &dialogue) {
    auto next = dialogue.begin();
    return std::all_of(told.begin(), told.end(), [&](const Pdu &p) {
        next = std::find_if(next, dialogue.end(),
                            [&](const Dialogue::Placed &d) { return d.begin == p.offset; });
        return next != dialogue.end() && next->end == p.end_offset && next->opcode == p.view().opcode() &&
               next->data_length == p.data_length;
    });
}

bool has_all(const std::vector<Pdu> &told, const std::vector<std::uint64_t> &offsets) {
    return std::all_of(
        offsets.begin(), offsets.end(),
        [&](std::uint64_t offset) {
            return std::any_of(
                told.begin(), told.end(), [offset](const Pdu &p) { return p.offset == offset; });
        });
}

} // namespace

TEST_CASE("any cutting, repeating and reordering gives the same PDUs with the oracle's times", "[iscsi]") {
    REQUIRE(rc::check([](std::uint32_t seed) { check_disordered(seed); }));
}

// In the dialogue of seed 12812 the login answer arrives between the header and the header digest of a
// command that overtook it.
TEST_CASE("the login answer may come in the middle of a command that overtook it", "[iscsi]") {
    CHECK_NOTHROW(check_disordered(12812));
}

TEST_CASE("in the middle of a stream every PDU from the second whole one on is found, none false",
          "[iscsi]") {
    REQUIRE(rc::check([](std::uint32_t seed) {
        std::mt19937 random{seed};
        DialogueOptions options = random_options(random);
        options.tasks += 10;
        const Dialogue d{options, random};
        auto packets = packets_of(d, false, false,
                                  {.smallest = 1,
                                   .largest = static_cast<std::uint32_t>(200 + random() % 3000),
                                   .repeat = 0.0,
                                   .reorder_distance = 0},
                                  random);
        packets.erase(packets.begin(),
                      packets.begin() + static_cast<std::ptrdiff_t>(random() % (packets.size() / 2)));
        PduRecording r;
        run(r, packets, random() % 2 == 0 ? 3260 : 13260);
        for (int side = 0; side < 2; ++side) {
            const auto first = std::find_if(
                packets.begin(), packets.end(),
                [&](const Packet &p) { return p.side == side && !p.payload.empty(); });
            if (first == packets.end())
                continue;
            const std::uint64_t start = first->sequence - initial_sequence[side];
            std::vector<std::uint64_t> whole, found;
            for (const auto &p : d.pdus(side))
                if (p.begin >= start)
                    whole.push_back(p.begin);
            for (const Pdu &p : r.pdus[side])
                found.push_back(p.offset + start);
            for (std::uint64_t f : found)
                RC_ASSERT(std::binary_search(whole.begin(), whole.end(), f));
            if (whole.size() < 3)
                continue;
            for (std::size_t i = 1; i < whole.size(); ++i)
                RC_ASSERT(std::binary_search(found.begin(), found.end(), whole[i]));
        }
    }));
}

TEST_CASE("bytes that nobody saw cost only the PDUs whose headers they took", "[iscsi]") {
    REQUIRE(rc::check([](std::uint32_t seed) {
        std::mt19937 random{seed};
        DialogueOptions options = random_options(random);
        options.tasks = 20;
        const Dialogue d{options, random};
        auto packets = packets_of(
            d, true, true, {.smallest = 100, .largest = 1500, .repeat = 0, .reorder_distance = 0}, random);
        std::int64_t end_ns = packets.back().time_ns;
        // One segment of the answers is not in the capture, but the initiator ACKs what it held.
        std::vector<std::size_t> candidates;
        for (std::size_t i = 0; i < packets.size(); ++i)
            if (packets[i].side == 1 && packets[i].sequence - initial_sequence[1] >= d.login_end(1))
                candidates.push_back(i);
        const std::size_t gone = candidates[random() % candidates.size()];
        const std::uint64_t begin = packets[gone].sequence - initial_sequence[1];
        const std::uint64_t end = begin + packets[gone].payload.size();
        packets.erase(packets.begin() + static_cast<std::ptrdiff_t>(gone));
        Packet ack{.side = 0,
                   .sequence = initial_sequence[0] + static_cast<std::uint32_t>(d.stream(0).size()),
                   .acknowledgment = initial_sequence[1] + static_cast<std::uint32_t>(d.stream(1).size()),
                   .payload = {},
                   .time_ns = end_ns};
        packets.push_back(ack);
        PduRecording r;
        const IscsiCoverage coverage = run(r, packets);
        RC_ASSERT(coverage.unseen_bytes == end - begin);
        std::vector<std::uint64_t> expected;
        std::uint64_t unseen_in_pdus = 0;
        for (const auto &p : d.pdus(1)) {
            const bool header_gone = p.begin < end && p.begin + basic_header_size > begin;
            if (!header_gone)
                expected.push_back(p.begin);
        }
        for (const Pdu &p : r.pdus[1])
            unseen_in_pdus += p.unseen_bytes;
        // Behind the hole a reading is believed by the numbers it carries: none is missed.
        RC_ASSERT(all_true(r.pdus[1], d.pdus(1)));
        RC_ASSERT(has_all(r.pdus[1], expected));
        RC_ASSERT(unseen_in_pdus <= end - begin);
        RC_ASSERT(r.pdus[0].size() == d.pdus(0).size());
    }));
}

TEST_CASE("segments cut by the snap length: every PDU whose header is in the file, none false", "[iscsi]") {
    REQUIRE(rc::check([](std::uint32_t seed) {
        std::mt19937 random{seed};
        DialogueOptions options = random_options(random);
        options.tasks = 20;
        const Dialogue d{options, random};
        auto packets = packets_of(
            d, true, true, {.smallest = 48, .largest = 1460, .repeat = 0, .reorder_distance = 0}, random);
        const auto snap = static_cast<std::uint32_t>(60 + random() % 300);
        std::vector<bool> visible[2] = {std::vector<bool>(d.stream(0).size()),
                                        std::vector<bool>(d.stream(1).size())};
        for (Packet &p : packets) {
            const std::uint32_t begin = p.sequence - initial_sequence[p.side];
            if (begin >= d.login_end(p.side))
                p.cut_to = snap;
            if (p.payload.empty())
                continue;
            for (std::uint32_t k = 0; k < p.payload.size() && k < p.cut_to; ++k)
                visible[p.side][begin + k] = true;
        }
        PduRecording r;
        run(r, packets);
        for (int side = 0; side < 2; ++side) {
            std::vector<std::uint64_t> expected;
            for (const auto &p : d.pdus(side)) {
                const auto at = visible[side].begin() + static_cast<std::ptrdiff_t>(p.begin);
                if (std::all_of(
                        at, at + basic_header_size, [](bool v) { return v; }))
                    expected.push_back(p.begin);
            }
            RC_ASSERT(all_true(r.pdus[side], d.pdus(side)));
            RC_ASSERT(has_all(r.pdus[side], expected));
        }
    }));
}

TEST_CASE("a stream that is no iSCSI gives no PDU and is given up", "[iscsi]") {
    std::mt19937 random{3};
    for (bool syn : {true, false}) {
        for (std::uint16_t port : {std::uint16_t{80}, std::uint16_t{3260}}) {
            std::vector<Packet> packets = syn ? handshake() : std::vector<Packet>{};
            for (std::uint32_t i = 0; i < 2000; ++i) {
                Packet p{.side = static_cast<int>(i % 2),
                         .sequence = initial_sequence[i % 2] + i / 2 * 1400,
                         .acknowledgment = 0,
                         .payload = std::vector<std::byte>(1400)};
                for (std::byte &b : p.payload)
                    b = i % 5 == 0 ? std::byte{0} : static_cast<std::byte>(random());
                packets.push_back(p);
            }
            stamp(packets, random);
            PduRecording r;
            run(r, packets, port);
            CHECK(r.connections == 0);
            CHECK(r.pdus[0].empty());
            CHECK(r.pdus[1].empty());
        }
    }
}

TEST_CASE("a capture cut anywhere gives the PDUs that were whole by then", "[iscsi]") {
    std::mt19937 random{11};
    DialogueOptions options;
    options.tasks = 6;
    options.largest_data = 500;
    const Dialogue d{options, random};
    const auto packets = packets_of(
        d, true, true, {.smallest = 40, .largest = 400, .repeat = 0.2, .reorder_distance = 3}, random);
    PduRecording whole;
    run(whole, packets);
    for (std::size_t n = 0; n <= packets.size(); ++n) {
        PduRecording part;
        run(part, {packets.begin(), packets.begin() + static_cast<std::ptrdiff_t>(n)});
        for (int side = 0; side < 2; ++side) {
            // What waits behind a hole at the end may still be found; nothing that is not there is.
            auto at = whole.pdus[side].begin();
            for (const Pdu &p : part.pdus[side]) {
                at = std::find_if(at, whole.pdus[side].end(),
                                  [&](const Pdu &w) { return w.offset == p.offset; });
                REQUIRE(at != whole.pdus[side].end());
                REQUIRE(at->first_seen == p.first_seen);
                REQUIRE((at->delivered == p.delivered || part.anomalies.count(AnomalyKind::stream_hole) > 0));
            }
        }
    }
}

TEST_CASE("headers that the standard forbids are followed and counted while their numbers go on", "[iscsi]") {
    std::mt19937 random{4};
    DialogueOptions options;
    options.tasks = 12;
    const Dialogue d{options, random};
    std::vector<std::byte> odd = d.stream(1);
    int spoilt = 0;
    for (const auto &p : d.pdus(1)) {
        if (p.opcode != Opcode::scsi_response && p.opcode != Opcode::r2t)
            continue;
        odd[p.begin + 2] = std::byte{0x20}; // reserved bits, or a response code that does not exist
        ++spoilt;
    }
    std::vector<Packet> packets = handshake();
    const Disorder plain{.smallest = 100, .largest = 1400, .repeat = 0, .reorder_distance = 0};
    for (const auto &[side, from, to] : {std::tuple{0, std::uint64_t{0}, d.login_end(0)},
                                         {1, std::uint64_t{0}, d.login_end(1)},
                                         {0, d.login_end(0), std::uint64_t{d.stream(0).size()}},
                                         {1, d.login_end(1), std::uint64_t{odd.size()}}}) {
        const auto more = scramble(side, side == 0 ? d.stream(0) : odd, from, to, random, plain);
        packets.insert(packets.end(), more.begin(), more.end());
    }
    stamp(packets, random);
    PduRecording r;
    run(r, packets);
    CHECK(r.pdus[0].size() == d.pdus(0).size());
    CHECK(r.pdus[1].size() == d.pdus(1).size());
    CHECK(r.anomalies[AnomalyKind::malformed_pdu] == spoilt);
}

// The Login Request is in no frame, is as long as three commands without data, and the numbers leave room for
// three: no frame could say when those were sent. The answer does not acknowledge it, and so comes first.
TEST_CASE("no PDU is predicted before the first frame of its direction", "[iscsi]") {
    constexpr std::uint32_t unseen = 3 * basic_header_size;
    const auto bytes_of = [](const HeaderBytes &header, std::span<const std::byte> data) {
        std::vector<std::byte> out;
        const FramedPdu framed{header, data, DigestUse{}};
        for (const auto &part : framed.parts())
            out.insert(out.end(), part.begin(), part.end());
        return out;
    };
    const std::vector<KeyValue> keys{{"HeaderDigest", "None"}, {"DataDigest", "None"}};
    std::vector<Packet> packets = handshake();
    packets.push_back({.side = 1,
                       .sequence = initial_sequence[1],
                       .acknowledgment = initial_sequence[0],
                       .payload = bytes_of(only_login_response(1, 1).encode(), build_text(keys))});
    const auto answered = initial_sequence[1] + static_cast<std::uint32_t>(packets.back().payload.size());
    for (std::uint32_t i = 0; i < 4; ++i) {
        ScsiCommand command;
        command.read = true;
        command.initiator_task_tag = InitiatorTaskTag{7 + i};
        command.expected_data_transfer_length = 512;
        command.cmd_sn = CmdSn{4 + i};
        command.exp_stat_sn = StatSn{2};
        command.cdb[0] = std::byte{0x28};
        packets.push_back({.side = 0,
                           .sequence = initial_sequence[0] + unseen + i * std::uint32_t{basic_header_size},
                           .acknowledgment = answered,
                           .payload = bytes_of(command.encode(), {})});
    }
    std::mt19937 random{1};
    stamp(packets, random);
    PduRecording r;
    run(r, packets);
    REQUIRE(r.logins.size() == 1);
    REQUIRE(r.pdus[0].size() == 4);
    CHECK(r.pdus[0].front().offset == unseen);
    CHECK(r.pdus[0].front().frame == 5);
}

TEST_CASE("times before 1970 are times like others", "[iscsi]") {
    std::mt19937 random{5};
    const Dialogue d{DialogueOptions{}, random};
    auto packets = packets_of(d, true, true, {}, random);
    constexpr std::int64_t century_ns = std::int64_t{100} * 365 * 24 * 3600 * 1'000'000'000;
    for (Packet &p : packets)
        p.time_ns -= century_ns;
    PduRecording r;
    run(r, packets);
    CHECK_NOTHROW(check_against_oracle(r, d, packets));
}
