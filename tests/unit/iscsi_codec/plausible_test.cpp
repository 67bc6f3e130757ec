// SPDX-License-Identifier: GPL-2.0-or-later
// What is not a header is not taken for one.
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/codec/pdu/plausible.h"
#include "bytes.h"
#include "catch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

using namespace iscsiscope;

namespace {

bool plausible_either(const HeaderBytes &h) {
    return plausible_header(HeaderView(h), PduDirection::to_target) ||
           plausible_header(HeaderView(h), PduDirection::to_initiator);
}

// xorshift64*: fast, and the same on every run.
class Random {
public:
    std::uint64_t next() {
        x_ ^= x_ >> 12;
        x_ ^= x_ << 25;
        x_ ^= x_ >> 27;
        return x_ * 0x2545f4914f6cdd1dull;
    }
    HeaderBytes header() {
        std::array<std::uint64_t, 6> words;
        for (auto &w : words)
            w = next();
        HeaderBytes h;
        std::memcpy(h.data(), words.data(), h.size());
        return h;
    }

private:
    std::uint64_t x_ = 88172645463325252ull;
};

} // namespace

TEST_CASE("Zeros, ones, repeated bytes and text are not headers") {
    for (int b = 0; b < 256; ++b) {
        HeaderBytes h;
        h.fill(static_cast<std::byte>(b));
        CHECK_FALSE(plausible_either(h));
    }
    const std::string text = "The quick brown fox jumps over the lazy dog, 0123456789 times over. "
                             "#include <stdio.h>\n\tint main(void) { return 0; }\n";
    const auto raw = bytes(text + text);
    for (std::size_t i = 0; i + 48 <= raw.size(); ++i) {
        HeaderBytes h;
        std::memcpy(h.data(), &raw[i], h.size());
        CHECK_FALSE(plausible_either(h));
    }
}

TEST_CASE("Counters and sparse blocks are not headers") {
    for (const bool big : {false, true}) {
        for (std::uint32_t start = 0; start < 4096; ++start) {
            HeaderBytes h;
            for (std::uint32_t i = 0; i < 12; ++i)
                for (std::uint32_t k = 0; k < 4; ++k)
                    h[i * 4 + k] = static_cast<std::byte>((start + i) >> (8 * (big ? 3 - k : k)));
            CHECK_FALSE(plausible_either(h));
        }
    }
    // One or two bytes in zeros.
    std::size_t accepted = 0;
    for (std::size_t at = 0; at < 48; ++at)
        for (int v = 1; v < 256; ++v) {
            HeaderBytes h{};
            h[at] = static_cast<std::byte>(v);
            accepted += plausible_either(h) ? 1 : 0;
        }
    CHECK(accepted == 0);
}

TEST_CASE("Random bytes are taken for a header less than once in 2^24") {
    Random random;
    const std::size_t tries = std::size_t{1} << 26; // none of 2^26: below 2^-24.4 with 95 % confidence
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < tries; ++i)
        accepted += plausible_either(random.header()) ? 1 : 0;
    WARN("accepted " << accepted << " of 2^26 random blocks");
    CHECK(accepted == 0);
}

TEST_CASE("Random bytes behind a valid first byte, and behind a valid first word") {
    Random random;
    for (const int first : {0x00, 0x40, 0x01, 0x41, 0x02, 0x42, 0x43, 0x04, 0x44, 0x05, 0x06, 0x46,
                            0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x31, 0x32, 0x3f}) {
        std::size_t accepted = 0, accepted_word = 0;
        for (std::size_t i = 0; i < (std::size_t{1} << 20); ++i) {
            HeaderBytes h = random.header();
            h[0] = static_cast<std::byte>(first);
            accepted += plausible_either(h) ? 1 : 0;
            h[1] = std::byte{0x80};
            h[2] = h[3] = h[4] = std::byte{0};
            accepted_word += plausible_either(h) ? 1 : 0;
        }
        CAPTURE(first);
        CHECK(accepted == 0);
        // A login has no LUN, so more passes; every other type is still below one in 2^16.
        CHECK(accepted_word <= (first == 0x43 || first == 0x23 ? 64u : 8u));
    }
}

TEST_CASE("A plausible header can be parsed") {
    // Mutations of a real header: whatever plausible_header takes, the PDU's parse takes.
    Random random;
    ScsiCommand c;
    c.initiator_task_tag = InitiatorTaskTag{9};
    c.cmd_sn = CmdSn{10};
    c.write = true;
    c.expected_data_transfer_length = 65536;
    DataIn d;
    d.initiator_task_tag = InitiatorTaskTag{9};
    d.data_segment_length = 4096;
    d.exp_cmd_sn = CmdSn{10};
    d.max_cmd_sn = CmdSn{40};
    std::size_t taken = 0;
    for (std::size_t i = 0; i < 400000; ++i) {
        HeaderBytes h = i % 2 == 0 ? c.encode() : d.encode();
        for (int k = 0; k < 3; ++k)
            h[random.next() % 48] = static_cast<std::byte>(random.next() >> 56);
        const HeaderView v(h);
        if (v.opcode() == Opcode::scsi_command && plausible_header(v, PduDirection::to_target)) {
            ++taken;
            REQUIRE(ScsiCommand::parse(v));
        }
        if (v.opcode() == Opcode::data_in && plausible_header(v, PduDirection::to_initiator)) {
            ++taken;
            REQUIRE(DataIn::parse(v));
        }
    }
    CHECK(taken > 1000);
}

TEST_CASE("Logical unit numbers of every addressing method are taken") {
    ScsiCommand c;
    c.initiator_task_tag = InitiatorTaskTag{1};
    c.cmd_sn = CmdSn{1};
    for (const std::uint64_t lun :
         {0x0000000000000000ull, 0x00ff000000000000ull, 0x4100000000000000ull, 0x7fff000000000000ull,
          0xc101000000000000ull, 0xd201020300000000ull, 0x0102000300000000ull}) {
        c.lun = Lun{lun};
        CHECK(plausible_header(HeaderView(c.encode()), PduDirection::to_target));
    }
    for (const std::uint64_t lun : {0x0000000000000001ull, 0x4100000100000000ull, 0xffff000000000000ull}) {
        c.lun = Lun{lun};
        CHECK_FALSE(plausible_header(HeaderView(c.encode()), PduDirection::to_target));
    }
}

TEST_CASE("Where a Login PDU must stand, random bytes are taken for one less than once in 2^24") {
    Random random;
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < (std::size_t{1} << 26); ++i) {
        const HeaderBytes h = random.header();
        for (const PduDirection direction : {PduDirection::to_target, PduDirection::to_initiator})
            accepted += login_phase_header(HeaderView(h), direction, true) ? 1 : 0;
    }
    CHECK(accepted <= 4);
}

TEST_CASE("Where a Login PDU must stand, opcode and lengths decide") {
    const auto taken = [](std::initializer_list<int> first, PduDirection direction, bool begins) {
        HeaderBytes h{};
        std::ranges::transform(first, h.begin(), [](int b) { return static_cast<std::byte>(b); });
        return login_phase_header(HeaderView(h), direction, begins);
    };
    const auto request = PduDirection::to_target, response = PduDirection::to_initiator;
    CHECK(taken({0x23}, response, true));
    CHECK(taken({0x23, 0x04, 0, 0, 0, 0, 0x20, 0x00}, response, true));
    CHECK_FALSE(
        taken({0x23, 0x04, 0, 0, 0, 0, 0x20, 0x01}, response, true)); // more text than anybody allowed
    CHECK_FALSE(taken({0x23, 0, 0, 0, 1}, response, true));           // no Login PDU has an AHS
    CHECK_FALSE(taken({0x63}, response, true));
    CHECK_FALSE(taken({0x23}, request, true));
    CHECK_FALSE(taken({0x25}, response, true));
    CHECK(taken({0x43, 0x87, 0, 0, 0, 0, 0x01, 0xb0}, request, true));
    CHECK_FALSE(taken({0x43, 0x87}, request, true)); // the first request names the initiator
    CHECK(taken({0x43, 0x87}, request, false));
    CHECK_FALSE(taken({0x03, 0x87, 0, 0, 0, 0, 0x01, 0xb0}, request, true)); // never without the I bit
    CHECK_FALSE(taken({0x43, 0x87, 0, 0, 0, 0, 0x01, 0xb0}, response, true));
    CHECK(taken({0x3f, 0x80, 0x04, 0, 0, 0, 0, 48}, response, true));
    CHECK_FALSE(taken({0x3f, 0x80, 0x04, 0, 0, 0, 0, 47}, response, true)); // a Reject returns a header
}
