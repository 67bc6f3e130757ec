// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/data_lengths.h"

#include <algorithm>

namespace iscsiscope {

void SegmentLength::note(std::uint32_t length, bool final) {
    if (final) {
        largest = std::max(largest, length);
        return;
    }
    run = length == whole ? run + 1 : 1;
    whole = length;
}

std::uint32_t SegmentLength::next(std::uint32_t due) const {
    if (whole == 0)
        return due <= std::max(negotiated, largest) ? due : 0;
    return run >= 2 || whole == negotiated || negotiated == 0 ? std::min(due, whole) : 0;
}

void DataLengths::negotiated(const NegotiatedLengths &lengths) {
    in_.negotiated = lengths.data_in;
    out_.negotiated = lengths.data_out;
    negotiated_burst_ = lengths.burst;
}

void DataLengths::note_data_in(const TaskProgress &task, std::uint32_t sequence, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (h.final() && task.more_data_in() && !h.status_bit())
        read_burst_ = sequence;
    if (!pdu.inferred)
        in_.note(pdu.data_length, h.final());
}

} // namespace iscsiscope
