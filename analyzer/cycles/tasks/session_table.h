// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions: which connections belong together, and which session took the place of which.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/framing/login.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace iscsiscope {

// A task management request that waits for its response.
struct PendingManagement {
    std::uint32_t itt = 0;
    std::uint8_t function = 0;
    std::uint32_t referenced_itt = 0;
    std::uint64_t lun = 0;
    std::uint64_t before_cycle = 0; // tasks met before the request are concerned
};

struct Session {
    std::uint64_t id = 0;
    bool from_login = false;
    std::string nexus; // key of the nexus table; empty without login
    std::uint16_t tsih = 0;
    std::vector<std::uint32_t> slots; // its live connections
    std::uint32_t open_tasks = 0;     // on all of them
    std::uint32_t connections_met = 0;
    CommandWindow window;
    std::optional<CmdSn> next_cmd_sn; // expected; kept while it has had one connection only
    std::vector<PendingManagement> management;
    bool logged_out = false; // a Logout closed the session, or its last connection
};

// What a login meant.
struct LoginEffect {
    Session *session = nullptr;
    bool is_new = false;
    // A session of the same nexus whose place it takes; null if none is live.
    Session *replaced = nullptr;
    std::optional<std::uint64_t> reinstates; // its number, live or not
};

class SessionTable {
public:
    // Nexuses remembered after their sessions have ended.
    static constexpr std::size_t max_nexuses = 65536;

    // A session of one connection whose login is not in the capture.
    Session &make_alone();
    // An accepted login between these ends. The connection is not added yet.
    LoginEffect login(const Login &, const Endpoint &initiator, const Endpoint &target);

    void add_connection(Session &, std::uint32_t slot);
    // The session is gone when its last connection is removed.
    void remove_connection(Session &, std::uint32_t slot);

private:
    // SSID of RFC 7143: initiator name, ISID, target name; target portal group apart, since it may be
    // missing in the capture.
    struct Nexus {
        std::string group;
        std::uint16_t tsih = 0;
        std::uint64_t last_session = 0;
        bool logged_out = false;
        Session *live = nullptr;
    };
    Session &make();
    void forget_old_nexuses();

    std::unordered_map<std::uint64_t, std::unique_ptr<Session>> sessions_;
    std::unordered_map<std::string, std::vector<Nexus>> nexuses_;
    std::size_t nexus_count_ = 0;
    std::uint64_t next_id_ = 0;
};

// The record of a session met by login.
SessionRecord session_record(const Session &, const Login &, std::optional<std::uint64_t> reinstates);

} // namespace iscsiscope
