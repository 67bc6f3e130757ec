// SPDX-License-Identifier: GPL-2.0-or-later
// LoginRules: the rules on the login phase and its text (RFC 7143 sections 4.2.3, 6, 11.12, 11.13, 12, 13),
// and on the text of the full feature phase. State: 4,096 logins under way.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/text/text_keys.h"
#include "analyzer/sessions/conformance/key_uses.h"
#include "analyzer/sessions/conformance/rule_counts.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace iscsiscope {

class LoginRules {
public:
    static constexpr std::size_t max_under_way = 4096;

    explicit LoginRules(RuleCounts &counts) : counts_(counts) {}

    // A Login Request or Response of a connection that is not logged in.
    void step(const PduRecord &);
    // Any other PDU, of a connection that has no session yet.
    void other_pdu(StreamId, const Pdu &);
    // The login has ended, accepted or not.
    void login(const LoginRecord &);
    // A Text Request or Response in full feature phase.
    void text(const Occasion &);
    // PDUs of the connection may be missing, or it has ended.
    void forget(StreamId stream) { under_way_.erase(stream); }

private:
    struct UnderWay {
        bool begun = false, waits = false;      // the last request has no answer
        std::array<std::uint8_t, 8> identity{}; // ISID and TSIH
        std::uint16_t cid = 0;
        std::uint32_t itt = 0;
        std::uint8_t version_max = 0, version_min = 0;
        unsigned stage = 0; // the current one, as on the wire
        bool stage_known = false;
        bool transit = false;                           // the last request asks for the next stage
        unsigned next_stage = 0;                        // that it asks for
        std::array<bool, 2> continues{};                // by Party: the text goes on in the next PDU
        std::array<std::vector<std::string>, 2> sent{}; // keys by Party
    };
    void request(const Occasion &, UnderWay &, bool first_of_connection);
    void response(const Occasion &, UnderWay &);
    void login_text(const Occasion &, UnderWay &, Party, bool first);
    void keys(const Occasion &, Party, KeyStage, const std::vector<KeyValue> &);
    void results(const LoginRecord &);

    RuleCounts &counts_;
    std::unordered_map<StreamId, UnderWay> under_way_;
};

} // namespace iscsiscope
