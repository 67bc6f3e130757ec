// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/merge/combined_info.h"

#include <algorithm>
#include <functional>

namespace iscsiscope {
namespace {

template <class T, class Choose>
void choose(std::optional<T> &a, const std::optional<T> &b, Choose better) {
    if (b && (!a || better(*b, *a)))
        a = b;
}

} // namespace

void add_info(CaptureInfo &all, const CaptureInfo &one) {
    if (all.format.empty()) {
        all.format = one.format;
        all.compression = one.compression;
        all.comment = one.comment;
    } else {
        all.format = all.format == one.format ? all.format : "several formats";
        all.compression = all.compression == one.compression ? all.compression : "mixed";
    }
    all.time_precision_digits = std::max(all.time_precision_digits, one.time_precision_digits);
    all.interfaces.insert(all.interfaces.end(), one.interfaces.begin(), one.interfaces.end());
    all.frames += one.frames;
    all.bytes += one.bytes;
    all.captured_bytes += one.captured_bytes;
    all.cut_frames += one.cut_frames;
    choose(all.first_time, one.first_time, std::less<>{});
    choose(all.last_time, one.last_time, std::greater<>{});
    all.complete = all.complete && one.complete;
    all.ended = all.ended || one.ended;
    if (all.unpack_bound == UnpackBound::none)
        all.unpack_bound = one.unpack_bound;
}

} // namespace iscsiscope
