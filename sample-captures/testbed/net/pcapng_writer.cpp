// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/pcapng_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>

namespace iscsiscope::testbed::shim {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10U;
constexpr std::uint32_t section_header = 0x0A0D0D0A;
constexpr std::uint32_t interface_description = 1;
constexpr std::uint32_t interface_statistics = 5;
constexpr std::uint32_t enhanced_packet = 6;
constexpr std::uint16_t link_ethernet = 1;
constexpr std::uint16_t link_raw = 101;
constexpr std::uint32_t ethernet_bytes = 14;
constexpr std::size_t longest_comment = 60000; // an option holds 65535

// Little-endian writer of one block; the length is filled in at both ends.
class Block {
public:
    Block(std::vector<std::uint8_t> &out, std::uint32_t type) : out_(out), start_(out.size()) {
        u32(type);
        u32(0);
    }
    void u16(std::uint16_t v) { raw(&v, sizeof v); }
    void u32(std::uint32_t v) { raw(&v, sizeof v); }
    void u64(std::uint64_t v) { raw(&v, sizeof v); }
    void raw(const void *data, std::size_t size) {
        const auto *bytes = static_cast<const std::uint8_t *>(data);
        out_.insert(out_.end(), bytes, bytes + size);
    }
    void pad() { out_.resize((out_.size() + 3) & ~std::size_t{3}); }
    void option(std::uint16_t code, const void *data, std::size_t size) {
        u16(code);
        u16(static_cast<std::uint16_t>(size));
        raw(data, size);
        pad();
    }
    void option(std::uint16_t code, const std::string &text) { option(code, text.data(), text.size()); }
    void end() {
        const auto length = static_cast<std::uint32_t>(out_.size() - start_ + 4);
        u32(length);
        std::memcpy(out_.data() + start_ + 4, &length, sizeof length);
    }

private:
    std::vector<std::uint8_t> &out_;
    std::size_t start_; // blocks keep the buffer's length a multiple of 4
};

void put_mac(std::uint8_t *at, std::uint32_t host) {
    at[0] = 2; // locally administered
    at[4] = static_cast<std::uint8_t>(host >> 8U);
    at[5] = static_cast<std::uint8_t>((host + 1) & 0xffU);
}

} // namespace

Result<PcapngWriter> PcapngWriter::create(const std::string &path, const CaptureOptions &options,
                                          const std::string &comment, const std::string &interface_name,
                                          const std::string &description, DiskWriter &writer) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.valid())
        return Failure{fmt::format("creating {}: {}", path, std::strerror(errno))};
    return PcapngWriter(std::make_shared<DiskFile>(std::move(file), writer), options, comment, interface_name,
                        description);
}

PcapngWriter::PcapngWriter(std::shared_ptr<ByteSink> sink, const CaptureOptions &options,
                           const std::string &comment, const std::string &interface_name,
                           const std::string &description)
    : sink_(std::move(sink)), options_(options) {
    Block section(buffer_, section_header);
    section.u32(0x1A2B3C4D);
    section.u16(1);
    section.u16(0);
    section.u64(~std::uint64_t{0}); // length not stated
    for (std::size_t at = 0; at < comment.size(); at += longest_comment)
        section.option(1, comment.substr(at, longest_comment)); // opt_comment, several if long
    section.option(4, "iscsiscope-testbed");                    // shb_userappl
    section.u32(0);
    section.end();
    Block interface(buffer_, interface_description);
    const bool ethernet = options.framing == CaptureFraming::ethernet;
    interface.u16(ethernet ? link_ethernet : link_raw);
    interface.u16(0);
    const std::uint32_t framing = ethernet ? ethernet_bytes : 0;
    interface.u32(options.snap_length == 0 ? 0 : options.snap_length + framing);
    interface.option(2, interface_name); // if_name
    interface.option(3, description);    // if_description
    const std::uint8_t nanoseconds = 9;
    interface.option(9, &nanoseconds, 1); // if_tsresol
    interface.u32(0);
    interface.end();
}

std::uint64_t PcapngWriter::packet(std::int64_t realtime_ns, std::span<const std::uint8_t> ip,
                                   std::uint32_t from, std::uint32_t to) {
    if (realtime_ns < last_ns_) {
        realtime_ns = last_ns_;
        ++times_held_;
    }
    last_ns_ = realtime_ns;
    const std::size_t header = options_.framing == CaptureFraming::ethernet ? ethernet_bytes : 0;
    const std::size_t kept =
        options_.snap_length == 0 ? ip.size() : std::min<std::size_t>(ip.size(), options_.snap_length);
    const std::size_t start = buffer_.size();
    Block block(buffer_, enhanced_packet);
    block.u32(0); // interface
    block.u32(static_cast<std::uint32_t>(static_cast<std::uint64_t>(realtime_ns) >> 32U));
    block.u32(static_cast<std::uint32_t>(static_cast<std::uint64_t>(realtime_ns)));
    block.u32(static_cast<std::uint32_t>(kept + header));
    block.u32(static_cast<std::uint32_t>(ip.size() + header));
    if (header > 0) {
        std::array<std::uint8_t, ethernet_bytes> ethernet{};
        put_mac(ethernet.data(), to);
        put_mac(ethernet.data() + 6, from);
        ethernet[12] = 0x08; // IPv4
        block.raw(ethernet.data(), ethernet.size());
    }
    block.raw(ip.data(), kept);
    if (filter_ && !filter_(std::span(buffer_).last(kept + header), ip.size() + header)) {
        buffer_.resize(start);
        return frames_;
    }
    block.pad();
    block.end();
    ++buffered_frames_;
    if (buffer_.size() >= buffer_bytes)
        flush();
    return ++frames_;
}

void PcapngWriter::flush() {
    if (buffer_.empty())
        return;
    std::vector<std::uint8_t> full;
    full.reserve(buffer_bytes + 65536);
    full.swap(buffer_);
    if (!sink_->give(std::move(full)))
        left_out_ += buffered_frames_;
    buffered_frames_ = 0;
}

void PcapngWriter::finish(std::uint64_t lost, const std::vector<std::string> &remarks) {
    flush(); // first, for it may be left out
    lost += left_out_;
    Block block(buffer_, interface_statistics);
    block.u32(0);
    block.u32(static_cast<std::uint32_t>(static_cast<std::uint64_t>(last_ns_) >> 32U));
    block.u32(static_cast<std::uint32_t>(static_cast<std::uint64_t>(last_ns_)));
    const std::uint64_t received = frames_;
    for (const std::string &remark : remarks)
        block.option(1, remark.substr(0, longest_comment)); // opt_comment
    block.option(4, &received, sizeof received);            // isb_ifrecv
    block.option(5, &lost, sizeof lost);                    // isb_ifdrop
    block.u32(0);
    block.end();
    flush();
}

} // namespace iscsiscope::testbed::shim
