// SPDX-License-Identifier: GPL-2.0-or-later
// Reports that may leave the house: names, addresses, serial numbers and what else tells whose systems
// these are, replaced by made-up ones, the same for the same wherever they stand. Sizes, times, ports,
// frame numbers and device models stay.
#pragma once

#include "analyzer/cycles/records/forwarding_sink.h"

#include <map>
#include <mutex>
#include <string>

namespace iscsiscope {

struct CaptureSummary;

// Remembers what stands for what. Thread-safe, so that captures read at once get the same names.
class Anonymizer {
public:
    std::string initiator(const std::string &name) {
        return replace(names_, name, "iqn.2000-01.invalid.site:initiator-");
    }
    std::string target(const std::string &name) {
        return replace(names_, name, "iqn.2000-01.invalid.site:target-");
    }
    std::string serial(const std::string &s) { return replace(serials_, s, "serial-"); }
    std::string designator(const std::string &s) { return replace(designators_, s, "designator-"); }
    // 198.18.0.0/15 and 2001:db8::/32, which are nobody's (RFC 2544, RFC 3849).
    IpAddress address(const IpAddress &);
    Endpoint endpoint(const Endpoint &e) { return {address(e.address), e.port}; }
    std::array<std::uint8_t, 6> isid(const std::array<std::uint8_t, 6> &);

    void apply(Login &);
    void apply(ConnectionRecord &);
    void apply(SessionRecord &);
    void apply(LunRecord &);
    void apply(Connection &c);
    void apply(CaptureSummary &, std::size_t number); // of the file among several, from 1

private:
    using Names = std::map<std::string, std::string>;
    std::string replace(Names &, const std::string &, const char *stem);

    std::mutex mutex_;
    Names names_, serials_, designators_, others_;
    std::map<IpAddress, IpAddress> addresses_;
    std::map<std::array<std::uint8_t, 6>, std::array<std::uint8_t, 6>> isids_;
};

// Stands before the sinks: whatever they make of the records is anonymous from the start. What PDUs carry
// stays in them; no table or report shows it but the CDB.
class AnonymizingSink final : public ForwardingSink {
public:
    AnonymizingSink(RecordSink &next, Anonymizer &names) : ForwardingSink(next), names_(names) {}

    void on_segment(const Connection &c, const SegmentReport &r) override { next().on_segment(masked(c), r); }
    void on_pdu_begin(const Connection &c, Side s, const Pdu &p,
                      std::optional<std::uint64_t> cycle) override {
        next().on_pdu_begin(masked(c), s, p, cycle);
    }
    void on_pdu(const Connection &c, const Pdu &r) override { next().on_pdu(masked(c), r); }
    void on_lun(const LunRecord &r) override { changed(r, &RecordSink::on_lun); }
    void on_session(const SessionRecord &r) override { changed(r, &RecordSink::on_session); }
    void on_login(const Connection &c, const Login &r) override {
        Login copy = r;
        names_.apply(copy);
        next().on_login(masked(c), copy);
    }
    void on_member(const Connection &c, Side s, std::uint64_t n) override {
        next().on_member(masked(c), s, n);
    }
    void on_tcp_sample(const Connection &c, PduDirection d, const TcpSample &s) override {
        next().on_tcp_sample(masked(c), d, s);
    }
    void on_retransmission(const Connection &c, PduDirection d, const TcpRetransmission &r) override {
        next().on_retransmission(masked(c), d, r);
    }
    void on_reordering(const Connection &c, PduDirection d, const TcpReordering &r) override {
        next().on_reordering(masked(c), d, r);
    }
    void on_tcp_direction(const Connection &c, PduDirection d, const TcpDirectionFigures &f) override {
        next().on_tcp_direction(masked(c), d, f);
    }
    void on_connection(const ConnectionRecord &r) override { changed(r, &RecordSink::on_connection); }

private:
    template <class Record>
    void changed(const Record &r, void (RecordSink::*f)(const Record &)) {
        Record copy = r;
        names_.apply(copy);
        (next().*f)(copy);
    }
    const Connection &masked(const Connection &c) {
        connection_ = c;
        names_.apply(connection_);
        return connection_;
    }

    Anonymizer &names_;
    Connection connection_;
};

} // namespace iscsiscope
