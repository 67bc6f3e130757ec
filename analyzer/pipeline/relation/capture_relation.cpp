// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/relation/capture_relation.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace iscsiscope {
namespace {

// How the bytes of a way in one capture lie to those in the other.
enum class BytesRelation : std::uint8_t { same, following, none, other_connection };

BytesRelation bytes_of(const SurveyedWay &a, const SurveyedWay &b) {
    if (a.has_syn && b.has_syn && a.first_sequence != b.first_sequence)
        return BytesRelation::other_connection;
    const auto offset = static_cast<std::int32_t>(b.first_sequence - a.first_sequence);
    const std::int64_t shorter = std::min(a.greatest - a.least, b.greatest - b.least);
    if (shorter == 0)
        return BytesRelation::none; // acknowledgments only: they say nothing
    const std::int64_t common =
        std::min(a.greatest, b.greatest + offset) - std::max(a.least, b.least + offset);
    return common >= shorter - shorter / 2 ? BytesRelation::same : BytesRelation::following;
}

struct Shared {
    std::uint64_t same = 0, following = 0, halves = 0; // segments
    std::set<std::pair<Endpoint, Endpoint>> connections;
};

std::pair<Endpoint, Endpoint> connection(const Endpoint &a, const Endpoint &b) {
    return a < b ? std::pair{a, b} : std::pair{b, a};
}

Shared shared_by(const CaptureSurvey &a, const CaptureSurvey &b) {
    Shared s;
    for (const auto &[key, way] : a.ways) {
        const std::pair back{key.second, key.first};
        if (const auto other = b.ways.find(key); other != b.ways.end()) {
            const std::uint64_t weight = std::min(way.segments, other->second.segments);
            const BytesRelation bytes = bytes_of(way, other->second);
            (bytes == BytesRelation::same ? s.same : s.following) +=
                bytes == BytesRelation::same || bytes == BytesRelation::following ? weight : 0;
            if (bytes != BytesRelation::other_connection)
                s.connections.insert(connection(key.first, key.second));
        } else if (const auto answer = b.ways.find(back); answer != b.ways.end() && !a.ways.contains(back)) {
            s.halves += std::min(way.segments, answer->second.segments);
            s.connections.insert(connection(key.first, key.second));
        }
    }
    return s;
}

bool have_a_host_in_common(const CaptureSurvey &a, const CaptureSurvey &b) {
    std::set<IpAddress> hosts;
    for (const auto &[key, way] : a.ways)
        hosts.insert({key.first.address, key.second.address});
    return std::any_of(b.ways.begin(), b.ways.end(), [&](const auto &w) {
        return hosts.contains(w.first.first.address) || hosts.contains(w.first.second.address);
    });
}

// The time from the end of the earlier one to the start of the later; negative: they overlap. Empty: not
// known.
std::optional<Duration> between(const CaptureSurvey &a, const CaptureSurvey &b) {
    if (!a.first || !b.first)
        return std::nullopt;
    const CaptureSurvey &earlier = *a.first <= *b.first ? a : b, &later = &earlier == &a ? b : a;
    const Duration gap = *later.first - *earlier.last;
    // The end of one that was not read to its end lies later than its last frame so far.
    return gap > Duration{0} && !earlier.whole ? std::nullopt : std::optional(gap);
}

std::string words(Duration d) {
    return human::duration(d);
}

RelationGuess without_connections(const CaptureSurvey &a, const CaptureSurvey &b) {
    using enum CaptureRelation;
    const auto gap = between(a, b);
    if (!gap)
        return {before_after, "They hold no connection in common."};
    if (*gap <= Duration{0})
        return {halves, "They were taken at the same time and hold different connections: two paths."};
    // A file ends where it is full, so that the pause there is one like any other.
    const Duration usual = std::max(pause_quantile(a, 0.99), pause_quantile(b, 0.99));
    if (*gap <= usual && have_a_host_in_common(a, b))
        return {parts, fmt::format("One begins {} after the other ends, as soon as packets "
                                   "follow each other within them.",
                                   words(*gap))};
    return {before_after,
            fmt::format("They hold no connection in common, and {} lie between them.", words(*gap))};
}

} // namespace

RelationGuess relation_of(const CaptureSurvey &a, const CaptureSurvey &b) {
    using enum CaptureRelation;
    const Shared s = shared_by(a, b);
    const std::string common = human::plural(s.connections.size(), "connection", "connections");
    if (s.same > 0 && s.same >= std::max(s.following, s.halves))
        return {ends, fmt::format("Both hold the same bytes of {}: taken at two places.", common)};
    if (s.halves > 0 && s.halves >= s.following)
        return {halves, fmt::format("Each holds one direction of {}.", common)};
    if (s.following > 0) {
        const auto gap = between(a, b);
        return {parts, fmt::format("One goes on with {} of the other{}.", common,
                                   gap && *gap > Duration{0} ? ", " + words(*gap) + " after it ends" : "")};
    }
    return without_connections(a, b);
}

} // namespace iscsiscope
