// SPDX-License-Identifier: GPL-2.0-or-later
// CaptureReader: reads the frames of a capture file in file order. It accepts pcap and pcapng, plain or
// compressed with gzip or zstd, from a path or from standard input. The content decides the format,
// never the file's name. Nothing throws: defects found after open() are reported as anomalies.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/bytes/unpack_bounds.h"
#include "analyzer/capture/frame.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

struct CaptureInterface {
    std::uint32_t link_type = 0;
    std::uint32_t snap_length = 0;        // bytes; 0: not limited
    std::string name;                     // empty if the file gives none
    std::optional<std::uint64_t> dropped; // frames that the capturing host dropped; empty: not stated
};

// Properties of the file and totals over the frames read so far.
struct CaptureInfo {
    std::string format;            // "pcap" or "pcapng"
    std::string compression;       // "none", "gzip" or "zstd"
    int time_precision_digits = 6; // decimal digits of the finest interface: 6 = µs, 9 = ns
    std::vector<CaptureInterface> interfaces;
    std::string comment; // first section comment (pcapng), UTF-8
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;                   // sum of original lengths
    std::uint64_t captured_bytes = 0;          // sum of captured lengths
    std::uint64_t cut_frames = 0;              // frames with captured length < original length
    std::optional<Time> first_time, last_time; // earliest and latest time stamp; empty: no frame yet
    bool complete = true;                      // false: the file is cut short or damaged
    bool ended = false;                        // reading of a pipe was ended on request; nothing is missing
    UnpackBound unpack_bound = UnpackBound::none; // other than none: reading ended there; complete is false
};

class CaptureReader {
public:
    // Opens `path`; "-" is standard input. A failure says in a sentence that begins with the path why the
    // file cannot be read or that it is no capture. The sink must outlive the reader.
    static Result<std::unique_ptr<CaptureReader>> open(const std::string &path, AnomalySink &,
                                                       const UnpackBounds & = {});
    virtual ~CaptureReader() = default;

    // Reads the next frame. Returns false at the end of the file, or where damage makes further reading
    // impossible (reported as an anomaly). The frame's bytes stay valid until the next call.
    virtual bool next(Frame &) = 0;
    // True if it has the next frame already, so that next() will not wait for a pipe.
    virtual bool has_next() const = 0;
    // Returns a hold on the bytes of the frame that next() returned last.
    virtual FrameHold hold() const = 0;

    virtual const CaptureInfo &info() const = 0;
    // For progress: bytes of the file consumed, and its size (empty if it is not a regular file).
    virtual std::uint64_t file_bytes_read() const = 0;
    virtual std::optional<std::uint64_t> file_size() const = 0;
};

} // namespace iscsiscope
