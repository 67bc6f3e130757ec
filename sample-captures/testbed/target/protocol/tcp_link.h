// SPDX-License-Identifier: GPL-2.0-or-later
// A Link over a TCP socket: gathers writes, frames PDUs, checks digests, stamps times.
#pragma once

#include "sample-captures/testbed/target/protocol/link.h"

#include <asio/ip/tcp.hpp>

#include <deque>
#include <optional>
#include <vector>

namespace iscsiscope::testbed {

class TcpLink final : public Link, public std::enable_shared_from_this<TcpLink> {
public:
    // The truth log must outlive the link.
    TcpLink(asio::ip::tcp::socket socket, const TargetConfig &config, TruthLog &truth);
    ~TcpLink() override;

    // events must live until close(), close_when_sent() or on_link_down.
    void start(LinkEvents &events);

    void send(OutPdu) override;
    void expect_digests(DigestUse digests) override { digests_in_ = digests; }
    void limit_data_segment(std::uint32_t bytes) override { data_segment_limit_ = bytes; }
    void close(std::string_view reason) override;
    void close_when_sent(std::string_view reason) override;
    const std::string &name() const override { return name_; }
    std::string portal() const override;
    const std::shared_ptr<ConnectionRecord> &record() const override { return record_; }

private:
    struct Queued {
        FramedPdu pdu;
        std::shared_ptr<const void> owner;
        Stamp stamp;
        std::size_t sent = 0; // bytes
    };
    void read_more();
    void wait_readable();
    void frame_received(std::int64_t now);
    // Looks at the bytes [start, end) of the input; how many of them one PDU took, 0 if it is not
    // whole yet. nullopt: the stream cannot be followed.
    std::optional<std::size_t> take_pdu(std::size_t start, std::size_t end, std::int64_t now);
    void flush();
    std::size_t gather(std::vector<asio::const_buffer> &) const;
    void sent(std::size_t bytes, std::int64_t time_ns);
    void down(std::string reason);
    void finish(std::string_view reason);
    void quick_ack();

    asio::ip::tcp::socket socket_;
    const TargetConfig &config_;
    TruthLog &truth_;
    LinkEvents *events_ = nullptr;
    std::string name_;
    std::shared_ptr<ConnectionRecord> record_;
    std::optional<std::uint64_t> sampler_handle_;
    DigestUse digests_in_{};
    std::uint32_t data_segment_limit_ = 8192; // the default holds during login (RFC 7143 section 13.12)
    std::vector<std::byte> input_;
    std::size_t begin_ = 0, end_ = 0; // what of input_ is not consumed
    std::deque<Queued> output_;
    std::size_t queued_bytes_ = 0;
    std::uint32_t digest_work_ = 0; // what it gave; nobody asks
    bool gathering_ = false, writable_awaited_ = false, closing_ = false, closed_ = false;
    std::string closing_reason_;
};

} // namespace iscsiscope::testbed
