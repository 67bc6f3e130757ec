// SPDX-License-Identifier: GPL-2.0-or-later
// Capture files for the reader's tests, written record by record, and what the reader makes of them.
#pragma once

#include "analyzer/capture/files/capture_reader.h"
#include "bytes.h"

#include <optional>
#include <string>

namespace capture_test {

class Anomalies : public iscsiscope::AnomalySink {
public:
    void on_anomaly(const iscsiscope::Anomaly &anomaly) override { all.push_back(anomaly); }
    std::size_t count(iscsiscope::AnomalyKind) const;

    std::vector<iscsiscope::Anomaly> all;
};

struct PcapHeader {
    Order order = Order::little;
    std::uint32_t magic = 0xa1b23c4d; // nanoseconds
    std::uint16_t minor = 4;
    std::uint32_t snap_length = 262144;
    std::uint32_t link_type = 1;
};
Bytes pcap_header(const PcapHeader & = {});
Bytes pcap_record(Order, std::uint32_t seconds, std::uint32_t fraction, const Bytes &,
                  std::optional<std::uint32_t> original = {}, std::size_t extra_header = 0);

// pcapng blocks. Options are given as made by option().
Bytes option(Order, std::uint16_t code, const Bytes &value);
Bytes block(Order, std::uint32_t type, const Bytes &body);
Bytes section(Order, const Bytes &options = {});
Bytes interface(Order, std::uint16_t link_type, std::uint32_t snap_length = 0, const Bytes &options = {});
Bytes packet(Order, std::uint32_t interface, std::uint64_t units, const Bytes &,
             std::optional<std::uint32_t> original = {}, const Bytes &options = {});

Bytes operator+(Bytes, const Bytes &);

struct ReadFrame {
    iscsiscope::FrameNumber number = 0;
    std::int64_t time_ns = 0;
    std::uint32_t link_type = 0;
    std::uint32_t original_length = 0;
    Bytes bytes;

    friend bool operator==(const ReadFrame &, const ReadFrame &) = default;
};
struct ReadFile {
    std::vector<ReadFrame> frames;
    iscsiscope::CaptureInfo info;
    Anomalies anomalies;
    std::string open_error; // if the file was refused
};
// Reads an image given in pieces of at most `chunk` bytes.
ReadFile read_image(const Bytes &image, std::size_t chunk = SIZE_MAX, const iscsiscope::UnpackBounds & = {});
ReadFile read_pipe(const Bytes &image); // the size of the input is not known
ReadFile read_path(const std::string &path);

} // namespace capture_test
