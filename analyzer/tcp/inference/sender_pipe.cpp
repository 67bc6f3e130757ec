// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/sender_pipe.h"

#include "analyzer/tcp/inference/congestion_state.h"

#include <algorithm>

namespace iscsiscope {
namespace {

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

} // namespace

SenderPipe::Pipe SenderPipe::in_flight(const KnownRange::Known &k, std::uint64_t end, std::uint64_t sent) {
    while (!resent_.empty() && resent_.front().end <= k.least->acked)
        resent_.pop_front();
    std::uint64_t again = 0, again_bytes = 0;
    for (std::size_t i = 0; i < resent_.size(); ++i) {
        if (resent_[i].end > k.likely->acked) {
            again += resent_[i].packets;
            again_bytes += resent_[i].bytes;
        }
    }
    // Once a loss is known, all holes below the highest SACKed byte count as lost.
    const auto is_lost = [](const AckSeen &a) { return a.sacked_packets >= duplicate_threshold; };
    const auto min_packets = [&](const AckSeen &a) {
        return less(sent, is_lost(a) ? a.highest_packets() : a.delivered());
    };
    const AckSeen &first = *k.least, &likely = *k.likely, &last = *k.most;
    Pipe p;
    p.packets = min_packets(likely);
    p.low = min_packets(last);
    p.high = less(sent, first.delivered()) + again;
    p.bytes_low = less(end, is_lost(last) ? last.highest() : last.acked + last.sacked_bytes);
    p.bytes_high = less(end, first.acked + first.sacked_bytes) + again_bytes;
    p.bytes = less(end, is_lost(likely) ? likely.highest() : likely.acked + likely.sacked_bytes);
    p.bytes = std::min(p.bytes + (is_lost(likely) ? again_bytes : 0), p.bytes_high);
    return p;
}

bool SenderPipe::follows(const KnownRange::Known &k, const SegmentReport &report, std::uint64_t sent_to,
                         std::optional<std::uint32_t> full) const {
    return basis_.holds && report.continues_run && k.likely->state == basis_.likely &&
           k.most->state == basis_.most && k.least->state == basis_.least && report.offset == basis_.end &&
           sent_to == basis_.end && full == basis_.full;
}

const SenderPipe::Pipe &SenderPipe::add(const SegmentReport &report, const SentLog &sent) {
    const std::uint64_t packets = sent.packets() - basis_.packets;
    const std::uint32_t bytes = report.segment->payload_length;
    Pipe &p = basis_.pipe;
    p.packets += packets;
    p.low += packets;
    p.high += packets;
    p.bytes += bytes;
    p.bytes_low += bytes;
    p.bytes_high += bytes;
    basis_.packets = sent.packets();
    basis_.end = sent.end();
    return p;
}

const SenderPipe::Pipe &SenderPipe::compute(const KnownRange::Known &k, const SegmentReport &report,
                                            const SentLog &sent, std::optional<std::uint32_t> full,
                                            bool calm) {
    const std::uint64_t end = report.offset + report.segment->payload_length;
    const Pipe p = in_flight(k, end, sent.packets());
    basis_ = {.holds = calm && resent_.empty() && p.even(),
              .least = k.least->state,
              .likely = k.likely->state,
              .most = k.most->state,
              .full = full,
              .end = end,
              .packets = sent.packets(),
              .pipe = p};
    return basis_.pipe;
}

} // namespace iscsiscope
