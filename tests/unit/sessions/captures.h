// SPDX-License-Identifier: GPL-2.0-or-later
// Captures through the engine into a SessionAnalysis, with their logins or without.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/sessions/session_analysis.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace iscsiscope::test {

// A connection as both runs of a capture know it: initiator, target.
using Ends = std::pair<Endpoint, Endpoint>;

struct Analysed {
    SessionFigures figures;
    std::map<StreamId, Ends> ends;              // by stream
    std::map<StreamId, std::uint64_t> commands; // tasks with a command, by stream
};

// Leaves out every frame of a connection up to the Login Response that ends its login: what a capture
// begun after the logins holds. Connections without a login in the capture stay as they are.
class LoginStripper {
public:
    bool keeps(const Segment &);

private:
    std::map<std::pair<Endpoint, Endpoint>, bool> logged_in_; // by (lower, higher) end
};

struct Frames {
    std::vector<Segment> segments;
    std::vector<std::vector<std::byte>> payloads; // owned, one a segment
};
Frames read_frames(const std::filesystem::path &);

// A copy that the same initiator might have sent at another time as another session: its ports, all times and
// the ISID are others. Merged by time with merge().
Frames shifted(const Frames &, Duration, std::uint16_t ports, std::uint8_t isid = 0x55);
Frames merge(const Frames &, const Frames &);

Analysed analyse(const Frames &, bool with_logins, SessionOptions = {});

// The captures of $ISCSISCOPE_CAPTURES, in place. Says what is missing.
std::vector<std::filesystem::path> shared_captures();

} // namespace iscsiscope::test
