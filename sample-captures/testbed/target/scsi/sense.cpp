// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/scsi/sense.h"

#include "analyzer/iscsi/codec/wire.h"

namespace iscsiscope::testbed {

std::vector<std::byte> encode_sense(const Sense &s, bool descriptor_format) {
    if (descriptor_format) {
        std::vector<std::byte> out(8);
        wire::store8(&out[0], 0x72);
        wire::store8(&out[1], s.key);
        wire::store8(&out[2], s.asc);
        wire::store8(&out[3], s.ascq);
        if (s.information) { // information descriptor
            wire::store8(&out[7], 12);
            out.resize(20);
            wire::store8(&out[8], 0x00);
            wire::store8(&out[9], 10);
            wire::store8(&out[10], 0x80);
            wire::store64(&out[12], *s.information);
        }
        return out;
    }
    std::vector<std::byte> out(18);
    wire::store8(&out[0], s.information ? 0xf0 : 0x70);
    wire::store8(&out[2], s.key);
    wire::store32(&out[3], s.information.value_or(0));
    wire::store8(&out[7], 10); // additional length
    wire::store8(&out[12], s.asc);
    wire::store8(&out[13], s.ascq);
    return out;
}

} // namespace iscsiscope::testbed
