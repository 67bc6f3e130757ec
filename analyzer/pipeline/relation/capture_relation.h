// SPDX-License-Identifier: GPL-2.0-or-later
// relation_of: how two captures belong together, as far as their own frames say it. A front end offers it as
// a suggestion; the user decides.
#pragma once

#include "analyzer/pipeline/relation/capture_survey.h"

#include <string>

namespace iscsiscope {

enum class CaptureRelation : std::uint8_t {
    parts,        // one capture, cut by time: a ring buffer (FileUnion::joined)
    halves,       // one capture, by direction or by path: its files are merged by time (FileUnion::merged)
    ends,         // the same traffic, taken at two places (`compare --ends`)
    before_after, // different traffic (`compare`)
};

struct RelationGuess {
    CaptureRelation relation{};
    std::string reason; // one sentence on what the frames show
};

// The rules, on ways (one direction of one connection) that both hold and weighted by segments:
// ends: the way's bytes are the same ones in both (their sequence numbers overlap by half of the shorter).
// parts: the bytes of one follow those of the other. halves: of a connection one capture holds the one
// direction only, the other the other. Where no connection is in both: parts if the one begins as soon
// after the other's end as 99 % of the packets within them follow each other, and a host is in both; halves
// if they overlap in time; else before_after. Two connections that use the same ports one after the other
// (both with a SYN of another sequence number) are not the same.
RelationGuess relation_of(const CaptureSurvey &first, const CaptureSurvey &second);

} // namespace iscsiscope
