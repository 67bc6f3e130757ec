// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/pdu_channel.h"

#include "analyzer/iscsi/digest/crc32c.h"
#include "sample-captures/testbed/common/clock.h"

#include <asio/post.hpp>

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr std::size_t read_size = std::size_t{256} << 10; // room asked for before a read
}

PduChannel::PduChannel(asio::io_context &io, Handler &handler, SocketSettings settings, bool legacy_send)
    : io_(io), handler_(handler), settings_(std::move(settings)), legacy_send_(legacy_send), resolver_(io),
      socket_(io), connect_timer_(io), pause_timer_(io) {}

PduChannel::~PduChannel() {
    close();
}

void PduChannel::connect(const std::string &host, std::uint16_t port, std::chrono::nanoseconds timeout) {
    connect_timer_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout));
    connect_timer_.async_wait([this](const asio::error_code &error) {
        if (!error && !open_)
            lose("no connection in time");
    });
    resolver_.async_resolve(
        host, std::to_string(port),
        [this](const asio::error_code &error, const asio::ip::tcp::resolver::results_type &found) {
            if (over_)
                return;
            if (error || found.empty())
                return lose("cannot resolve the host name: " + error.message());
            // The first address only: a portal is one address, and trying others would put connections
            // of one session on different paths unasked.
            const asio::ip::tcp::endpoint endpoint = *found.begin();
            asio::error_code failed;
            socket_.open(endpoint.protocol(), failed);
            if (failed)
                return lose("cannot make a socket: " + failed.message());
            if (const std::string refused = apply_before_connect(socket_.native_handle(), settings_);
                !refused.empty())
                return lose(refused);
            socket_.async_connect(endpoint, [this](const asio::error_code &result) {
                if (over_)
                    return;
                if (result)
                    return lose("cannot connect: " + result.message());
                connected();
            });
        });
}

void PduChannel::connected() {
    connect_timer_.cancel();
    asio::error_code ignored;
    socket_.non_blocking(true, ignored);
    if (const std::string refused = apply_connected(socket_.native_handle(), settings_); !refused.empty())
        return lose(refused);
    open_ = true;
    name_ = connection_name(socket_.native_handle(), true);
    in_.resize(read_size);
    wait_readable();
    handler_.on_connected();
}

int PduChannel::descriptor() {
    return open_ ? socket_.native_handle() : -1;
}

void PduChannel::close() {
    over_ = true;
    closed_ = true;
    open_ = false;
    connect_timer_.cancel();
    pause_timer_.cancel();
    resolver_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
}

void PduChannel::lose(std::string reason) {
    if (over_)
        return;
    over_ = true;
    // Posted: a write that fails must not call back into the code that is just sending.
    asio::post(io_, [this, reason = std::move(reason)] {
        if (closed_)
            return;
        handler_.on_lost(reason);
        close();
    });
}

void PduChannel::wait_readable() {
    socket_.async_wait(asio::ip::tcp::socket::wait_read, [this](const asio::error_code &error) {
        if (!error && !over_)
            read_some();
    });
}

// Room for the rest of the PDU at the front, or for a good read.
void PduChannel::make_room() {
    if (in_begin_ == in_end_) {
        in_begin_ = in_end_ = 0;
        return;
    }
    std::size_t wanted = read_size / 4;
    const std::size_t held = in_end_ - in_begin_;
    if (header_ns_ != 0) {
        const HeaderView header(
            std::span<const std::byte, basic_header_size>(&in_[in_begin_], basic_header_size));
        wanted = std::max<std::size_t>(wanted, header.pdu_length(digests_.header, digests_.data) - held);
    }
    if (in_.size() - in_end_ >= wanted)
        return;
    std::memmove(in_.data(), in_.data() + in_begin_, held);
    in_begin_ = 0;
    in_end_ = held;
    if (in_.size() - in_end_ < wanted) // wanted is bounded by receive_limit_
        in_.resize(in_end_ + wanted);
}

void PduChannel::read_some() {
    // A few reads a wake-up, so that one busy connection does not starve the others.
    for (int round = 0; round < 4 && !over_; ++round) {
        make_room();
        const ssize_t got = ::recv(socket_.native_handle(), in_.data() + in_end_, in_.size() - in_end_, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got < 0)
            return lose(std::strerror(errno));
        if (got == 0)
            return lose("the peer closed the connection");
        const std::int64_t now = realtime_ns();
        renew_ack_mode(socket_.native_handle(), settings_.ack_mode);
        in_end_ += static_cast<std::size_t>(got);
        bytes_received_ += static_cast<std::uint64_t>(got);
        take_pdus(now);
        since_pause_ += static_cast<std::uint64_t>(got);
        if (settings_.read_pause.count() > 0 && since_pause_ >= settings_.read_pause_every)
            return pause_reading();
    }
    if (!over_)
        wait_readable();
}

void PduChannel::pause_reading() {
    since_pause_ = 0;
    pause_timer_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(settings_.read_pause));
    pause_timer_.async_wait([this](const asio::error_code &error) {
        if (!error && !over_)
            wait_readable();
    });
}

bool PduChannel::header_is_sound(HeaderView header, std::span<const std::byte> bytes) {
    const std::size_t length = header.header_length();
    if (digests_.header &&
        crc32c(0, bytes.first(length)) != load_digest(bytes.subspan(length).first<digest_size>())) {
        lose("header digest error in a PDU from the target");
        return false;
    }
    if (header.data_segment_length() > receive_limit_) {
        lose("the target sent a data segment of " + std::to_string(header.data_segment_length()) +
             " bytes where " + std::to_string(receive_limit_) + " are allowed");
        return false;
    }
    return true;
}

void PduChannel::take_pdus(std::int64_t now) {
    while (!over_ && in_end_ - in_begin_ >= basic_header_size) {
        const std::span<const std::byte> bytes(in_.data() + in_begin_, in_end_ - in_begin_);
        const HeaderView header(bytes.first<basic_header_size>());
        if (header_ns_ == 0)
            header_ns_ = now;
        const std::size_t header_size = header.header_length() + (digests_.header ? digest_size : 0);
        if (!header_checked_) {
            if (bytes.size() < header_size)
                return;
            if (!header_is_sound(header, bytes))
                return;
            header_checked_ = true;
        }
        const std::size_t whole = header.pdu_length(digests_.header, digests_.data);
        if (bytes.size() < whole)
            return;
        const std::size_t length = header.data_segment_length();
        if (digests_.data && length > 0 &&
            crc32c(0, bytes.subspan(header_size, padded(length))) !=
                load_digest(bytes.subspan(whole - digest_size).first<digest_size>()))
            return lose("data digest error in a PDU from the target");
        const IncomingPdu pdu{header, bytes.subspan(header_size, length), header_ns_, now};
        handler_.on_pdu(pdu);
        in_begin_ += whole;
        header_ns_ = 0;
        header_checked_ = false;
    }
}

void PduChannel::send(const HeaderBytes &header, std::span<const std::byte> data,
                      std::shared_ptr<const void> owner, SendNote note, bool more) {
    if (over_)
        return;
    out_.push_back({FramedPdu(header, data, digests_), std::move(owner), note, 0, 0});
    out_.back().size = out_.back().pdu.size();
    if (!more)
        flush();
}

void PduChannel::account_sent(std::size_t bytes, std::int64_t ns) {
    bytes_sent_ += bytes;
    while (bytes > 0) {
        Outgoing &front = out_.front();
        if (front.sent == 0)
            handler_.on_first_byte(front.note, ns);
        const std::size_t taken = std::min(bytes, front.size - front.sent);
        front.sent += taken;
        bytes -= taken;
        if (front.sent < front.size)
            return;
        handler_.on_last_byte(front.note, ns);
        out_.pop_front();
    }
}

void PduChannel::flush() {
    if (waiting_writable_ || !open_ || over_)
        return;
    while (!out_.empty()) {
        std::array<iovec, 64> pieces;
        std::size_t count = 0;
        const std::size_t most = legacy_send_ ? 1 : pieces.size();
        for (auto item = out_.begin(); item != out_.end() && count < most; ++item) {
            std::size_t skip = item->sent;
            for (const std::span<const std::byte> part : item->pdu.parts()) {
                if (count == most)
                    break;
                if (skip >= part.size()) {
                    skip -= part.size();
                    continue;
                }
                // sendmsg does not write to what it sends.
                pieces[count++] = {const_cast<std::byte *>(part.data() + skip), part.size() - skip};
                skip = 0;
            }
        }
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = count;
        const std::int64_t now = realtime_ns();
        const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            return wait_writable();
        if (sent < 0)
            return lose(std::strerror(errno));
        account_sent(static_cast<std::size_t>(sent), now);
    }
}

void PduChannel::wait_writable() {
    waiting_writable_ = true;
    socket_.async_wait(asio::ip::tcp::socket::wait_write, [this](const asio::error_code &error) {
        waiting_writable_ = false;
        if (!error && !over_)
            flush();
    });
}

} // namespace iscsiscope::testbed::initiator
