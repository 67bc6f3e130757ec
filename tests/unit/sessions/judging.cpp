// SPDX-License-Identifier: GPL-2.0-or-later
#include "judging.h"

namespace iscsiscope::test {

Score judge_by_logins(const Frames &frames) {
    const Analysed whole = analyse(frames, true), stripped = analyse(frames, false);
    std::map<Ends, const SessionGroup *> group;
    for (const auto &[stream, ends] : whole.ends)
        group[ends] = whole.figures.group_of_stream(stream);
    return judge(stripped, [&](const Ends &a, const Ends &b) { return group[a] == group[b]; });
}

} // namespace iscsiscope::test
