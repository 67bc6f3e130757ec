// SPDX-License-Identifier: GPL-2.0-or-later
// Violations: keeps the breaches of rules of which the other end may have taken notice, and finds out what it
// did. A breach is dropped once the other end went on: it answered that task, or a request sent afterwards.
//
// In: breaches, all PDUs of connections that have one, and the ends of tasks. Out: take(), the breaches after
// which the other end did not go on, and rejects(). State: 8 breaches of a connection, one of each rule, on
// 1,024 connections; 256 Rejects.
#pragma once

#include "analyzer/sessions/figures/conformance.h"

#include <unordered_map>
#include <vector>

namespace iscsiscope {

// The tag of a PDU of the initiator that wants an answer of its own; empty: it is none.
std::optional<std::uint32_t> request_tag(const Pdu &);

class Violations {
public:
    static constexpr std::size_t max_connections = 1024, max_of_connection = 8, max_rejects = 256;

    // next_request: the tag of the first request after it, if that has passed already.
    void add(const Violation &, std::optional<std::uint32_t> next_request = {});
    // The breach of this rule by a task went on.
    void more(Rule, StreamId, std::uint32_t itt, std::uint64_t done);
    // Any PDU of the connection, after the checks on it.
    void pdu(StreamId, const Pdu &);
    void reject(StreamId, const Pdu &);
    // The task ended without an answer.
    void given_up(StreamId, std::uint32_t itt, Time);
    // The connection ended: what the other end bore is dropped.
    void close(StreamId);
    // PDUs of the connection may be missing from here on: what the other end did is no longer known.
    void forget(StreamId stream) { open_.erase(stream); }

    // In order of the frames.
    std::vector<Violation> take();
    std::vector<RejectFigures> take_rejects();

private:
    struct Open {
        Violation violation, latest; // the first of its rule, and the latest
        // The task or ping whose answer shows that the other end went on; empty: none has been sent yet.
        std::optional<std::uint32_t> answer;
        // The breach is the target's: an ExpStatSN beyond this number shows that the initiator went on.
        std::optional<StatSn> stat_sn;
        bool borne = false;
    };
    static bool goes_on(const Open &, const Pdu &);
    static void watch(Open &, const Pdu &);

    std::unordered_map<StreamId, std::vector<Open>> open_;
    std::vector<Violation> ended_;
    std::vector<RejectFigures> rejects_;
};

} // namespace iscsiscope
