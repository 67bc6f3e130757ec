// SPDX-License-Identifier: GPL-2.0-or-later
// CaptureReader::open for bytes that do not come from a file of their own.
#pragma once

#include "analyzer/capture/files/byte_source.h"
#include "analyzer/capture/files/capture_reader.h"

namespace iscsiscope {

// Decides compression and format by content. Throws OpenError whose text begins with shown_name.
std::unique_ptr<CaptureReader> open_capture(std::unique_ptr<ByteSource>, const std::string &shown_name,
                                            AnomalySink &);

} // namespace iscsiscope
