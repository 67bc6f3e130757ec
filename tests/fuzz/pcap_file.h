// SPDX-License-Identifier: GPL-2.0-or-later
// Segments as the content of a pcap file: IPv4 packets without a link layer, with times in nanoseconds.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>
#include <string>

namespace fuzz {

class PcapFile {
public:
    PcapFile() {
        for (const std::uint32_t field : {0xa1b23c4dU, 0x00040002U, 0U, 0U, 262144U, 101U})
            put_little(field);
    }
    void add(const iscsiscope::Segment &s) {
        const auto captured = static_cast<std::uint32_t>(s.payload.size());
        const std::int64_t ns = iscsiscope::to_ns(s.time);
        put_little(static_cast<std::uint32_t>(ns / 1'000'000'000));
        put_little(static_cast<std::uint32_t>(ns % 1'000'000'000));
        put_little(40 + captured);
        put_little(40 + s.payload_length);
        out_ += {'\x45', 0};
        put16(40 + s.payload_length);
        put16(s.ip_id);
        out_ += {0, 0, 64, 6, 0, 0};
        for (const iscsiscope::Endpoint *end : {&s.source, &s.destination})
            out_ += {10, 0, 0, static_cast<char>(end->address.bytes[15])};
        put16(s.source.port);
        put16(s.destination.port);
        put32(s.sequence);
        put32(s.acknowledgment);
        out_ += {'\x50', static_cast<char>(s.flags)};
        put16(s.window);
        put32(0);
        out_.append(reinterpret_cast<const char *>(s.payload.data()), captured);
    }
    const std::string &content() const { return out_; }

private:
    void put16(std::uint32_t v) { out_ += {static_cast<char>(v >> 8), static_cast<char>(v)}; }
    void put32(std::uint32_t v) {
        put16(v >> 16);
        put16(v & 0xffff);
    }
    void put_little(std::uint32_t v) {
        for (int i = 0; i < 4; ++i)
            out_.push_back(static_cast<char>(v >> 8 * i));
    }

    std::string out_;
};

} // namespace fuzz
