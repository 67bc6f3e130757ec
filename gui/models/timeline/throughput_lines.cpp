// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of throughput. They count the bytes of streams as they pass, so that they are right whatever is
// known of the PDUs: the integral of a line over the view is the number of bytes that passed in it.
#include "gui/models/timeline/lane_parts.h"
#include "gui/models/words.h"

#include <algorithm>
#include <limits>
#include <map>

namespace iscsiscope::gui {
namespace {

using namespace std::chrono_literals;

constexpr int stepPixels = 4;          // length of an interval in the picture
constexpr Duration shortestStep = 1us; // ... and in time, at least

using Parts = std::vector<const PassedSeries *>; // directions and connections that one line sums up

std::uint64_t before(const Parts &parts, Time time) {
    std::uint64_t sum = 0;
    for (const PassedSeries *p : parts)
        sum += p->before(time);
    return sum;
}

struct Candidate {
    QString name, key;
    Parts parts;
    double weight = 0;
};

std::vector<Candidate> candidates(const Tables &tables) {
    std::map<StreamId, Candidate> connections;
    std::map<SessionId, Candidate> sessions;
    std::map<SessionId, std::size_t> members;
    for (const auto &[key, series] : tables.passed) {
        Candidate &c = connections[key.stream];
        c.name = laneTr("connection %1").arg(key.stream.number);
        c.key = laneTr("conn %1").arg(key.stream.number);
        c.parts.push_back(&series);
        c.weight += static_cast<double>(series.total());
    }
    for (const auto &[stream, c] : connections) {
        const auto open = tables.streams.find(stream);
        if (open == tables.streams.end())
            continue;
        const SessionId session = open->second.session;
        Candidate &sum = sessions[session];
        sum.name = sum.key = laneTr("session %1").arg(session.number);
        sum.parts.insert(sum.parts.end(), c.parts.begin(), c.parts.end());
        sum.weight = std::numeric_limits<double>::max(); // sums first
        ++members[session];
    }
    std::vector<Candidate> all;
    for (const auto &[stream, c] : connections)
        all.push_back(c);
    for (const auto &[session, c] : sessions)
        if (members[session] > 1)
            all.push_back(c);
    return all;
}

} // namespace

void addThroughput(LaneContent &c, const Snapshot &s, Interval v, int pixels,
                   const ThroughputChoice &choice) {
    const Time from = std::max(v.from, s.whole.from), to = std::min(v.to, s.whole.to);
    if (to <= from)
        return;
    const Duration automatic = std::max(v.length() * stepPixels / std::max(pixels, stepPixels), shortestStep);
    // Not more intervals than the picture can show.
    const Duration chosen = choice.interval.value_or(Duration{});
    const Duration step =
        chosen > Duration{} ? std::max(chosen, v.length() / std::max(2 * pixels, 1) + 1ns) : automatic;
    c.interval = step;
    const Time first = s.whole.from + (from - s.whole.from) / step * step;
    const std::vector<Candidate> all = candidates(s.tables);
    std::vector<double> weights;
    for (const Candidate &one : all)
        weights.push_back(one.weight);
    const auto places = heaviest(weights, maxLines);
    c.leftOut = all.size() - places.size();
    for (const std::size_t place : places) {
        LaneLine line{all[place].name, {}, {}, {}, {}};
        const Parts &parts = all[place].parts;
        std::uint64_t passed = before(parts, first);
        for (Time begin = first; begin < to; begin += step) {
            const Time end = std::min(begin + step, s.whole.to); // shorter at the capture's end
            const std::uint64_t then = before(parts, end);
            addStep(line, s, v, begin, end, static_cast<double>(then - passed) * 1e3 / inNs(end - begin));
            passed = then;
        }
        addLine(c, std::move(line), all[place].key);
    }
    const Duration rest = (s.whole.to - s.whole.from) % step;
    if (rest > Duration{} && to == s.whole.to) {
        c.parts.push_back(
            {laneSeconds(s.whole.to - rest, s), laneSeconds(s.whole.to, s),
             laneTr("The capture ends within this interval: its rate is that of the %1 there are, "
                    "not of %2.")
                 .arg(durationWords(rest), durationWords(step))});
    }
}

} // namespace iscsiscope::gui
