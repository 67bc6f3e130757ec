// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of a capture file, in file order: pcap and pcapng, plain, .gz or .zst, from a path or
// standard input. Contents decide the format, never the file's name.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/frame.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace iscsiscope {

// Thrown by CaptureReader::open only: no such file, no permission, not a capture. what() is a
// sentence for the user that begins with the path.
class OpenError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CaptureInterface {
    std::uint32_t link_type = 0;
    std::uint32_t snap_length = 0;        // 0: not limited
    std::string name;                     // empty where the format has none
    std::optional<std::uint64_t> dropped; // frames the capturing host dropped, where stated
};

struct CaptureInfo {
    std::string format;            // "pcap" or "pcapng"
    std::string compression;       // "none", "gzip" or "zstd"
    int time_precision_digits = 6; // of the finest interface: 6 = µs, 9 = ns
    std::vector<CaptureInterface> interfaces;
    std::string comment;      // first section comment (pcapng), UTF-8
    std::uint64_t frames = 0; // read so far
    std::uint64_t bytes = 0;  // sum of original lengths
    std::uint64_t captured_bytes = 0;
    std::uint64_t cut_frames = 0;              // captured length < original length
    std::optional<Time> first_time, last_time; // earliest and latest stamp
    bool complete = true;                      // false: cut short or damaged
};

class CaptureReader {
public:
    // path "-" is standard input. Anomalies of the file go to the sink, which must outlive the reader.
    static std::unique_ptr<CaptureReader> open(const std::string &path, AnomalySink &);
    virtual ~CaptureReader() = default;

    // Reads the next frame; false at the end (also after a damaged record, with an Anomaly).
    // The frame's bytes stay valid until the next call.
    virtual bool next(Frame &) = 0;

    virtual const CaptureInfo &info() const = 0;
    // For progress: bytes of the file consumed and, where it is a regular file, its size.
    virtual std::uint64_t file_bytes_read() const = 0;
    virtual std::optional<std::uint64_t> file_size() const = 0;
};

} // namespace iscsiscope
