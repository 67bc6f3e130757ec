// SPDX-License-Identifier: GPL-2.0-or-later
// Login and text negotiation (RFC 7143 section 6): from what both ends said to what is in force.
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
    // In the order of key_rules(): the keys that have a default, and of the others those that were
    // named; then keys that RFC 7143 does not define, as they came.
    SharedKeys keys;
    OperationalParameters parameters;
    ParameterSet known = ParameterSet::all(); // of parameters

    // A further connection's login leaves the session's keys as they are: what is not known here is taken
    // from there.
    void inherit(const NegotiationResult &session);

    const NegotiatedKey *find(std::string_view key) const; // null: not in keys
};

// How much of what the ends said was there to be taken.
struct TextSeen {
    bool initiator = true, target = true; // all of it from the login's first byte on
    // A login that begins its session. Others do not name the session's keys (RFC 7143 section 13, "LO").
    bool leading = true;

    bool by(Party p) const { return p == Party::initiator ? initiator : target; }
};

// Takes what both ends said, in the order of the wire, and says what is in force. Memory is bounded:
// keys beyond 256 different ones that RFC 7143 does not define are dropped.
class Negotiation {
public:
    Negotiation() = default;
    // A later negotiation (Text in the full feature phase, further connection of a session) starts from
    // what is in force.
    explicit Negotiation(const OperationalParameters &in_force) : start_(in_force) {}

    void add(Party, std::string_view key, std::string_view value);
    void add(Party, std::span<const KeyValue>);

    // A key of which the missing text may say something else is not known: no default stands in for it.
    NegotiationResult result(TextSeen seen) const;
    NegotiationResult result() const { return result(TextSeen{}); }

private:
    struct Heard {
        std::string key;
        Party first{};
        std::optional<std::string> initiator, target;
    };
    OperationalParameters start_;
    std::vector<Heard> heard_;
};

// The responder's side, for one offered key: what to answer if `own` is this end's own wish (the
// value it would offer itself). nullopt: the key is declarative and wants no answer. Unknown keys get
// NotUnderstood, values outside the rule's range Reject, lists without a common entry Reject.
std::optional<std::string> answer(std::string_view key, std::string_view offered, std::string_view own);

// Whether an answer may be left out because the offer settles the result: No to a key whose result is
// AND, Yes to one whose result is OR (RFC 7143 section 6.2.2).
bool answer_is_optional(std::string_view key, std::string_view offered);

// The result of a negotiated key when both values are known; empty if either is not a value of the
// key. Numbers beyond the upper end of RFC 7143's range are taken at their word: both ends have agreed
// to them. Of lists the first entry of the offer that the answer has.
std::string combine(const KeyRule &, std::string_view offered, std::string_view answered);

// One parameter from or to its text. False: not a key of OperationalParameters (or a bad value).
// `party` matters for MaxRecvDataSegmentLength only: who declared it.
bool set_parameter(OperationalParameters &, Party party, std::string_view key, std::string_view value);
std::optional<Parameter> parameter_of(Party party, std::string_view key);
std::string parameter_text(const OperationalParameters &, Party party, std::string_view key);

// What one end offers for these parameters, in the order of key_rules(): every operational key.
std::vector<KeyValue> offer_keys(const OperationalParameters &wish, Party self);

} // namespace iscsiscope
