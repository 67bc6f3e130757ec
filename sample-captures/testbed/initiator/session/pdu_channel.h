// SPDX-License-Identifier: GPL-2.0-or-later
// One TCP connection that carries PDUs: whole PDUs out in order, whole PDUs in with their times.
#pragma once

#include "analyzer/iscsi/codec/frame_pdu.h"
#include "analyzer/iscsi/codec/header_view.h"
#include "sample-captures/testbed/initiator/session/socket_settings.h"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct IncomingPdu {
    HeaderView header;
    std::span<const std::byte> data; // without padding; valid during the call
    std::int64_t header_ns = 0;      // CLOCK_REALTIME after the read that brought the basic header's end
    std::int64_t whole_ns = 0;       // after the read that brought the last byte
};

// What to tell about a PDU's way to the socket.
struct SendNote {
    enum class Kind : std::uint8_t { none, command, data_out };
    Kind kind = Kind::none;
    InitiatorTaskTag itt = InitiatorTaskTag::reserved;
};

// One thread: that of the io_context. All callbacks come from it, never from within send().
class PduChannel {
public:
    class Handler {
    public:
        virtual void on_connected() = 0;
        virtual void on_pdu(const IncomingPdu &) = 0;
        // Once, also when connecting fails; the socket is closed by then. Not after close().
        virtual void on_lost(const std::string &reason) = 0;
        // The time read just before the sendmsg that took the first (or last) byte of the PDU.
        virtual void on_first_byte(const SendNote &, std::int64_t ns) = 0;
        virtual void on_last_byte(const SendNote &, std::int64_t ns) = 0;

    protected:
        ~Handler() = default;
    };

    // handler outlives the channel. legacy_send: each part of a PDU by a write of its own.
    PduChannel(asio::io_context &io, Handler &handler, SocketSettings settings, bool legacy_send);
    ~PduChannel();
    PduChannel(const PduChannel &) = delete;
    PduChannel &operator=(const PduChannel &) = delete;

    void connect(const std::string &host, std::uint16_t port, std::chrono::nanoseconds timeout);
    // From the next PDU on, in both directions.
    void set_digests(DigestUse use) { digests_ = use; }
    // Longest DataSegmentLength that is accepted, bytes.
    void set_receive_limit(std::uint32_t bytes) { receive_limit_ = bytes; }
    // Queues a PDU; data is kept alive by owner. flush() or the next send without `more` starts it.
    void send(const HeaderBytes &header, std::span<const std::byte> data, std::shared_ptr<const void> owner,
              SendNote note, bool more = false);
    void flush();
    void close(); // quietly
    // The connected socket, for samplers; -1 if there is none.
    int descriptor();
    const std::string &name() const { return name_; }
    bool is_open() const { return open_; }
    std::uint64_t bytes_sent() const { return bytes_sent_; }
    std::uint64_t bytes_received() const { return bytes_received_; }

private:
    struct Outgoing {
        FramedPdu pdu;
        std::shared_ptr<const void> owner;
        SendNote note;
        std::size_t sent = 0; // bytes
        std::size_t size = 0;
    };
    void connected();
    void lose(std::string reason);
    void wait_readable();
    void pause_reading();
    void wait_writable();
    void read_some();
    void take_pdus(std::int64_t now);
    bool header_is_sound(HeaderView header, std::span<const std::byte> bytes);
    void make_room();
    void account_sent(std::size_t bytes, std::int64_t ns);

    asio::io_context &io_;
    Handler &handler_;
    SocketSettings settings_;
    bool legacy_send_;
    asio::ip::tcp::resolver resolver_;
    asio::ip::tcp::socket socket_;
    asio::steady_timer connect_timer_, pause_timer_;
    std::uint64_t since_pause_ = 0; // bytes read
    std::string name_;
    DigestUse digests_;
    std::uint32_t receive_limit_ = 8192; // the default in force during login
    bool open_ = false;                  // connected
    bool over_ = false;                  // lost or closed
    bool closed_ = false;
    bool waiting_writable_ = false;

    std::vector<std::byte> in_;
    std::size_t in_begin_ = 0, in_end_ = 0;
    std::int64_t header_ns_ = 0; // of the PDU at in_begin_; 0: not yet there
    bool header_checked_ = false;
    std::deque<Outgoing> out_;
    std::uint64_t bytes_sent_ = 0, bytes_received_ = 0;
};

} // namespace iscsiscope::testbed::initiator
