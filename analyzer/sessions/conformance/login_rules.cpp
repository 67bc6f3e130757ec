// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/login_rules.h"

#include "analyzer/iscsi/codec/login_stage.h"
#include "analyzer/iscsi/text/negotiation.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// RFC 7143 section 13.12: the limit until the ends have declared theirs, which is after the login.
constexpr std::uint32_t max_login_text = 8192;
constexpr std::size_t max_keys = 64; // of one end in one login: more than the standard has

unsigned current_stage(HeaderView v) {
    return v.flags() >> 2 & 3U;
}
unsigned next_stage(HeaderView v) {
    return v.flags() & 3U;
}
// RFC 7143 section 11.12.3: 2 is reserved.
bool may_follow(unsigned stage, unsigned next) {
    return next > stage && next != 2;
}

KeyStage key_stage(unsigned stage) {
    return stage == static_cast<unsigned>(LoginStage::security) ? KeyStage::security : KeyStage::operational;
}

std::array<std::uint8_t, 8> identity_of(HeaderView v) {
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = wire::load8(v.bytes().data() + 8 + i);
    return bytes;
}

bool whole_text(const Pdu &p) {
    return p.data.size() == p.data_length;
}

// A list has the word.
bool among(std::string_view list, std::string_view word) {
    while (true) {
        const auto comma = list.find(',');
        if (list.substr(0, comma) == word)
            return true;
        if (comma == std::string_view::npos)
            return false;
        list.remove_prefix(comma + 1);
    }
}

// True if the answer is none that the offer allows (RFC 7143 section 6.2).
bool outside(const KeyRule &rule, const std::string &offer, const std::string &answer) {
    if (is_refusal(offer) || is_refusal(answer) || !valid_value(rule, offer))
        return false;
    std::uint64_t offered = 0, answered = 0;
    switch (rule.function) {
    case ResultFunction::minimum:
        return parse_number(offer, offered) && parse_number(answer, answered) && answered > offered;
    case ResultFunction::maximum:
        return parse_number(offer, offered) && parse_number(answer, answered) && answered < offered;
    case ResultFunction::boolean_and:
        return offer == "No" && answer == "Yes";
    case ResultFunction::boolean_or:
        return offer == "Yes" && answer == "No";
    case ResultFunction::list:
        return !among(offer, answer);
    case ResultFunction::declared:
        break;
    }
    return false;
}

} // namespace

void LoginRules::step(const PduRecord &r) {
    const Occasion o(r.connection->stream, r.pdu);
    if (r.pdu.known != whole_header) {
        forget(o.stream);
        return;
    }
    auto at = under_way_.find(o.stream);
    if (at == under_way_.end()) {
        if (under_way_.size() >= max_under_way || o.view.opcode() != Opcode::login_request)
            return;
        at = under_way_.try_emplace(o.stream).first;
    }
    UnderWay &u = at->second;
    counts_.kept(Rule::login_only);
    counts_.test(Rule::login_length, r.pdu.data_length > max_login_text, o,
                 {r.pdu.data_length, max_login_text});
    counts_.test(Rule::continue_bit, o.view.continue_bit() && o.view.final(), o);
    if (o.view.opcode() == Opcode::login_request)
        request(o, u, r.connection->starts_with_syn);
    else
        response(o, u);
}

void LoginRules::request(const Occasion &o, UnderWay &u, bool first_of_connection) {
    const HeaderView v = o.view;
    const bool first = !u.begun && first_of_connection;
    if (u.begun) {
        counts_.test(Rule::login_turns, u.waits, o);
        counts_.test(Rule::login_constant, u.identity != identity_of(v) || u.cid != v.cid(), o);
    }
    bool wrong_stage = current_stage(v) >= 2 || (u.stage_known && current_stage(v) != u.stage);
    if (v.final())
        wrong_stage = wrong_stage || !may_follow(current_stage(v), next_stage(v));
    counts_.test(Rule::login_stage, wrong_stage, o);
    u.begun = u.waits = true;
    u.identity = identity_of(v);
    u.cid = v.cid();
    u.itt = o.itt();
    u.version_max = wire::load8(v.bytes().data() + 2);
    u.version_min = wire::load8(v.bytes().data() + 3);
    u.stage = current_stage(v);
    u.stage_known = true;
    u.transit = v.final();
    u.next_stage = next_stage(v);
    login_text(o, u, Party::initiator, first);
}

void LoginRules::response(const Occasion &o, UnderWay &u) {
    const HeaderView v = o.view;
    u.waits = false;
    if (v.login_status_class() != 0) // the other fields of a refusal mean nothing
        return;
    const std::uint8_t active = wire::load8(v.bytes().data() + 3);
    const auto sent = identity_of(v);
    counts_.test(Rule::login_echo,
                 o.itt() != u.itt || !std::equal(sent.begin(), sent.begin() + 6, u.identity.begin()), o);
    counts_.test(Rule::login_version, active < u.version_min || active > u.version_max, o,
                 {active, u.version_max});
    counts_.test(Rule::login_transit, v.final() && !u.transit, o);
    counts_.test(Rule::login_stage,
                 current_stage(v) != u.stage ||
                     (v.final() && (!may_follow(u.stage, next_stage(v)) || next_stage(v) > u.next_stage)),
                 o);
    login_text(o, u, Party::target, false);
    if (!v.final())
        return;
    u.stage = next_stage(v);
    if (u.stage == static_cast<unsigned>(LoginStage::full_feature)) {
        const unsigned wanted = u.identity[6] * 256U + u.identity[7];
        counts_.test(Rule::login_tsih, v.tsih() == 0 || (wanted != 0 && wanted != v.tsih()), o,
                     {v.tsih(), wanted});
    }
}

// The text of a PDU alone: what goes on in further PDUs is not tested.
void LoginRules::login_text(const Occasion &o, UnderWay &u, Party party, bool first) {
    const auto side = static_cast<std::size_t>(party);
    const bool in_parts = u.continues[side] || o.view.continue_bit();
    u.continues[side] = o.view.continue_bit();
    if (in_parts || !whole_text(o.pdu))
        return;
    TextError error = TextError::none;
    const std::vector<KeyValue> pairs = parse_text(o.pdu.data, &error);
    counts_.test(Rule::text_format, error != TextError::none, o);
    keys(o, party, key_stage(current_stage(o.view)), pairs);
    if (first) {
        const std::string *type = find_value(pairs, "SessionType");
        counts_.test(Rule::initiator_name, find_value(pairs, "InitiatorName") == nullptr, o);
        if (type == nullptr || *type != "Discovery")
            counts_.test(Rule::target_name, find_value(pairs, "TargetName") == nullptr, o);
    }
    std::vector<std::string> &sent = u.sent[side];
    for (const KeyValue &pair : pairs) {
        if (key_may_repeat(pair.key) || is_refusal(pair.value))
            continue;
        const bool before = std::ranges::find(sent, pair.key) != sent.end();
        counts_.test(Rule::key_repeated, before, o);
        if (!before && sent.size() < max_keys)
            sent.push_back(pair.key);
    }
}

void LoginRules::keys(const Occasion &o, Party party, KeyStage stage, const std::vector<KeyValue> &pairs) {
    for (const KeyValue &pair : pairs) {
        if (is_refusal(pair.value))
            continue;
        counts_.test(Rule::key_sender, !key_sender_allowed(pair.key, party, stage), o);
        counts_.test(Rule::key_phase, !key_stage_allowed(pair.key, stage), o);
        if (const KeyRule *rule = find_rule(pair.key))
            counts_.test(Rule::key_value, !valid_value(*rule, pair.value), o);
    }
}

void LoginRules::text(const Occasion &o) {
    if (o.view.continue_bit() || !o.view.final() || !whole_text(o.pdu) || o.pdu.data_length == 0 ||
        o.view.target_transfer_tag() != TargetTransferTag::reserved)
        return; // a part of a longer text
    TextError error = TextError::none;
    const std::vector<KeyValue> pairs = parse_text(o.pdu.data, &error);
    counts_.test(Rule::text_format, error != TextError::none, o);
    keys(o, o.pdu.direction == PduDirection::to_target ? Party::initiator : Party::target,
         KeyStage::full_feature, pairs);
}

void LoginRules::other_pdu(StreamId stream, const Pdu &pdu) {
    // A target may refuse a Login Request by a Reject.
    if (under_way_.contains(stream) && pdu.view().opcode() != Opcode::reject && pdu.known == whole_header)
        counts_.broken(Rule::login_only, Occasion(stream, pdu));
}

void LoginRules::login(const LoginRecord &r) {
    if (r.login->accepted) {
        forget(r.connection->stream);
        if (r.login->whole)
            results(r);
    } else if (const auto at = under_way_.find(r.connection->stream); at != under_way_.end()) {
        at->second.stage_known = false; // some initiators go on after a refusal
        at->second.waits = false;
    }
}

// What both ends said about each key.
void LoginRules::results(const LoginRecord &r) {
    const Login &login = *r.login;
    const auto test = [&](Rule rule, bool is_broken, Party by) {
        if (!is_broken) {
            counts_.kept(rule);
            return;
        }
        Violation v;
        v.rule = rule;
        v.by = by == Party::initiator ? PduDirection::to_target : PduDirection::to_initiator;
        v.stream = r.connection->stream;
        v.frame = login.last_frame;
        v.time = login.end;
        counts_.broken(v);
    };
    std::uint64_t first_burst = 0, max_burst = 0;
    for (const NegotiatedKey &key : login.keys.keys) {
        const KeyRule *rule = find_rule(key.key);
        if (rule == nullptr || !rule->negotiated() || !key.offered_by)
            continue;
        const Party answering = other(*key.offered_by);
        const auto &offer = key.value_of(*key.offered_by), &answer = key.value_of(answering);
        test(Rule::key_unanswered, !answer && !answer_is_optional(key.key, *offer) && !is_refusal(*offer),
             answering);
        if (answer)
            test(Rule::key_answer, outside(*rule, *offer, *answer), answering);
        const std::string agreed = answer ? combine(*rule, *offer, *answer) : std::string();
        if (key.key == "FirstBurstLength")
            parse_number(agreed, first_burst);
        if (key.key == "MaxBurstLength")
            parse_number(agreed, max_burst);
    }
    if (first_burst != 0 && max_burst != 0)
        test(Rule::first_burst_agreed, first_burst > max_burst, Party::target);
}

} // namespace iscsiscope
