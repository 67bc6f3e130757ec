// SPDX-License-Identifier: GPL-2.0-or-later
// SessionTable: the live sessions, which connections belong to each, and which session a login reinstates
// (RFC 7143 section 6.3.5). A session lives until its last connection is removed. Memory: live sessions,
// whose number the tcp room bounds by that of the connections, and max_nexuses nexuses; a step costs O(1).
// One thread at a time; several may add and remove connections, each of other sessions.
#pragma once

#include "analyzer/base/containers/keyed_hash.h"
#include "analyzer/capture/segment.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/cycles/tasks/command_hole.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/cycles/tasks/long_commands.h"
#include "analyzer/cycles/tasks/lun_table.h"
#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/framing/login.h"

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iscsiscope {

struct CycleConnection;

// A Task Management Function Request that has had no response yet.
struct PendingManagement {
    std::uint32_t itt = 0;
    std::uint8_t function = 0;
    std::uint32_t referenced_itt = 0;
    std::uint64_t lun = 0;
    CycleId before_cycle; // only tasks with a lower cycle number are affected
};

struct Session;
struct Nexus;
// The nexuses with one key: initiator name, ISID and target name. It does not move.
using NexusEntry = std::pair<const std::string, std::vector<Nexus>>;

// A nexus without a live session.
struct EndedNexus {
    NexusEntry *entry;
    SessionId last_session;
};

// One I_T nexus of RFC 7143. The target portal group is no part of the key, since it may be missing in the
// capture.
struct Nexus {
    std::string group;
    std::uint16_t tsih = 0;
    SessionId last_session;
    bool logged_out = false;
    Session *live = nullptr;
    std::list<EndedNexus>::iterator ended{}; // while `live` is null
};

struct Session {
    SessionId id;
    bool from_login = false;
    std::uint16_t tsih = 0;
    NexusEntry *nexus = nullptr;            // that has this session as the live one; null: none has
    std::vector<CycleConnection *> members; // its live connections
    std::uint32_t open_tasks = 0;           // on all of them
    Time latest_start = Time::min();        // of its tasks so far
    std::uint32_t connections_so_far = 0;   // live and ended
    CommandWindow window;
    std::optional<CmdSn> next_cmd_sn; // expected; meaningful while connections_so_far is 1
    CommandHole left_out;             // likewise
    std::vector<PendingManagement> management;
    LunTable luns;
    LongCommands long_commands;
    bool logged_out = false; // a Logout has closed all its live connections
};

// What an accepted login does to the sessions.
struct LoginEffect {
    Session *session = nullptr;
    bool is_new = false;
    // The live session of the same nexus that it replaces; null if there is none.
    Session *replaced = nullptr;
    std::optional<SessionId> reinstates; // number of the session it reinstates, live or not
};

class SessionTable {
public:
    // Most nexuses remembered beside those with a live session. Beyond it the one is forgotten whose last
    // session ended first: a later login of that nexus reinstates no session.
    static constexpr std::size_t max_nexuses = 65536;
    // Most nexuses that differ in their target portal group or TSIH only. Beyond it the first that has no
    // live session is forgotten; if all have one, the new one is not remembered.
    static constexpr std::size_t max_alike = 64;

    // Creates a session; called for a connection whose login is not in the capture.
    Session &make_session();
    // The live session on which an accepted login between these ends would act; null: none.
    Session *live(const Login &, const Endpoint &initiator, const Endpoint &target);
    // Takes an accepted login between these ends. The caller adds the connection afterwards.
    LoginEffect login(const Login &, const Endpoint &initiator, const Endpoint &target);

    void add_connection(Session &, CycleConnection &);
    // Returns true if it was the last one: end() is to follow. Touches nothing but the session.
    static bool remove_connection(Session &, CycleConnection &);
    // Destroys the session, which has no connection any more.
    void end(Session &);

    // How many nexuses have been forgotten.
    std::uint64_t forgotten() const { return forgotten_; }

private:
    static std::vector<Nexus>::iterator find(std::vector<Nexus> &same, const Login &);
    void end(NexusEntry &, Nexus &);
    void forget(const EndedNexus &);
    bool make_room(std::vector<Nexus> &alike);

    std::unordered_map<SessionId, std::unique_ptr<Session>> sessions_;
    std::unordered_map<std::string, std::vector<Nexus>, KeyedTextHash> nexuses_;
    std::list<EndedNexus> ended_; // in the order of their ends
    std::uint64_t next_id_ = 0, forgotten_ = 0;
};

// Returns the record of a session that began with this login.
SessionRecord session_record(const Session &, const Login &, std::optional<SessionId> reinstates);

} // namespace iscsiscope
