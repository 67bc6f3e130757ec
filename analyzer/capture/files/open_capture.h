// SPDX-License-Identifier: GPL-2.0-or-later
// Opens a capture whose bytes come from any ByteSource; CaptureReader::open does so for files.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"
#include "analyzer/capture/files/capture_reader.h"

namespace iscsiscope {

// Detects compression and format by content. The sentence of a failure begins with shown_name. The sink must
// outlive the reader.
Result<std::unique_ptr<CaptureReader>> open_capture(std::unique_ptr<ByteSource>,
                                                    const std::string &shown_name, AnomalySink &,
                                                    const UnpackBounds & = {});

} // namespace iscsiscope
