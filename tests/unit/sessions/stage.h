// SPDX-License-Identifier: GPL-2.0-or-later
// Hand-made conversations through the CycleEngine into a SessionAnalysis.
#pragma once

#include "analyzer/sessions/session_analysis.h"
#include "tests/unit/cycles/conversation.h"

#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope::test {

// The header with other numbers than the conversation's own.
inline HeaderBytes with(HeaderBytes h, std::size_t offset, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i)
        h[offset + i] = std::byte(value >> (24 - 8 * i) & 0xff);
    return h;
}
inline HeaderBytes with_lba(const HeaderBytes &h, std::uint32_t lba) {
    return with(h, 32 + 2, lba);
}
inline HeaderBytes with_window(const HeaderBytes &h, std::uint32_t exp, std::uint32_t max) {
    return with(with(h, 28, exp), 32, max);
}
inline HeaderBytes with_stat_sn(const HeaderBytes &h, std::uint32_t sn) {
    return with(h, 24, sn);
}
inline HeaderBytes with_offset(const HeaderBytes &h, std::uint32_t offset) {
    return with(h, 40, offset);
}

inline Login login_of(const char *target, std::uint8_t isid = 1, std::uint16_t requested_tsih = 0,
                      std::uint16_t tsih = 1, std::uint16_t cid = 0) {
    Login l;
    l.accepted = l.finished = l.whole = true;
    l.initiator_name = "iqn.i";
    l.target_name = target;
    l.session_type = "Normal";
    l.target_portal_group = "1";
    l.isid = {0, 2, 3, 4, 5, isid};
    l.requested_tsih = requested_tsih;
    l.tsih = tsih;
    l.cid = cid;
    return l;
}

struct Stage {
    SessionAnalysis analysis;
    CycleEngine engine{analysis};
    std::uint64_t frames = 0;
    std::vector<std::unique_ptr<Link>> links;

    explicit Stage(SessionOptions options = {}) : analysis(options) {}
    // Last bytes of the addresses.
    Link &connect(std::uint8_t initiator = 1, std::uint8_t target = 2, std::optional<Duration> syn = {}) {
        const auto n = links.size();
        const std::array<Endpoint, 2> ends{
            Endpoint{address(initiator), static_cast<std::uint16_t>(40000 + n)},
            Endpoint{address(target), 3260}};
        links.push_back(
            std::make_unique<Link>(engine, frames, StreamId{n}, static_cast<std::uint32_t>(n), ends, syn));
        return *links.back();
    }
    SessionFigures end(Duration when) {
        for (auto &l : links)
            l->close(when);
        return analysis.take();
    }
    static IpAddress address(std::uint8_t last) {
        IpAddress a;
        a.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
        return a;
    }
};

// A Read of one Data-In with its status, answered `after` it was sent.
inline void read(Link &l, Duration when, Duration after, std::uint32_t itt, std::uint32_t cmd_sn,
                 std::uint32_t bytes = 4096) {
    l.send(when, to_target, read_command(itt, cmd_sn, bytes));
    l.send(when + after, to_initiator, with_window(data_in(itt, 0, bytes, true), cmd_sn + 1, cmd_sn + 64));
}

inline const RuleRow &row(const SessionFigures &f, Rule r) {
    return f.conformance.rules[static_cast<std::size_t>(r)];
}

// Two connections of one session.
inline std::pair<Link *, Link *> pair_of(Stage &stage) {
    Link &a = stage.connect(), &b = stage.connect();
    a.login(0ms, login_of("iqn.t", 1, 0, 7, 0));
    b.login(1ms, login_of("iqn.t", 1, 7, 7, 1));
    return {&a, &b};
}

} // namespace iscsiscope::test
