// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/contents.h"

#include "analyzer/tcp/stream/damage_filter.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Returns whether a wrong checksum among these segments means damage: if most are wrong, the capture was
// taken where a network card has yet to fill them in (DamageFilter).
bool checksums_count(const std::vector<PairSegment> &segments) {
    const auto number = [&](TcpChecksum c) {
        return std::count_if(segments.begin(), segments.end(),
                             [c](const PairSegment &s) { return s.checksum == c; });
    };
    return number(TcpChecksum::wrong) * std::ptrdiff_t{DamageFilter::min_right} <= number(TcpChecksum::right);
}

} // namespace

PairedContents compare_contents(const ConnectionMatch &c, Side sender) {
    PairedContents out;
    const PairSegments &a = c.sent_a(sender), &b = c.sent_b(sender);
    const bool a_first = c.a_first(sender);
    const bool count_a = checksums_count(a.all), count_b = checksums_count(b.all);
    const auto compare = [&](const PairSegment &x, const PairSegment &y, const PayloadSums &payload_x,
                             const PayloadSums &payload_y) {
        const PayloadComparison payload = compare_payloads(payload_x, payload_y);
        out.segments += payload.compared > 0 ? 1 : 0;
        out.bytes += payload.compared;
        const bool wrong_a = count_a && x.checksum == TcpChecksum::wrong;
        const bool wrong_b = count_b && y.checksum == TcpChecksum::wrong;
        const bool wrong = a_first ? wrong_b && !wrong_a : wrong_a && !wrong_b;
        if (!wrong && !payload.differs)
            return;
        ++out.damaged;
        out.wrong_checksum += wrong ? 1 : 0;
        out.payload_differs += payload.differs ? 1 : 0;
        out.undetected += payload.differs && (a_first ? y : x).checksum == TcpChecksum::right ? 1 : 0;
        DamagedSegment d;
        d.frame_a = x.frame;
        d.frame_b = y.frame;
        d.length = x.length;
        d.checksum_a = x.checksum;
        d.checksum_b = y.checksum;
        if (payload.differs) {
            d.differs_at = payload.at;
            d.differs_within = payload.within;
        }
        if (out.listed.size() < PairedContents::max_listed)
            out.listed.push_back(d);
    };
    for (const ConnectionMatch::Misdirected &m : c.misdirected[index(sender)])
        if (a_first)
            compare(*m.sent, *m.arrived, m.sent_payload, m.arrived_payload);
        else
            compare(*m.arrived, *m.sent, m.arrived_payload, m.sent_payload);
    c.each(
        sender,
        [&](const PairSegment &x, const PairSegment &y) { compare(x, y, a.payload(x), b.payload(y)); });
    std::sort(out.listed.begin(), out.listed.end(),
              [](const DamagedSegment &x, const DamagedSegment &y) { return x.frame_a < y.frame_a; });
    return out;
}

} // namespace iscsiscope
