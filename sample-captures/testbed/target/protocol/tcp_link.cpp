// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/tcp_link.h"

#include "analyzer/iscsi/codec/header_view.h"
#include "analyzer/iscsi/digest/crc32c.h"
#include "sample-captures/testbed/common/clock.h"

#include <algorithm>
#include <utility>

#include <asio/write.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>

namespace iscsiscope::testbed {
namespace {

std::string text_of(const asio::ip::tcp::endpoint &e) {
    return e.address().is_v6() ? fmt::format("[{}]:{}", e.address().to_string(), e.port())
                               : fmt::format("{}:{}", e.address().to_string(), e.port());
}

constexpr std::size_t input_size = 256 * 1024;
constexpr std::size_t most_buffers = 64; // of one sendmsg
constexpr std::size_t enough_to_send = 64 * 1024;

bool digest_matches(std::span<const std::byte> covered, std::span<const std::byte> digest) {
    return crc32c(0, covered) == load_digest(digest.first<digest_size>());
}

} // namespace

TcpLink::TcpLink(asio::ip::tcp::socket socket, const TargetConfig &config, TruthLog &truth)
    : socket_(std::move(socket)), config_(config), truth_(truth), record_(truth.connection()),
      input_(input_size) {
    asio::error_code ignored;
    name_ = text_of(socket_.remote_endpoint(ignored)) + ">" + text_of(socket_.local_endpoint(ignored));
    socket_.non_blocking(true, ignored);
    if (TcpInfoSampler *sampler = truth_.sampler())
        sampler_handle_ = sampler->add(socket_.native_handle(), name_);
    if (record_) {
        record_->connection = name_;
        record_->start_ns = realtime_ns();
    }
}

TcpLink::~TcpLink() {
    finish("target ended");
}

std::string TcpLink::portal() const {
    asio::error_code ignored;
    return text_of(socket_.local_endpoint(ignored));
}

void TcpLink::start(LinkEvents &events) {
    events_ = &events;
    quick_ack();
    wait_readable();
}

// TCP_QUICKACK is not kept by the kernel: it is set again after each receive (tcp(7)).
void TcpLink::quick_ack() {
    if (!config_.sockets.quick_ack || closed_)
        return;
    const int on = *config_.sockets.quick_ack ? 1 : 0;
    ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

void TcpLink::wait_readable() {
    socket_.async_wait(asio::ip::tcp::socket::wait_read,
                       [self = shared_from_this()](const asio::error_code &error) {
                           if (!error)
                               self->read_more();
                       });
}

void TcpLink::read_more() {
    if (closed_ || closing_)
        return;
    // Room for the rest of a PDU that is longer than the buffer, else for a good handful.
    if (begin_ > 0) {
        std::copy(input_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  input_.begin() + static_cast<std::ptrdiff_t>(end_), input_.begin());
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == input_.size())
        input_.resize(input_.size() * 2); // bounded by limit_data_segment
    asio::error_code error;
    const std::size_t n = socket_.read_some(asio::buffer(input_.data() + end_, input_.size() - end_), error);
    if (error == asio::error::would_block || error == asio::error::try_again)
        return wait_readable();
    if (error)
        return down(error == asio::error::eof ? "the initiator closed the connection" : error.message());
    const std::int64_t now = realtime_ns();
    if (record_)
        record_->bytes_received += n;
    end_ += n;
    quick_ack();
    const auto self = shared_from_this();
    frame_received(now);
    flush();
    if (!closed_ && !closing_)
        wait_readable();
}

void TcpLink::frame_received(std::int64_t now) {
    // Small answers to all the PDUs at hand go out together: send() holds back.
    gathering_ = true;
    while (!closed_ && !closing_) {
        const auto taken = take_pdu(begin_, end_, now);
        if (!taken) {
            gathering_ = false;
            return;
        }
        if (*taken == 0)
            break;
        begin_ += *taken;
    }
    gathering_ = false;
}

std::optional<std::size_t> TcpLink::take_pdu(std::size_t start, std::size_t end, std::int64_t now) {
    const std::span<const std::byte> bytes(input_.data() + start, end - start);
    if (bytes.size() < basic_header_size)
        return 0;
    InPdu pdu;
    std::copy_n(bytes.begin(), basic_header_size, pdu.header.begin());
    const HeaderView view(pdu.header);
    const std::size_t header = view.header_length();
    const std::size_t data_at = header + (digests_in_.header ? digest_size : 0);
    // The header digest is looked at before any length in the header is believed.
    if (bytes.size() < data_at)
        return 0;
    if (digests_in_.header && !digest_matches(bytes.first(header), bytes.subspan(header, digest_size))) {
        down("header digest error");
        return std::nullopt;
    }
    const std::uint32_t length = view.data_segment_length();
    if (length > data_segment_limit_) {
        down(fmt::format("a data segment of {} bytes, more than MaxRecvDataSegmentLength {}", length,
                         data_segment_limit_));
        return std::nullopt;
    }
    const std::size_t whole = view.pdu_length(digests_in_.header, digests_in_.data);
    if (bytes.size() < whole)
        return 0;
    pdu.ahs = bytes.subspan(basic_header_size, header - basic_header_size);
    pdu.data = bytes.subspan(data_at, length);
    const std::size_t with_padding = padded(length);
    if (digests_in_.data && length > 0)
        pdu.data_digest_ok = digest_matches(bytes.subspan(data_at, with_padding),
                                            bytes.subspan(data_at + with_padding, digest_size));
    pdu.received_ns = now;
    events_->on_pdu(pdu);
    return whole;
}

void TcpLink::send(OutPdu out) {
    if (closed_ || closing_)
        return;
    FramedPdu framed(out.header, out.data, out.digests);
    if (out.spoil_header_digest)
        framed.spoil_header_digest();
    if (out.spoil_data_digest)
        framed.spoil_data_digest();
    if (out.digests.data)
        for (std::uint32_t i = 0; i < config_.faults.digest_work; ++i)
            digest_work_ = crc32c(digest_work_, out.data);
    queued_bytes_ += framed.size();
    output_.push_back({std::move(framed), std::move(out.owner), std::move(out.stamp), 0});
    if (!gathering_ || queued_bytes_ >= enough_to_send)
        flush();
}

// The next bytes to hand over, without copying. With legacy_send only one PDU's header, or its data:
// two system calls, as old targets made them.
std::size_t TcpLink::gather(std::vector<asio::const_buffer> &buffers) const {
    // The kernel looks at its send buffer before a call, not within it: what one call brings goes out beyond
    // it.
    const std::size_t most = config_.sockets.send_buffer.value_or(~std::uint32_t{0});
    std::size_t total = 0;
    for (const Queued &q : output_) {
        std::size_t skip = q.sent, index = 0;
        for (const std::span<const std::byte> part : q.pdu.parts()) {
            const bool header_ends_here = index++ == 2; // basic header, AHS, header digest
            const std::size_t n = part.size() > skip ? part.size() - skip : 0;
            if (n > 0) {
                const std::size_t taken = std::min(n, most - total);
                buffers.emplace_back(part.data() + skip, taken);
                total += taken;
                if (total == most)
                    return total;
            }
            skip -= std::min(skip, part.size());
            if (config_.faults.legacy_send && header_ends_here && total > 0)
                return total;
        }
        if (config_.faults.legacy_send || buffers.size() + 5 > most_buffers)
            break;
    }
    return total;
}

void TcpLink::sent(std::size_t bytes, std::int64_t time_ns) {
    queued_bytes_ -= bytes;
    if (record_)
        record_->bytes_sent += bytes;
    while (bytes > 0) {
        Queued &q = output_.front();
        if (q.sent == 0 && q.stamp.record && q.stamp.as != SentAs::nothing) {
            CommandRecord &r = *q.stamp.record;
            if (q.stamp.as == SentAs::r2t)
                r.r2ts[q.stamp.index].time_ns = time_ns;
            if (q.stamp.as == SentAs::data || q.stamp.as == SentAs::data_with_status) {
                if (r.first_data_ns == 0)
                    r.first_data_ns = time_ns;
                r.data_complete_ns = time_ns;
            }
            if (q.stamp.as == SentAs::status || q.stamp.as == SentAs::data_with_status) {
                r.status_ns = time_ns;
                r.outcome = "done";
            }
        }
        const std::size_t n = std::min(bytes, q.pdu.size() - q.sent);
        q.sent += n;
        bytes -= n;
        if (q.sent == q.pdu.size())
            output_.pop_front();
    }
}

void TcpLink::flush() {
    if (writable_awaited_ || closed_)
        return;
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(most_buffers);
    while (!output_.empty()) {
        buffers.clear();
        gather(buffers);
        asio::error_code error;
        const std::int64_t now = realtime_ns();
        const std::size_t n = socket_.write_some(buffers, error);
        if (error == asio::error::would_block || error == asio::error::try_again) {
            writable_awaited_ = true;
            socket_.async_wait(asio::ip::tcp::socket::wait_write,
                               [self = shared_from_this()](const asio::error_code &failed) {
                                   self->writable_awaited_ = false;
                                   if (!failed)
                                       self->flush();
                               });
            return;
        }
        if (error) // told from the event loop, not from within send()
            return asio::post(socket_.get_executor(),
                              [self = shared_from_this(), why = error.message()] { self->down(why); });
        sent(n, now);
    }
    if (closing_)
        finish(closing_reason_);
}

void TcpLink::down(std::string reason) {
    if (closed_)
        return;
    LinkEvents *events = std::exchange(events_, nullptr);
    finish(reason);
    if (events != nullptr && !closing_)
        events->on_link_down(reason);
}

void TcpLink::finish(std::string_view reason) {
    if (std::exchange(closed_, true))
        return;
    if (sampler_handle_)
        truth_.sampler()->remove(*sampler_handle_);
    if (record_) {
        record_->end_ns = realtime_ns();
        record_->end_reason = reason;
    }
    output_.clear();
    asio::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
}

void TcpLink::close(std::string_view reason) {
    events_ = nullptr;
    finish(reason);
}

void TcpLink::close_when_sent(std::string_view reason) {
    events_ = nullptr;
    closing_ = true;
    closing_reason_ = reason;
    flush();
}

} // namespace iscsiscope::testbed
