// SPDX-License-Identifier: GPL-2.0-or-later
// What was joined held against what belongs together, by pairs of connections.
#pragma once

#include "captures.h"

namespace iscsiscope::test {

inline constexpr std::uint64_t enough = 50; // commands each

struct Score {
    std::uint64_t pairs = 0, right = 0; // with enough commands each
    std::uint64_t together = 0;         // of pairs, those of one session
    std::uint64_t connection_pairs = 0; // however few their commands
    std::uint64_t falsely_joined = 0;   // of these

    Score &operator+=(const Score &s) {
        pairs += s.pairs;
        right += s.right;
        together += s.together;
        connection_pairs += s.connection_pairs;
        falsely_joined += s.falsely_joined;
        return *this;
    }
};

// Pairs of connections, judged by `same` (of two ends): are they one session?
template <class Same>
Score judge(const Analysed &stripped, Same same) {
    Score score;
    for (auto a = stripped.ends.begin(); a != stripped.ends.end(); ++a)
        for (auto b = std::next(a); b != stripped.ends.end(); ++b) {
            const bool joined =
                stripped.figures.group_of_stream(a->first) == stripped.figures.group_of_stream(b->first);
            const bool truth = same(a->second, b->second);
            ++score.connection_pairs;
            score.falsely_joined += joined && !truth ? 1 : 0;
            const auto commands = [&](StreamId stream) {
                const auto at = stripped.commands.find(stream);
                return at == stripped.commands.end() ? 0 : at->second;
            };
            if (commands(a->first) < enough || commands(b->first) < enough)
                continue;
            ++score.pairs;
            score.together += truth ? 1 : 0;
            score.right += joined == truth ? 1 : 0;
        }
    return score;
}

// By the logins: the capture whole tells which connections are one session.
Score judge_by_logins(const Frames &);

} // namespace iscsiscope::test
