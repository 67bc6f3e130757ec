// SPDX-License-Identifier: GPL-2.0-or-later
// A whole PDU at an offset of its stream, made of its header.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>

namespace iscsiscope::test {

inline Pdu pdu_at(PduDirection direction, std::uint64_t offset, const HeaderBytes &header) {
    Pdu pdu;
    pdu.direction = direction;
    pdu.header = header;
    pdu.offset = offset;
    pdu.data_length = HeaderView{header}.data_segment_length();
    pdu.end_offset = offset + basic_header_size + pdu.data_length;
    return pdu;
}

} // namespace iscsiscope::test
