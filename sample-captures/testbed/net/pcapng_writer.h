// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/disk_writer.h"

#include <cstdint>
#include <functional>
#include <memory>
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

// Decides whether a packet is kept: its bytes from the link layer on, and its length on the wire.
using PacketFilter = std::function<bool(std::span<const std::uint8_t> bytes, std::size_t wire_bytes)>;

// One capture in pcapng (draft-ietf-opsawg-pcapng) with nanosecond times: one section, one
// interface. Times may not go back: an earlier one is written as the last (and counted).
class PcapngWriter {
public:
    // Creates `path`, which must not exist. `comment` goes to the section, `interface_name` and
    // `description` to the interface. `writer` outlives this.
    static Result<PcapngWriter> create(const std::string &path, const CaptureOptions &options,
                                       const std::string &comment, const std::string &interface_name,
                                       const std::string &description, DiskWriter &writer);
    // The same into any sink.
    PcapngWriter(std::shared_ptr<ByteSink> sink, const CaptureOptions &options, const std::string &comment,
                 const std::string &interface_name, const std::string &description);

    // Packets that the filter refuses are left out; without one all are kept.
    void keep_only(PacketFilter filter) { filter_ = std::move(filter); }

    // `from` and `to` number the hosts, for the Ethernet addresses. Returns the frame number, from 1.
    // With a filter, or a sink that leaves out blocks, frame numbers are not those of the file.
    std::uint64_t packet(std::int64_t realtime_ns, std::span<const std::uint8_t> ip, std::uint32_t from,
                         std::uint32_t to);
    // Hands on what is held back to be written in larger pieces.
    void flush();
    // Interface statistics: `lost` packets were not seen; those that the sink left out are added. `remarks`
    // go there as comments.
    void finish(std::uint64_t lost, const std::vector<std::string> &remarks = {});
    std::uint64_t frames() const { return frames_; }
    std::uint64_t times_held() const { return times_held_; }
    std::uint64_t left_out() const { return left_out_; } // packets, by the sink

private:
    std::shared_ptr<ByteSink> sink_;
    CaptureOptions options_;
    PacketFilter filter_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t buffered_frames_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t times_held_ = 0;
    std::int64_t last_ns_ = 0;
};

} // namespace iscsiscope::testbed::shim
