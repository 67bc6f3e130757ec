// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/frame_tally.h"

namespace iscsiscope {

void FrameTally::lost(AnomalyKind kind) {
    info_.complete = false;
    sink_.on_anomaly({.kind = kind, .frame = known_frame(info_.frames), .stream = {}, .detail = 0});
}

void FrameTally::end(const ByteSource &source, bool rest) {
    info_.unpack_bound = source.bound_reached();
    if (info_.unpack_bound != UnpackBound::none)
        lost(AnomalyKind::unpacking_stopped);
    else if (source.end() == ByteSource::End::ended)
        info_.ended = true; // a part of a record at the end is no loss
    else if (source.end() == ByteSource::End::damaged)
        lost(AnomalyKind::file_damaged);
    else if (source.end() == ByteSource::End::cut || rest)
        lost(AnomalyKind::file_cut_short);
}

void FrameTally::not_latest(Time time) {
    if (!info_.first_time) {
        info_.first_time = info_.last_time = latest_ = time;
        return;
    }
    if (time < previous_) {
        sink_.on_anomaly({.kind = AnomalyKind::time_went_back,
                          .frame = info_.frames,
                          .stream = {},
                          .detail = to_ns(previous_ - time)});
    }
    if (time < *info_.first_time)
        info_.first_time = time;
}

} // namespace iscsiscope
