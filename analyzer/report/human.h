// SPDX-License-Identifier: GPL-2.0-or-later
// Times, addresses and names as people read them, beside the figures of model/human.h.
#pragma once

#include "analyzer/base/number_format.h"
#include "analyzer/base/time.h"
#include "analyzer/capture/segment.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope::human {

std::string instant(Time);              // "2024-05-01 12:00:00.123456 UTC"
std::string endpoint(const Endpoint &); // "192.0.2.1:3260", "[2001:db8::1]:3260"
std::string lun(std::uint64_t);
// Of the wire: bytes that are no printable UTF-8 become '?', so that no name can steer a terminal.
std::string name(const std::string &);
// Of the file system: control characters become '?', all else stays.
std::string path(std::string_view);

} // namespace iscsiscope::human
