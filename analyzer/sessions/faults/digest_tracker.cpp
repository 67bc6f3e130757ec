// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/faults/digest_tracker.h"

namespace iscsiscope {
namespace {

bool checked(DigestState s) {
    return s == DigestState::ok || s == DigestState::bad;
}

void count(DigestCounts &counts, DigestState state, const Pdu &pdu) {
    if (state == DigestState::ok)
        ++counts.right;
    if (state == DigestState::bad && counts.wrong++ == 0)
        counts.first_wrong = pdu.last_frame;
}

} // namespace

void DigestTracker::pdu(const PduRecord &r) {
    const Pdu &pdu = r.pdu;
    if (!checked(pdu.header_digest) && !checked(pdu.data_digest))
        return;
    const ConnectionFace &face = *r.connection;
    DigestFigures *f = last_.find_or_add(connections_, face.stream, max_connections);
    if (f == nullptr)
        return;
    f->stream = face.stream;
    f->initiator = face.initiator_end();
    f->target = face.target_end();
    count(f->sender(pdu.direction).header, pdu.header_digest, pdu);
    count(f->sender(pdu.direction).data, pdu.data_digest, pdu);
}

std::vector<DigestFigures> DigestTracker::take() const {
    std::vector<DigestFigures> all;
    for (const auto &[stream, f] : connections_)
        all.push_back(f);
    return all;
}

} // namespace iscsiscope
