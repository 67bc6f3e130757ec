// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/iscsi/codec/header_view.h"

namespace iscsiscope {

// Whether 48 bytes found anywhere in a stream can be a basic header segment going this way: opcode,
// reserved bits and bytes, flag and tag rules of RFC 7143, with the exceptions real stacks make.
// Zeros, ones, repeated bytes and text are refused; of random bytes fewer than one in 2^24 pass
// (the figure for each opcode is measured in tests/iscsi_codec). One header is evidence, not proof:
// who searches confirms it by the header that must follow it.
bool plausible_header(HeaderView, PduDirection);

} // namespace iscsiscope
