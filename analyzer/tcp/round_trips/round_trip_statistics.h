// SPDX-License-Identifier: GPL-2.0-or-later
// RoundTripStatistics: the statistics of all round trips of one connection that is diagnosed. In: the tracks
// of both ends, after each segment that may have brought news. Out: what each tap-side round trip usually
// takes, and the samples of the whole one.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/round_trips/end_tap_rtt.h"
#include "analyzer/tcp/round_trips/whole_trip.h"

#include <memory>

namespace iscsiscope {

class RoundTripStatistics {
public:
    // Takes what is new in the segment that is being handled. Returns true if the whole round trip has a new
    // sample.
    bool take(const RttTrack &opener, const RttTrack &acceptor) {
        if (!opener.news.any() && !acceptor.news.any())
            return false;
        ends_[index(Side::opener)].take(opener);
        ends_[index(Side::acceptor)].take(acceptor);
        if (!whole_.take(opener, acceptor))
            return false;
        if (!wholes_)
            wholes_ = std::make_unique<Histogram>();
        wholes_->add(WholeTrip::length(opener, acceptor).count());
        return true;
    }
    const EndTapRtts &ends() const { return ends_; }
    const WholeTrip &whole() const { return whole_; }
    // Its samples, nanoseconds; null: there are none.
    const Histogram *wholes() const { return wholes_.get(); }

private:
    EndTapRtts ends_;
    WholeTrip whole_;
    std::unique_ptr<Histogram> wholes_;
};

} // namespace iscsiscope
