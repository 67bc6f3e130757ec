// SPDX-License-Identifier: GPL-2.0-or-later
// check_sessions CAPTURE...: every capture with its logins taken out, alone and all of them laid over one
// another; pairs of connections with 50 commands or more each, held against the logins. Exit 1: fewer
// than 99 % right, or one pair falsely joined.
#include "judging.h"

#include <iostream>

using namespace iscsiscope::test;

int main(int argc, char **argv) {
    Score all;
    Frames together;
    for (int i = 1; i < argc; ++i) {
        const Frames one = read_frames(argv[i]);
        const Score s = judge_by_logins(one);
        std::cout << argv[i] << ": " << s.right << " of " << s.pairs << " right, " << s.falsely_joined
                  << " falsely joined\n";
        all += s;
        if (one.segments.empty())
            continue;
        // All begin within 100 ms, as sessions of their own.
        const auto begins =
            together.segments.empty() ? one.segments.front().time : together.segments.front().time;
        together = merge(together,
                         shifted(one, begins - one.segments.front().time + std::chrono::milliseconds{7 * i},
                                 static_cast<std::uint16_t>(1000 * i), static_cast<std::uint8_t>(i)));
    }
    const Score s = judge_by_logins(together);
    std::cout << "laid over one another: " << s.right << " of " << s.pairs << " right, " << s.falsely_joined
              << " falsely joined\n";
    all += s;
    std::cout << "FIGURE: fresh captures without logins: " << all.right << " of " << all.pairs
              << " pairs right, " << all.together << " of one session, " << all.falsely_joined
              << " falsely joined\n";
    return all.pairs == 0 || all.falsely_joined != 0 || all.right * 100 < all.pairs * 99 ? 1 : 0;
}
