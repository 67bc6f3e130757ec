// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/command_evidence.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace iscsiscope {
namespace {

// A command with its number as the distance from a number near those of both units.
struct Placed {
    std::int64_t place;
    std::uint32_t itt;
    Time at;
    std::optional<Time> end;
};

std::vector<Placed> placed(const CommandEvidence &e, CmdSn from) {
    std::vector<Placed> all;
    all.reserve(e.sent().size());
    for (std::size_t i = 0; i < e.sent().size(); ++i) {
        const CommandEvidence::Sent &s = e.sent()[i];
        all.push_back({distance(from, s.number), s.itt, s.at, s.end});
    }
    std::ranges::sort(all, [](const Placed &a, const Placed &b) {
        return a.place != b.place ? a.place < b.place : a.at < b.at;
    });
    // A number repeated on the same unit is a retry: its first command counts.
    all.erase(std::unique(all.begin(), all.end(),
                          [](const Placed &a, const Placed &b) { return a.place == b.place; }),
              all.end());
    return all;
}

struct Acked {
    std::int64_t below; // every place below it had arrived
    Time at;
};

std::vector<Acked> acked(const CommandEvidence &e, CmdSn from) {
    std::vector<Acked> all;
    all.reserve(e.acknowledged().size());
    for (std::size_t i = 0; i < e.acknowledged().size(); ++i)
        all.push_back({distance(from, e.acknowledged()[i].expected), e.acknowledged()[i].at});
    std::ranges::sort(all, {}, &Acked::below);
    return all;
}

// Counts commands that the target had acknowledged on the other unit before they were sent, which one session
// excludes wherever the tap is: the target receives a number only after it passed the tap.
std::uint64_t sent_too_late(const std::vector<Placed> &commands, const std::vector<Acked> &other) {
    std::uint64_t n = 0;
    std::size_t i = 0;
    for (const Placed &c : commands) {
        while (i < other.size() && other[i].below <= c.place)
            ++i;
        n += i < other.size() && other[i].at < c.at ? 1 : 0;
    }
    return n;
}

// Counts Initiator Task Tags outstanding on both units at once: within a session the tags of outstanding
// tasks are unique (RFC 7143 section 11.2.1.8).
std::uint64_t tags_shared(std::vector<Placed> a, std::vector<Placed> b) {
    const auto by_tag = [](const Placed &x, const Placed &y) {
        return x.itt != y.itt ? x.itt < y.itt : x.at < y.at;
    };
    const auto unknown_end = [](const Placed &p) { return !p.end; };
    std::erase_if(a, unknown_end);
    std::erase_if(b, unknown_end);
    std::ranges::sort(a, by_tag);
    std::ranges::sort(b, by_tag);
    std::uint64_t n = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        if (a[i].itt == b[k].itt && a[i].place != b[k].place && a[i].at < *b[k].end && b[k].at < *a[i].end)
            ++n;
        (by_tag(a[i], b[k]) ? i : k) += 1;
    }
    return n;
}

} // namespace

void CommandEvidence::sent(CmdSn number, std::uint32_t itt, Time at) {
    ++commands_;
    sent_.push_back({number, itt, at, std::nullopt});
    if (latest_) {
        const std::int32_t step = distance(*latest_, number);
        if (step <= 0)
            return; // a retry
        successive_ += step == 1 ? 1 : 0;
        holes_ += static_cast<std::uint64_t>(step - 1);
    }
    latest_ = number;
}

void CommandEvidence::ended(CmdSn number, Time at) {
    constexpr std::size_t looked_back = 256;
    for (std::size_t i = sent_.size(); i > 0 && sent_.size() - i < looked_back; --i)
        if (Sent &s = sent_[i - 1]; s.number == number) {
            s.end = at;
            return;
        }
}

void CommandEvidence::acknowledged(CmdSn expected, Time at) {
    if (expected_ && expected <= *expected_)
        return;
    expected_ = expected;
    acknowledged_.push_back({expected, at});
}

PairEvidence compare(const CommandEvidence &first, const CommandEvidence &second) {
    PairEvidence result;
    if (!first.latest() || !second.latest())
        return result;
    const CmdSn from = *first.latest();
    const std::vector<Placed> a = placed(first, from), b = placed(second, from);
    // Only the range in which both units have numbers is compared.
    const std::int64_t low = std::max(a.front().place, b.front().place) - 1;
    const std::int64_t high = std::min(a.back().place, b.back().place) + 1;
    struct Step {
        const Placed *command;
        bool second;
    };
    std::optional<Step> before;
    std::size_t i = 0, k = 0;
    std::vector<Placed> near_a, near_b;
    while (i < a.size() || k < b.size()) {
        const bool take_b = i == a.size() || (k < b.size() && b[k].place < a[i].place);
        const Placed &c = take_b ? b[k++] : a[i++];
        if (c.place < low || c.place > high)
            continue;
        (take_b ? near_b : near_a).push_back(c);
        if (before && before->second != take_b) {
            const std::int64_t step = c.place - before->command->place;
            result.duplicates += step == 0 ? 1 : 0;
            if (step == 1) {
                ++result.handovers;
                result.in_order += before->command->at <= c.at ? 1 : 0;
            }
        }
        before = Step{&c, take_b};
    }
    result.fewer_commands = std::min(near_a.size(), near_b.size());
    result.too_late = sent_too_late(near_a, acked(second, from)) + sent_too_late(near_b, acked(first, from));
    result.shared_tags = tags_shared(std::move(near_a), std::move(near_b));
    return result;
}

} // namespace iscsiscope
