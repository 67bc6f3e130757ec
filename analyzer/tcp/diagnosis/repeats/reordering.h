// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/tcp/tcp_figures.h"
#include "analyzer/tcp/track/sent_log.h"

#include <optional>

namespace iscsiscope {

// Returns whether a segment that passes behind a later one was only reordered, not lost and sent again, and
// sets the proof. by: the first entry behind it; tick: SentLog::timestamp_step().
bool is_reordered(const Connection &, const Segment &, const SentLog::Sent &by, std::optional<Duration> tick,
                  ReorderingProof &);

} // namespace iscsiscope
