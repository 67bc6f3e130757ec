// SPDX-License-Identifier: GPL-2.0-or-later
// The PduLink over a TCP socket, of the initiator and of the target: reads and frames PDUs, checks digests,
// sends PDUs, reads the times that go into truth rows.
#pragma once

#include "sample-captures/testbed/common/socket_settings.h"
#include "sample-captures/testbed/wire/pdu_link.h"
#include "sample-captures/testbed/wire/pdu_reader.h"
#include "sample-captures/testbed/wire/send_queue.h"

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <limits>

namespace iscsiscope::testbed {

enum class LinkEnd : std::uint8_t { initiator, target };

// In what the two ends differ.
struct TcpLinkSettings {
    LinkEnd end = LinkEnd::initiator;   // of this program
    AckMode ack_mode = AckMode::system; // set again after each read
    // After each read_pause_every bytes nothing is read for read_pause, so that the TCP window closes.
    std::chrono::nanoseconds read_pause{0};
    std::uint64_t read_pause_every = 262144;
    // Calls of recv before other connections get their turn; fewer where the socket holds no more.
    int reads_a_turn = 4;
    bool legacy_send = false; // a PDU's header and its data by two system calls
    // Bytes of one sendmsg. The kernel compares its send buffer with what is queued before a call, not
    // within it, so that one large call goes out far beyond the buffer.
    std::size_t max_bytes_a_call = std::numeric_limits<std::size_t>::max();
    // While received PDUs are delivered, what is sent is held back until so many bytes are queued or all
    // are delivered, so that small answers go out together. 0: every send() goes to the socket.
    std::size_t gather_bytes = 0;
    // Bytes of one read, from limit_data_segment() on; before, a read takes at most login_read_size.
    std::size_t read_size = std::size_t{256} << 10;
    // PduLink::output_bound(), as it is at the moment; empty: none.
    std::function<std::size_t()> output_bound{};
    // The sum of waiting() of all links that share it; it outlives them. Null: not counted.
    std::size_t *waiting_of_all = nullptr;
    // A link that is closing and has not sent its queue by then ends all the same; 0: it waits.
    std::chrono::nanoseconds linger{0};
};

// All work is done on the thread of the socket's io_context. Made by std::make_shared: the link stays alive
// while it waits for its socket.
//
// States: open; closing (close_when_sent: sends its queue, reads nothing); lost (ended by itself,
// on_link_down follows from the event loop); closed.
class TcpLink final : public PduLink, public std::enable_shared_from_this<TcpLink> {
public:
    // The socket is connected. ended, where given, is called once, just before the socket is closed for
    // whatever reason, so that samplers can leave it; it outlives the link.
    using Ended = std::function<void(const TcpLink &, std::string_view reason)>;
    TcpLink(asio::ip::tcp::socket socket, const TcpLinkSettings &settings, Ended ended = {});
    ~TcpLink() override;

    // Reading begins. events must live until close(), close_when_sent() or on_link_down; the socket is
    // still open during on_link_down and closed after it.
    void start(PduLinkEvents &events);

    void send(OutgoingPdu) override;
    // Queues the PDU; the next send() or flush() sends it.
    void queue(OutgoingPdu &&);
    void flush();
    void set_digests(DigestUse digests) override;
    void limit_data_segment(std::uint32_t bytes) override;
    void close(std::string_view reason) override;
    void close_when_sent(std::string_view reason) override;
    const std::string &name() const override { return name_; }
    std::string local_address() const override;
    std::size_t waiting() const override { return queue_.memory(); }
    std::size_t output_bound() const override;
    void ask_for_room() override;
    void hold_input(bool) override;

    bool is_open() const {
        return state_ != State::closed;
    }                                              // the socket is, though it may send or read no more
    int descriptor() const { return descriptor_; } // for samplers, until the socket is closed
    std::uint64_t bytes_sent() const { return bytes_sent_; }
    std::uint64_t bytes_received() const { return bytes_received_; }

private:
    enum class State : std::uint8_t { open, closing, lost, closed };

    void wait_readable();
    void wait_writable();
    void pause_reading();
    void read();
    void read_on();
    void deliver();
    void offer_room();
    void count_waiting();
    void give_up_sending();
    void lose(std::string reason);
    void finish(std::string_view reason);

    asio::ip::tcp::socket socket_;
    int descriptor_;
    TcpLinkSettings settings_;
    Ended ended_;
    std::string name_;
    PduLinkEvents *events_ = nullptr;
    State state_ = State::open;
    std::string closing_reason_;
    asio::steady_timer pause_timer_;
    std::uint64_t read_since_pause_ = 0; // bytes
    DigestUse digests_;
    PduReader reader_;
    SendQueue queue_;
    std::size_t counted_ = 0; // of waiting(), in settings_.waiting_of_all
    bool delivering_ = false, writable_awaited_ = false;
    bool held_ = false;        // hold_input()
    bool parked_ = false;      // reading has stopped because of held_
    bool room_wanted_ = false; // ask_for_room()
    std::uint64_t bytes_sent_ = 0, bytes_received_ = 0;
};

} // namespace iscsiscope::testbed
