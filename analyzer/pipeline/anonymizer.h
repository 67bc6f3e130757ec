// SPDX-License-Identifier: GPL-2.0-or-later
// Anonymizer: replaces names, addresses, serial numbers and everything else that identifies a site by
// invented ones, so that a report can be given away. Equal originals get equal replacements wherever they
// occur. Sizes, times, ports, frame numbers and device models are kept.
#pragma once

#include "analyzer/cycles/records/relay_sink.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace iscsiscope {

struct CaptureSummary;

// Holds the replacements made so far. Thread-safe, so that captures read in parallel get the same names.
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
    // The replacements are in 198.18.0.0/15 and 2001:db8::/32, which no host uses (RFC 2544, RFC 3849).
    IpAddress address(const IpAddress &);
    Endpoint endpoint(const Endpoint &e) { return {address(e.address), e.port}; }
    std::array<std::uint8_t, 6> isid(const std::array<std::uint8_t, 6> &);

    void apply(Login &);
    void apply(std::shared_ptr<const Login> &); // other owners keep the real one
    void apply(AttemptRecord &);
    void apply(ConnectionRecord &);
    void apply(SegmentRecord &);
    void apply(LoginRecord &r) { apply(r.login); }
    void apply(SessionRecord &);
    void apply(LunRecord &);
    void apply(ReservationRecord &);
    void apply(CaptureSummary &, std::size_t number); // number: of this file, from 1

private:
    using Names = std::map<std::string, std::string>;
    std::string replace(Names &, const std::string &, const char *stem);

    std::mutex mutex_;
    Names names_, serials_, designators_, others_;
    std::map<IpAddress, IpAddress> addresses_;
    std::map<std::array<std::uint8_t, 6>, std::array<std::uint8_t, 6>> isids_;
};

// Passes records with replaced names to the next sink, so that everything made from them is anonymous. The
// data that PDUs carry is unchanged; of it tables and reports show only the CDB.
class AnonymizingSink final : public RelaySink<AnonymizingSink> {
public:
    AnonymizingSink(RecordSink &next, Anonymizer &names) : RelaySink<AnonymizingSink>(next), names_(names) {}

    // Hands on a copy with replaced names, if the record has names, otherwise the record itself.
    template <class Record>
    void relay(const Record &r) {
        constexpr bool names_ends = requires {
            r.connection;
        };
        constexpr bool has_names = requires(Record copy) {
            names_.apply(copy);
        };
        if constexpr (names_ends || has_names) {
            Record copy = r;
            if constexpr (names_ends)
                copy.connection = masked(r.connection);
            if constexpr (has_names)
                names_.apply(copy);
            next().put(copy);
        } else {
            next().put(r);
        }
    }

private:
    // The same face for the records of one connection, as long as no other comes between them.
    const SharedFace &masked(const SharedFace &real) {
        if (real != real_) {
            ConnectionFace face = *real;
            for (Endpoint &e : face.endpoints)
                e = names_.endpoint(e);
            real_ = real;
            masked_ = std::make_shared<const ConnectionFace>(face);
        }
        return masked_;
    }

    Anonymizer &names_;
    SharedFace real_, masked_; // of the last record
};

} // namespace iscsiscope
