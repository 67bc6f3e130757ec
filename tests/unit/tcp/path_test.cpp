// SPDX-License-Identifier: GPL-2.0-or-later
// What is of the path, and what of a queue, an ACK that was held, or a loss: conversations made by hand.
#include "catch.h"
#include "diagnosed_talk.h"

using namespace iscsiscope;
using namespace traffic;
using namespace std::chrono_literals;

namespace {

// Sends this much at once, times over, each acknowledged as a whole; stamps count milliseconds.
void exchange(Talk &talk, std::uint32_t &sent, int times, std::uint32_t length, std::int64_t round_trip) {
    for (int i = 0; i < times; ++i) {
        for (std::uint32_t part = 0; part < length; part += 1000) {
            talk.data(sent, 1000, static_cast<std::uint32_t>(talk.now / ms));
            sent += 1000;
        }
        talk.now += round_trip;
        talk.ack(sent);
        talk.now += 5 * ms;
    }
}

} // namespace

TEST_CASE("a queue is empty while little is in flight; a path that became longer is not shorter then") {
    Talk queue, path;
    std::uint32_t a = 0, b = 0;
    exchange(queue, a, 20, 2000, 10 * ms);
    exchange(path, b, 20, 2000, 10 * ms);
    exchange(path, b, 10, 2000, 60 * ms);
    for (int i = 0; i < 20; ++i) {
        exchange(queue, a, 3, 60000, 60 * ms);
        exchange(queue, a, 1, 2000, 10 * ms);
        exchange(path, b, 3, 60000, 60 * ms);
        exchange(path, b, 1, 2000, 60 * ms);
    }
    const TcpDirectionFigures &q = queue.finish(), &p = path.finish();
    CHECK(q.empty_path.value() < 11ms);
    CHECK(q.queue_delay.median.value() > 49ms);
    CHECK(p.empty_path.value() > 59ms);
    CHECK(p.queue_delay.median.value() < 1ms);
    CHECK(p.queue_delay.p95.value() < 51ms); // of the first few on the longer path
}

TEST_CASE("an ACK was held if it took longer than those that leave at once, on the path as it is") {
    const auto held = [](std::int64_t now, std::int64_t last) {
        Talk talk;
        std::uint32_t sent = 0;
        exchange(talk, sent, 10, 2000, 10 * ms);
        exchange(talk, sent, 10, 2000, now);
        exchange(talk, sent, 10, 1000, last);
        return talk.finish().delayed_acks.count;
    };
    CHECK(held(10 * ms, 10 * ms) == 0);
    CHECK(held(10 * ms, 50 * ms) == 10);
    CHECK(held(60 * ms, 60 * ms) < 5); // the first few, before the path is known to be longer
    CHECK(held(60 * ms, 100 * ms) >= 10);
}

TEST_CASE("a segment sent again was lost behind the tap only if its receiver shows it") {
    // Returns the repeats counted as lost of which nothing shows the loss.
    const auto not_shown = [](bool hole_reported, bool sack, bool answered_at_once) {
        Talk talk(1460, sack);
        talk.data(0, 1000, 1);
        talk.now += 10 * ms;
        talk.ack(1000);
        talk.data(1000, 1000, 11);
        talk.data(2000, 1000, 11);
        talk.now += 10 * ms;
        if (hole_reported)
            talk.ack(1000, 60000, 2000, 3000); // SACK
        talk.now += 300 * ms;
        talk.data(1000, 1000, 321);
        talk.now += 10 * ms;
        talk.echo = answered_at_once ? 321 : 322; // 322: of a later segment, the answer to the repeat is lost
        talk.ack(3000);
        talk.now += 2000 * ms;
        talk.data(3000, 1000, 2331);
        const TcpDirectionFigures &f = talk.finish();
        CHECK(f.lost_behind_tap == 1);
        return f.loss_not_shown;
    };
    CHECK(not_shown(false, false, true) == 1);
    CHECK(not_shown(true, false, true) == 0);
    CHECK(not_shown(false, true, true) == 0); // it would have reported a duplicate
    CHECK(not_shown(false, true, false) == 1);
}
