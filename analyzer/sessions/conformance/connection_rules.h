// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionRules: what the checks keep of one connection in full feature phase. It is forgotten as a whole
// where PDUs may be missing.
#pragma once

#include "analyzer/iscsi/codec/serial.h"
#include "analyzer/sessions/conformance/followed_tasks.h"
#include "analyzer/sessions/conformance/suspicions.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace iscsiscope {

// The tags of requests that wait for their answer, at most so many.
class OpenTags {
public:
    static constexpr std::size_t max_open = 64;

    struct Entry {
        std::uint32_t tag = 0, data_length = 0;
    };
    void add(std::uint32_t tag, std::uint32_t data_length = 0) {
        if (all_.size() == max_open) {
            all_.erase(all_.begin());
            left_out_ = true;
        }
        all_.push_back({tag, data_length});
    }
    // Takes the entry out; empty: there is none.
    std::optional<Entry> take(std::uint32_t tag) {
        const auto at = std::ranges::find(all_, tag, &Entry::tag);
        if (at == all_.end())
            return std::nullopt;
        const Entry found = *at;
        all_.erase(at);
        return found;
    }
    bool left_out() const { return left_out_; } // an entry was dropped

private:
    std::vector<Entry> all_;
    bool left_out_ = false;
};

struct ConnectionRules {
    // All requests since the login are known; empty: the capture began later, or PDUs may be missing.
    bool from_login = false;
    // No task has ended but by its status: else a tag may be used again without one.
    bool tasks_known = true;
    bool logout_sent = false;
    FollowedTasks tasks;
    std::optional<CmdSn> next_cmd_sn;            // of the next request that is not immediate
    std::optional<CmdSn> exp_cmd_sn, max_cmd_sn; // the latest, and the highest
    std::optional<StatSn> next_stat_sn;
    std::optional<StatSn> exp_stat_sn; // the highest
    // Requests that wait: of the initiator by ITT, pings of the target by TTT.
    OpenTags pings, target_pings, functions, texts, logouts;
    Suspicions suspicions;
};

// ErrorRecoveryLevel is known to be 0: nothing is sent again.
inline bool without_recovery(const Member &m) {
    return m.login && m.login->keys.known.has(Parameter::error_recovery_level) &&
           m.login->keys.parameters.error_recovery_level == 0;
}

// A PDU of a connection whose session is known, with what its checks need.
struct MemberOccasion : Occasion {
    const Member &member;
    ConnectionRules &state;
    bool no_recovery = false; // without_recovery()

    MemberOccasion(const Member &m, const Pdu &p, ConnectionRules &s)
        : Occasion(m.stream, p), member(m), state(s), no_recovery(without_recovery(m)) {}

    // The negotiated values; null: the capture does not hold the login, or not the part with all of `wanted`.
    const OperationalParameters *keys(ParameterSet wanted) const {
        return member.login && member.login->keys.known.has_all(wanted) ? &member.login->keys.parameters
                                                                        : nullptr;
    }
    bool alone() const { return member.unit->root()->group.size() == 1; } // the session has one connection
};

} // namespace iscsiscope
