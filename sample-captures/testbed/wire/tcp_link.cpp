// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/wire/tcp_link.h"

#include "sample-captures/testbed/common/clock.h"

#include <asio/post.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace iscsiscope::testbed {

namespace {

// A login PDU with the longest data segment and the longest additional header fits.
constexpr std::size_t login_read_size = std::size_t{16} << 10;

const char *peer_of(LinkEnd end) {
    return end == LinkEnd::initiator ? "target" : "initiator";
}

} // namespace

TcpLink::TcpLink(asio::ip::tcp::socket socket, const TcpLinkSettings &settings, Ended ended)
    : socket_(std::move(socket)), descriptor_(socket_.native_handle()), settings_(settings),
      ended_(std::move(ended)), name_(connection_name(descriptor_, settings.end == LinkEnd::initiator)),
      pause_timer_(socket_.get_executor()), reader_(peer_of(settings.end)),
      queue_(settings.legacy_send, settings.max_bytes_a_call) {
    asio::error_code ignored;
    socket_.non_blocking(true, ignored);
    reader_.set_read_size(std::min(login_read_size, settings_.read_size));
}

TcpLink::~TcpLink() {
    finish("the program ended");
}

std::string TcpLink::local_address() const {
    return testbed::local_address(descriptor_);
}

void TcpLink::start(PduLinkEvents &events) {
    events_ = &events;
    wait_readable();
}

void TcpLink::set_digests(DigestUse digests) {
    digests_ = digests;
    reader_.set_digests(digests);
}

void TcpLink::limit_data_segment(std::uint32_t bytes) {
    reader_.limit_data_segment(bytes);
    reader_.set_read_size(settings_.read_size);
}

std::size_t TcpLink::output_bound() const {
    return settings_.output_bound ? settings_.output_bound() : PduLink::output_bound();
}

void TcpLink::count_waiting() {
    if (settings_.waiting_of_all == nullptr)
        return;
    *settings_.waiting_of_all += waiting() - counted_; // unsigned: what wraps in between comes back
    counted_ = waiting();
}

void TcpLink::ask_for_room() {
    room_wanted_ = true;
    offer_room();
}

void TcpLink::offer_room() {
    if (!room_wanted_ || state_ != State::open || waiting() >= output_bound() / 2)
        return;
    room_wanted_ = false;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (self->events_ != nullptr && self->state_ == State::open)
            self->events_->on_room();
    });
}

void TcpLink::hold_input(bool hold) {
    held_ = hold;
    if (held_ || !std::exchange(parked_, false))
        return;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (self->state_ != State::open)
            return;
        self->deliver(); // what was received before input was held
        self->flush();
        self->read_on();
    });
}

// The next read, unless input is held: hold_input(false) then goes on.
void TcpLink::read_on() {
    if (state_ != State::open)
        return;
    if (held_)
        parked_ = true;
    else
        wait_readable();
}

void TcpLink::wait_readable() {
    socket_.async_wait(
        asio::ip::tcp::socket::wait_read,
        [self = shared_from_this()](const asio::error_code &error) {
            if (!error)
                self->read();
        });
}

void TcpLink::wait_writable() {
    writable_awaited_ = true;
    socket_.async_wait(asio::ip::tcp::socket::wait_write,
                       [self = shared_from_this()](const asio::error_code &error) {
                           self->writable_awaited_ = false;
                           if (!error)
                               self->flush();
                       });
}

void TcpLink::pause_reading() {
    read_since_pause_ = 0;
    pause_timer_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(settings_.read_pause));
    pause_timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
        if (!error && self->state_ == State::open)
            self->wait_readable();
    });
}

void TcpLink::read() {
    const auto self = shared_from_this();
    for (int round = 0; round < settings_.reads_a_turn && state_ == State::open && !held_; ++round) {
        const std::span<std::byte> room = reader_.room();
        const ssize_t got = ::recv(descriptor_, room.data(), room.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got < 0)
            return lose(std::strerror(errno));
        if (got == 0)
            return lose(std::string("the ") + peer_of(settings_.end) + " closed the connection");
        const std::int64_t now = realtime_ns();
        renew_ack_mode(descriptor_, settings_.ack_mode);
        const auto bytes = static_cast<std::size_t>(got);
        bytes_received_ += bytes;
        read_since_pause_ += bytes;
        reader_.received(bytes, now);
        deliver();
        flush();
        if (settings_.read_pause.count() > 0 && read_since_pause_ >= settings_.read_pause_every &&
            state_ == State::open)
            return pause_reading();
    }
    read_on();
}

void TcpLink::deliver() {
    delivering_ = true;
    while (state_ == State::open && !held_) {
        const auto pdu = reader_.next();
        if (!pdu)
            break;
        events_->on_pdu(*pdu);
    }
    delivering_ = false;
    if (!reader_.error().empty())
        lose(reader_.error());
}

void TcpLink::queue(OutgoingPdu &&pdu) {
    if (state_ != State::open)
        return;
    queue_.add(std::move(pdu), digests_);
    count_waiting();
}

void TcpLink::send(OutgoingPdu pdu) {
    queue(std::move(pdu));
    if (!delivering_ || queue_.bytes() >= settings_.gather_bytes)
        flush();
}

void TcpLink::flush() {
    if (writable_awaited_ || (state_ != State::open && state_ != State::closing))
        return;
    while (!queue_.empty()) {
        const std::span<iovec> pieces = queue_.pieces();
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = pieces.size();
        const std::int64_t now = realtime_ns();
        const ssize_t sent = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            wait_writable();
            return offer_room();
        }
        if (sent < 0)
            return lose(std::strerror(errno));
        bytes_sent_ += static_cast<std::uint64_t>(sent);
        queue_.handed(static_cast<std::size_t>(sent), now);
        count_waiting();
    }
    if (state_ == State::closing)
        return finish(closing_reason_);
    offer_room();
}

// on_link_down comes from the event loop: a write that fails must not call back into the code that sends.
void TcpLink::lose(std::string reason) {
    if (state_ == State::lost || state_ == State::closed)
        return;
    state_ = State::lost;
    asio::post(socket_.get_executor(), [self = shared_from_this(), reason = std::move(reason)] {
        if (self->state_ == State::closed)
            return;
        if (PduLinkEvents *events = std::exchange(self->events_, nullptr))
            events->on_link_down(reason);
        self->finish(reason);
    });
}

void TcpLink::finish(std::string_view reason) {
    if (std::exchange(state_, State::closed) == State::closed)
        return;
    events_ = nullptr;
    if (ended_)
        ended_(*this, reason);
    queue_.clear();
    count_waiting();
    pause_timer_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
}

void TcpLink::close(std::string_view reason) {
    finish(reason);
}

void TcpLink::close_when_sent(std::string_view reason) {
    events_ = nullptr;
    if (state_ != State::open)
        return;
    state_ = State::closing;
    closing_reason_ = reason;
    give_up_sending();
    flush();
}

// A peer that does not read must not keep a link that is closing, with its queue, for ever.
void TcpLink::give_up_sending() {
    if (settings_.linger.count() == 0)
        return;
    pause_timer_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(settings_.linger));
    pause_timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
        if (!error)
            self->finish(self->closing_reason_);
    });
}

} // namespace iscsiscope::testbed
