// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tcp_rows.h"

namespace iscsiscope {

void TcpRows::on_segment(const Connection &c, const SegmentReport &r) {
    inference_.on_segment(c, r);
}

void TcpRows::on_pdu_begin(const Connection &c, Side sender, const Pdu &p, std::optional<std::uint64_t>) {
    initiators_.try_emplace(c.stream, p.direction == PduDirection::to_target ? sender : other(sender));
}

void TcpRows::on_tcp_sample(const Connection &c, const TcpSample &s) {
    const auto initiator = initiators_.find(c.stream);
    if (initiator == initiators_.end()) {
        return;
    }
    if (selection_.range != nullptr && !selection_.range->everything() &&
        !selection_.range->contains(s.time)) {
        return;
    }
    const TcpRow row{c, s,
                     s.sender == initiator->second ? PduDirection::to_target : PduDirection::to_initiator};
    if (selection_.filter == nullptr || selection_.filter->holds(&row)) {
        writer_.row(&row);
    }
}

} // namespace iscsiscope
