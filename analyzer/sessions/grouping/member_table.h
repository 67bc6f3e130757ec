// SPDX-License-Identifier: GPL-2.0-or-later
// The iSCSI connections met and the engine's sessions that they belong to: what every tracker of this
// room looks up.
#pragma once

#include "analyzer/base/flat_map.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/grouping/command_evidence.h"

#include <memory>
#include <string>
#include <vector>

namespace iscsiscope {

struct MemberUnit;

// One connection.
struct Member {
    std::uint32_t index = 0; // in the table
    std::uint32_t slot = 0;
    std::uint64_t stream = 0;
    Side initiator{};
    Endpoint initiator_end, target_end;
    MemberUnit *unit = nullptr;
    std::unique_ptr<Login> login;    // the accepted one; null: not in the capture
    std::uint32_t initiator_key = 0; // the same for connections of one initiator
    bool open = true;
    // Commands without an answer, and their ExpectedDataTransferLength.
    std::uint32_t outstanding = 0;
    std::uint64_t outstanding_bytes = 0;
    Duration half_loop_to_target{}, loop_to_initiator{}; // the shortest so far; of sessions of several only
};

// One session of the engine. Evidence may join several to a group, whose number is the lowest of theirs.
struct MemberUnit {
    std::uint32_t index = 0; // in the table
    std::uint64_t session = 0;
    std::vector<Member *> members; // of this unit alone
    std::vector<Member *> group;   // root only: of all units joined to it
    std::string initiator_name, target_name;
    bool has_login = false; // some connection's login
    bool certain = false;   // the login that began the session: no evidence needed or wanted
    MemberUnit *joined_to = nullptr;
    CommandEvidence evidence;
    std::optional<PairEvidence> link; // the most telling one to another unit of its group

    MemberUnit *root() {
        MemberUnit *u = this;
        while (u->joined_to != nullptr)
            u = u->joined_to;
        return u;
    }
};

class MemberTable {
public:
    static constexpr std::size_t most_members = 4096;

    // Null: no iSCSI connection, or left out for want of room.
    Member *at_slot(std::uint32_t slot) const { return slot < by_slot_.size() ? by_slot_[slot] : nullptr; }
    Member *of_stream(std::uint64_t stream);

    Member *join(const Connection &, Side initiator, std::uint64_t session);
    // Before join() of a connection that it admits.
    void login(const Connection &, const Login &);
    void session(const SessionRecord &);
    Member *close(const ConnectionRecord &);

    // `from` becomes part of the group `into`; both roots, `into` with the lower session.
    static void join_groups(MemberUnit &into, MemberUnit &from);

    const std::vector<std::unique_ptr<Member>> &members() const { return members_; }
    const std::vector<std::unique_ptr<MemberUnit>> &units() const { return units_; }
    std::uint64_t left_out() const { return left_out_; }

private:
    MemberUnit &unit_of(std::uint64_t session);
    void name_initiator(Member &);

    std::vector<std::unique_ptr<Member>> members_;
    std::vector<std::unique_ptr<MemberUnit>> units_;
    std::vector<Member *> by_slot_;
    FlatMap by_stream_, by_session_;
    Member *last_ = nullptr;
    std::vector<std::string> initiators_;
    std::unique_ptr<Login> waiting_login_;
    std::uint64_t waiting_stream_ = 0;
    std::uint64_t left_out_ = 0;
};

} // namespace iscsiscope
