// SPDX-License-Identifier: GPL-2.0-or-later
// The table of iSCSI connections (Member) and of the engine's sessions that they belong to (MemberUnit). It
// owns both; pointers to them stay valid as long as the table. Every tracker of this room refers to
// connections and sessions by these, or by their index.
#pragma once

#include "analyzer/base/containers/flat_map.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/grouping/command_evidence.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iscsiscope {

struct MemberUnit;

// One connection.
struct Member {
    std::uint32_t index = 0; // in the table
    StreamId stream;
    Endpoint initiator_end, target_end;
    MemberUnit *unit = nullptr;
    std::shared_ptr<const Login> login; // the accepted login; null: not in the capture
    std::uint32_t initiator_key = 0;    // the same for connections of one initiator
    bool open = true;
    // Commands outstanding, and the sum of their ExpectedDataTransferLength.
    std::uint32_t outstanding = 0;
    std::uint64_t outstanding_bytes = 0;
    // Half of the round trip from the tap to the target, and the round trip from the tap to the initiator:
    // minima so far. Kept in sessions of several connections only.
    Duration one_way_to_target{}, rtt_to_initiator{};
};

// One session of the engine. Several may be joined by evidence to a group, whose number is the lowest session
// number among them and whose root is the unit with that number.
struct MemberUnit {
    std::uint32_t index = 0; // in the table
    SessionId session;
    std::vector<Member *> members; // connections of this unit alone
    std::vector<Member *> group;   // in the root: connections of all units of the group
    std::string initiator_name, target_name;
    bool has_login = false; // the login of some connection is in the capture
    bool certain = false;   // the login that began the session is in the capture: no evidence is needed
    MemberUnit *joined_to = nullptr;
    CommandEvidence evidence;
    std::optional<PairEvidence> link; // the comparison with most handovers to another unit of its group

    // The number of its group.
    GroupId group_number() { return group_led_by(root()->session); }
    MemberUnit *root() {
        MemberUnit *u = this;
        while (u->joined_to != nullptr)
            u = u->joined_to;
        return u;
    }
};

// The logical units of sessions, by session and LUN, as their latest records describe them.
using Luns = std::map<std::pair<SessionId, std::uint64_t>, LunRecord>;

class MemberTable {
public:
    static constexpr std::size_t max_members = 4096;

    // Returns null if the connection has no session yet, or is beyond max_members.
    Member *of_stream(StreamId stream);

    void join(const MemberRecord &);
    // Called before join() of the connection that the login admits.
    void login(const LoginRecord &);
    void session(const SessionRecord &);
    Member *close(const ConnectionRecord &);

    // Makes `from` part of the group `into`. Both are roots; `into` has the lower session number.
    static void join_groups(MemberUnit &into, MemberUnit &from);

    const std::vector<std::unique_ptr<Member>> &members() const { return members_; }
    const std::vector<std::unique_ptr<MemberUnit>> &units() const { return units_; }
    std::uint64_t left_out() const { return left_out_; }

private:
    MemberUnit &unit_of(SessionId session);
    void name_initiator(Member &);

    std::vector<std::unique_ptr<Member>> members_;
    std::vector<std::unique_ptr<MemberUnit>> units_;
    FlatMap by_stream_, by_session_;
    Member *last_ = nullptr;
    std::vector<std::string> initiators_;
    std::shared_ptr<const Login> waiting_login_;
    StreamId waiting_stream_;
    std::uint64_t left_out_ = 0;
};

} // namespace iscsiscope
