// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/login_exchange.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed::initiator {

namespace {
// Nobody needs as many; a peer that never comes to an end is not followed for ever.
constexpr unsigned max_turns = 64;
// Both ends accept the default during login (RFC 7143 section 13.12).
constexpr std::size_t login_segment = 8192;

std::string value_or_nothing(std::span<const KeyValue> keys, std::string_view key) {
    const std::string *value = find_value(keys, key);
    return value ? *value : std::string{};
}
} // namespace

std::string login_status_text(std::uint8_t status_class, std::uint8_t detail) {
    switch (status_class << 8 | detail) {
    case 0x0101:
        return "the target has moved temporarily";
    case 0x0102:
        return "the target has moved permanently";
    case 0x0200:
        return "the target finds an error in the login";
    case 0x0201:
        return "authentication failed";
    case 0x0202:
        return "this initiator may not use the target";
    case 0x0203:
        return "no such target";
    case 0x0204:
        return "the target has been removed";
    case 0x0205:
        return "the target does not support the protocol version";
    case 0x0206:
        return "the target takes no more connections in this session";
    case 0x0207:
        return "the target misses a parameter";
    case 0x0208:
        return "the target cannot include this connection in the session";
    case 0x0209:
        return "the target does not support this session type";
    case 0x020a:
        return "the target does not know the session";
    case 0x020b:
        return "the target finds an invalid login request";
    case 0x0301:
        return "the target's service is unavailable";
    case 0x0302:
        return "the target is out of resources";
    default:
        return "the target refused, status class " + std::to_string(status_class) + ", detail " +
               std::to_string(detail);
    }
}

LoginExchange::LoginExchange(LoginSettings settings, std::uint16_t tsih, const OperationalParameters &session)
    : settings_(std::move(settings)), tsih_(tsih), negotiation_(session) {}

LoginExchange::Step LoginExchange::fail(std::string error) const {
    return {Step::Kind::failed, {}, {}, std::move(error)};
}

LoginExchange::Step LoginExchange::say(LoginStage stage, bool transit, std::vector<KeyValue> keys) {
    stage_ = stage;
    transit_ = transit;
    pending_text_ = build_text(keys);
    return say_on();
}

// A text that is longer than one PDU goes in several, marked by the C bit; the target answers each but the
// last with an empty response (RFC 7143 section 6.2).
LoginExchange::Step LoginExchange::say_on() {
    if (++turns_ > max_turns)
        return fail("the login does not come to an end");
    const std::size_t n = std::min(pending_text_.size(), login_segment);
    const auto end = pending_text_.begin() + static_cast<std::ptrdiff_t>(n);
    Step step{Step::Kind::send, {}, std::vector<std::byte>(pending_text_.begin(), end), {}};
    pending_text_.erase(pending_text_.begin(), end);
    step.request.continued = !pending_text_.empty();
    step.request.transit = transit_ && !step.request.continued;
    step.request.current_stage = stage_;
    if (step.request.transit)
        step.request.next_stage =
            stage_ == LoginStage::security ? LoginStage::operational : LoginStage::full_feature;
    step.request.isid = settings_.isid;
    step.request.tsih = tsih_;
    step.request.cid = settings_.cid;
    step.request.data_segment_length = static_cast<std::uint32_t>(step.text.size());
    return step;
}

LoginExchange::Step LoginExchange::begin() {
    // Always through the security stage: it is where every target (tgtd too) joins a connection to its
    // session.
    std::vector<KeyValue> keys{{"InitiatorName", settings_.initiator_name}};
    if (settings_.target_name.empty())
        keys.push_back({"SessionType", "Discovery"});
    else {
        keys.push_back({"SessionType", "Normal"});
        keys.push_back({"TargetName", settings_.target_name});
    }
    const bool chap = !settings_.credentials.user.empty();
    keys.push_back({"AuthMethod", chap ? "CHAP" : "None"});
    return say(LoginStage::security, !chap, std::move(keys));
}

LoginExchange::Step LoginExchange::on_response(const LoginResponse &response,
                                               std::span<const std::byte> text) {
    if (response.status_class != 0) {
        collector_.add(text);
        const auto keys = collector_.finish();
        std::string why = login_status_text(response.status_class, response.status_detail);
        if (const std::string *address = find_value(keys, "TargetAddress"))
            why += " to " + *address;
        return fail(std::move(why));
    }
    if (!pending_text_.empty())
        return text.empty() && !response.continued && !response.transit
                   ? say_on()
                   : fail("the target answers a login text before it is complete");
    collector_.add(text);
    if (response.continued)
        return say(stage_, false, {}); // RFC 7143 section 6.2: an empty request fetches the rest
    const auto keys = collector_.finish();
    if (collector_.error() != TextError::none)
        return fail("the target's login text is malformed");
    if (response.current_stage != stage_)
        return fail("the target answers for another login stage");
    return stage_ == LoginStage::security ? on_security(response, keys) : on_operational(response, keys);
}

LoginExchange::Step LoginExchange::on_security(const LoginResponse &response,
                                               std::span<const KeyValue> keys) {
    switch (state_) {
    case State::method: {
        const std::string method = value_or_nothing(keys, "AuthMethod");
        if (settings_.credentials.user.empty()) {
            if (!method.empty() && method != "None")
                return fail("the target wants authentication (AuthMethod=" + method + ")");
            state_ = State::security_end;
            break;
        }
        if (method != "CHAP")
            return fail("the target does not do CHAP (it answers AuthMethod=" +
                        (method.empty() ? "nothing" : method) + ")");
        state_ = State::algorithm;
        return say(LoginStage::security, false, {{"CHAP_A", std::to_string(chap_md5_algorithm)}});
    }
    case State::algorithm:
        return prove(keys);
    case State::proof:
        if (const std::string error = check_target_proof(keys); !error.empty())
            return fail(error);
        state_ = State::security_end;
        break;
    case State::security_end:
    case State::operational:
        break;
    }
    if (response.transit && response.next_stage == LoginStage::operational)
        return offer();
    if (response.transit)
        return fail("the target skips the operational stage that was asked for");
    return say(LoginStage::security, true, {});
}

LoginExchange::Step LoginExchange::prove(std::span<const KeyValue> keys) {
    const Credentials &own = settings_.credentials;
    if (value_or_nothing(keys, "CHAP_A") != std::to_string(chap_md5_algorithm))
        return fail("the target does not do CHAP with MD5");
    std::uint64_t identifier = 0;
    const auto challenge = decode_binary_value(value_or_nothing(keys, "CHAP_C"));
    if (!parse_number(value_or_nothing(keys, "CHAP_I"), identifier) || identifier > 255 || !challenge)
        return fail("the target's CHAP challenge is malformed");
    const ChapDigest digest = chap_md5(static_cast<std::uint8_t>(identifier), own.secret, *challenge);
    std::vector<KeyValue> proof{{"CHAP_N", own.user}, {"CHAP_R", encode_binary_value(digest)}};
    if (!own.target_secret.empty()) {
        const auto fresh = fresh_chap_challenge();
        if (!fresh)
            return fail("no random bytes for a CHAP challenge");
        own_challenge_ = *fresh;
        // RFC 7143 section 12.1.3: a peer that sends our own challenge back is refused.
        if (own_challenge_.challenge == *challenge)
            return fail("the target's CHAP challenge equals this end's");
        proof.push_back({"CHAP_I", std::to_string(own_challenge_.identifier)});
        proof.push_back({"CHAP_C", encode_binary_value(own_challenge_.challenge)});
    }
    state_ = State::proof;
    return say(LoginStage::security, true, std::move(proof));
}

std::string LoginExchange::check_target_proof(std::span<const KeyValue> keys) const {
    const Credentials &own = settings_.credentials;
    if (own.target_secret.empty())
        return {};
    const auto proof = decode_binary_value(value_or_nothing(keys, "CHAP_R"));
    if (!proof)
        return "the target does not prove itself (mutual CHAP was asked for)";
    if (!own.target_user.empty() && value_or_nothing(keys, "CHAP_N") != own.target_user)
        return "the target proves itself under another name";
    if (!same_digest(*proof,
                     chap_md5(own_challenge_.identifier, own.target_secret, own_challenge_.challenge)))
        return "the target does not know the secret of mutual CHAP";
    return {};
}

LoginExchange::Step LoginExchange::offer() {
    state_ = State::operational;
    negotiation_.add(Party::initiator, settings_.offers);
    return say(LoginStage::operational, true, settings_.offers);
}

LoginExchange::Step LoginExchange::on_operational(const LoginResponse &response,
                                                  std::span<const KeyValue> keys) {
    negotiation_.add(Party::target, keys);
    const std::string *segment = find_value(keys, "MaxRecvDataSegmentLength");
    OperationalParameters scratch;
    if (segment && !set_parameter(scratch, Party::target, "MaxRecvDataSegmentLength", *segment))
        return fail("the target declares MaxRecvDataSegmentLength=" + *segment +
                    ", which is not at least 512");
    if (response.transit && response.next_stage == LoginStage::full_feature) {
        if (response.tsih == 0 || (tsih_ != 0 && response.tsih != tsih_))
            return fail("the target ends the login with TSIH " + std::to_string(response.tsih));
        tsih_ = response.tsih;
        return {Step::Kind::done, {}, {}, {}};
    }
    // Keys that the target brought up want an answer: its own value is accepted where it is sound.
    std::vector<KeyValue> answers;
    for (const KeyValue &pair : keys) {
        if (find_value(settings_.offers, pair.key))
            continue;
        if (auto reply = answer(pair.key, pair.value, pair.value))
            answers.push_back({pair.key, *reply});
    }
    negotiation_.add(Party::initiator, answers);
    return say(LoginStage::operational, true, std::move(answers));
}

} // namespace iscsiscope::testbed::initiator
