// SPDX-License-Identifier: GPL-2.0-or-later
// Negotiation: login and text negotiation (RFC 7143 section 6). The key=value pairs that both ends sent go
// in, the values in force come out. Also the negotiating end's side: offer_keys() and answer().
#pragma once

#include "analyzer/iscsi/text/key_rules.h"
#include "analyzer/iscsi/text/operational_parameters.h"
#include "analyzer/iscsi/text/shared_keys.h"
#include "analyzer/iscsi/text/text_keys.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct NegotiationResult {
    // In the order of key_rules(): keys that have a default, and others that were named; then keys that RFC
    // 7143 does not define, in the order in which they were sent.
    SharedKeys keys;
    OperationalParameters parameters;
    ParameterSet known = ParameterSet::all(); // of parameters

    // Takes the values that are unknown here from the session: the login of a further connection does not
    // change the session's keys.
    void inherit(const NegotiationResult &session);

    std::optional<NegotiatedKey> find(std::string_view key) const; // empty: not in keys
};

// How much of the text of both ends the capture holds.
struct TextSeen {
    bool initiator = true, target = true; // all text of this end from the login's first byte on
    // The login begins its session. Other logins do not name the session's keys (RFC 7143 section 13, "LO").
    bool leading = true;

    bool by(Party p) const { return p == Party::initiator ? initiator : target; }
};

// Takes the pairs of both ends in the order of the wire and computes the values in force. Memory is bounded:
// of keys that RFC 7143 does not define, those beyond 256 different ones are dropped.
class Negotiation {
public:
    Negotiation() = default;
    // A later negotiation (Text in full feature phase, further connection) starts from the values in force.
    explicit Negotiation(const OperationalParameters &in_force) : start_(in_force) {}

    void add(Party, std::string_view key, std::string_view value);
    void add(Party, std::span<const KeyValue>);

    // The values in force. A key that missing text may have changed is unknown; it does not get its default.
    NegotiationResult result(TextSeen seen) const;
    NegotiationResult result() const { return result(TextSeen{}); }

private:
    struct StatedKey {
        std::string key;
        Party first{};
        std::optional<std::string> initiator, target;
    };
    OperationalParameters start_;
    std::vector<StatedKey> stated_;
};

// Returns the responder's answer to an offered key, where `own` is the value that the responder would offer.
// nullopt: the key is declarative and has no answer. The answer to an unknown key is NotUnderstood, to a
// value outside the rule's range or a list without a common entry Reject.
std::optional<std::string> answer(std::string_view key, std::string_view offered, std::string_view own);

// Whether an answer may be left out because the offer settles the result: No to a key whose result is
// AND, Yes to one whose result is OR (RFC 7143 section 6.2.2).
bool answer_is_optional(std::string_view key, std::string_view offered);

// The result of a negotiated key when both values are known; empty if either is not a value of the
// key. Numbers above RFC 7143's range are accepted, since both ends have agreed to them. The result of a list
// is the first entry of the offer that the answer contains.
std::string combine(const KeyRule &, std::string_view offered, std::string_view answered);

// Convert one parameter from and to its text. set_parameter returns false if the key is not one of
// OperationalParameters or the value is bad. `party` is the end that declared MaxRecvDataSegmentLength; it
// has no effect on other keys.
bool set_parameter(OperationalParameters &, Party party, std::string_view key, std::string_view value);
std::optional<Parameter> parameter_of(Party party, std::string_view key);
std::string parameter_text(const OperationalParameters &, Party party, std::string_view key);

// The offer of one end for these parameters: every operational key, in the order of key_rules().
std::vector<KeyValue> offer_keys(const OperationalParameters &wish, Party self);

} // namespace iscsiscope
