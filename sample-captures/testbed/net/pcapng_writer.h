// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/disk_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

enum class CaptureFraming : std::uint8_t {
    ethernet, // an Ethernet header with made-up, locally administered addresses before each packet
    raw       // LINKTYPE_RAW: from the IP header on
};

struct CaptureOptions {
    CaptureFraming framing = CaptureFraming::ethernet;
    std::uint32_t snap_length = 0; // bytes of each packet kept; 0: all
};

// One capture file in pcapng (draft-ietf-opsawg-pcapng) with nanosecond times: one section, one
// interface. Times may not go back: an earlier one is written as the last (and counted).
class PcapngWriter {
public:
    // Creates `path`, which must not exist. `comment` goes to the section, `interface_name` and
    // `description` to the interface. `writer` outlives this.
    static Result<PcapngWriter> create(const std::string &path, const CaptureOptions &options,
                                       const std::string &comment, const std::string &interface_name,
                                       const std::string &description, DiskWriter &writer);

    // `from` and `to` number the hosts, for the Ethernet addresses. Returns the frame number, from 1.
    std::uint64_t packet(std::int64_t realtime_ns, std::span<const std::uint8_t> ip, std::uint32_t from,
                         std::uint32_t to);
    // Interface statistics: `lost` packets were not seen. The file is complete after the writer's flush().
    void finish(std::uint64_t lost);
    std::uint64_t frames() const { return frames_; }
    std::uint64_t times_held() const { return times_held_; }

private:
    PcapngWriter(FileDescriptor file, const CaptureOptions &options, DiskWriter &writer)
        : file_(std::move(file)), options_(options), writer_(&writer) {}
    void hand_on();

    FileDescriptor file_;
    CaptureOptions options_;
    DiskWriter *writer_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t frames_ = 0;
    std::uint64_t times_held_ = 0;
    std::int64_t last_ns_ = 0;
};

} // namespace iscsiscope::testbed::shim
