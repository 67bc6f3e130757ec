// SPDX-License-Identifier: GPL-2.0-or-later
// HostPaths: when each of two hosts sent frames, and ACKs for new bytes, over all iSCSI connections between
// them. It shows whether a single connection is silent or the whole path.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/cycles/ledger/carried_rate.h"
#include "analyzer/tcp/stream/bounded_ring.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace iscsiscope {

// The silences of at least min_silence between events, and the one since the last event. Before the first
// event there was silence. The latest eight are kept.
class Silences {
public:
    void event(Time now) {
        if (!last_ || now - *last_ >= min_silence)
            kept_.push_back({last_.value_or(Time::min()), now});
        last_ = std::max(last_, std::optional(now));
    }
    // Returns the longer one of the last silence and the one since, as far as they lie in the interval.
    Duration latest(Time from, Time to) const {
        return std::max(since(from, to), kept_.empty() ? Duration{} : kept_.back().within(from, to));
    }
    // Returns the longest silence in the interval.
    Duration longest(Time from, Time to) const {
        Duration longest = since(from, to);
        for (std::size_t i = 0; i < kept_.size(); ++i)
            longest = std::max(longest, kept_[i].within(from, to));
        return longest;
    }

private:
    static constexpr Duration min_silence = std::chrono::milliseconds{100};

    struct Silence {
        Time begin{}, end{};
        Duration within(Time from, Time to) const {
            return end > from ? std::min(to, end) - std::max(from, begin) : Duration{};
        }
    };
    Duration since(Time from, Time to) const { return to - std::max(from, last_.value_or(from)); }

    std::optional<Time> last_;
    BoundedRing<Silence, 8> kept_;
};

// What one host sends on a path, over all connections.
struct HostActivity {
    Silences frames;
    Silences answers; // ACKs for new bytes
    std::optional<Time> last_payload;
    std::uint64_t payload = 0; // bytes
    CarriedRate rate;
    bool last_full = false; // the last payload filled a segment

    // full: the payload fills a segment. Only behind such frames bytes pass at the pace of the link: behind a
    // smaller one its host may have had nothing to send.
    void note_payload(Time now, std::uint32_t bytes, bool full) {
        if (last_payload && last_full)
            rate.add(bytes, std::max(Duration{}, now - *last_payload));
        last_payload = now;
        last_full = full;
        payload += bytes;
    }
    // True if the host sent no frame for at least half of the interval.
    bool silent_in(Time from, Time to) const { return frames.latest(from, to) * 2 >= to - from; }
};

struct HostPath {
    std::array<HostActivity, 2> of{}; // the host with the smaller address first
};

// All paths. Connections own their path jointly (shared_ptr); it ends with the last of them.
class HostPaths {
public:
    static std::size_t side(const IpAddress &own, const IpAddress &peer) { return own <= peer ? 0 : 1; }

    std::shared_ptr<HostPath> between(const IpAddress &a, const IpAddress &b) {
        if (paths_.size() >= sweep_at_) { // remove the paths that no connection owns
            std::erase_if(paths_, [](const auto &entry) { return entry.second.expired(); });
            sweep_at_ = 2 * paths_.size() + 64;
        }
        std::weak_ptr<HostPath> &known = paths_[a <= b ? std::pair{a, b} : std::pair{b, a}];
        std::shared_ptr<HostPath> path = known.lock();
        if (!path)
            known = path = std::make_shared<HostPath>();
        return path;
    }

private:
    std::map<std::pair<IpAddress, IpAddress>, std::weak_ptr<HostPath>> paths_;
    std::size_t sweep_at_ = 64;
};

} // namespace iscsiscope
