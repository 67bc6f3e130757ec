// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/login.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

// During login both ends take the default (RFC 7143 section 13.12).
constexpr std::size_t login_segment = 8192;
constexpr std::size_t longest_name = 223; // RFC 7143 section 4.2.7.1
// Requests of one login. CHAP, several pieces of text and every key by itself take far fewer.
constexpr unsigned max_turns = 128;

bool list_has(std::string_view list, std::string_view value) {
    while (!list.empty()) {
        const auto comma = list.find(',');
        if (list.substr(0, comma) == value)
            return true;
        if (comma == std::string_view::npos)
            break;
        list.remove_prefix(comma + 1);
    }
    return false;
}

// Keys that are settled once for the session, by the leading connection.
bool session_wide(std::string_view key) {
    return key != "HeaderDigest" && key != "DataDigest" && key != "MaxRecvDataSegmentLength";
}

} // namespace

LoginPhase::Reply LoginPhase::refuse(Reply reply, LoginStatus status, std::string text) {
    reply.header.transit = false;
    reply.header.continued = false;
    reply.header.status_class = status.status_class;
    reply.header.status_detail = status.detail;
    reply.text.clear();
    reply.refused = true;
    if (refusal_.empty())
        refusal_ = std::move(text);
    return reply;
}

LoginStatus LoginPhase::begin(const LoginRequest &r) {
    begun_ = true;
    itt_ = r.initiator_task_tag;
    stage_ = r.current_stage;
    outcome_.isid = r.isid;
    outcome_.tsih = r.tsih;
    outcome_.cid = r.cid;
    outcome_.cmd_sn = r.cmd_sn;
    if (r.version_min > 0)
        return why("iSCSI version not supported"), login_status::unsupported_version;
    if (stage_ != LoginStage::security && stage_ != LoginStage::operational)
        return why("login begins in an unknown stage"), login_status::initiator_error;
    // Whom CHAP must admit begins in the security stage (RFC 7143 section 6.3.2).
    if (stage_ == LoginStage::operational && config_.chap)
        return why("the login skips authentication, which is required"), login_status::authentication_failure;
    if (stage_ == LoginStage::operational)
        auth_ = Auth::done;
    return login_status::success;
}

LoginPhase::Reply LoginPhase::on_request(const LoginRequest &r, std::span<const std::byte> data) {
    Reply reply;
    LoginStatus status = begun_ ? login_status::success : begin(r);
    reply.header.current_stage = r.current_stage;
    reply.header.next_stage = r.next_stage;
    reply.header.isid = r.isid;
    reply.header.tsih = r.tsih;
    reply.header.initiator_task_tag = r.initiator_task_tag;
    if (!status.ok())
        return refuse(std::move(reply), status, {});
    if (r.initiator_task_tag != itt_ || r.cid != outcome_.cid || r.current_stage != stage_)
        return refuse(std::move(reply), login_status::invalid_request, "a login request out of turn");

    if (++turns_ > max_turns)
        return refuse(std::move(reply), login_status::initiator_error, "the login does not come to an end");
    collector_.add(data);
    if (r.continued) // more text follows: an empty answer asks for it (RFC 7143 section 6.2)
        return reply;
    const std::vector<KeyValue> keys = collector_.finish();
    if (collector_.error() != TextError::none)
        return refuse(std::move(reply), login_status::initiator_error, "login text that cannot be parsed");
    if (!pending_text_.empty()) // asks for the rest of our answer
        return keys.empty() ? put_text(std::move(reply), r)
                            : refuse(std::move(reply), login_status::initiator_error,
                                     "new keys before the answer to those before was fetched");
    if (!identified_)
        status = identify(keys);
    std::vector<KeyValue> out;
    if (status.ok() && stage_ == LoginStage::security)
        status = security(keys, out);
    else if (status.ok())
        status = operational(keys, out);
    if (!status.ok())
        return refuse(std::move(reply), status, "refused");

    // A declaration that concerns every stage: the portal group the initiator has reached.
    if (!outcome_.discovery && !declared_) {
        out.insert(out.begin(), {"TargetPortalGroupTag", "1"});
        declared_ = true;
    }
    pending_text_ = build_text(out);
    return put_text(std::move(reply), r);
}

// An answer that is longer than one PDU goes in several, marked by the C bit, and the initiator asks for each
// with an empty request (RFC 7143 section 6.2). The stage changes with the last, if the request for it has
// the T bit; before, nobody is admitted.
LoginPhase::Reply LoginPhase::put_text(Reply reply, const LoginRequest &r) {
    const std::size_t n = std::min(pending_text_.size(), login_segment);
    const auto end = pending_text_.begin() + static_cast<std::ptrdiff_t>(n);
    reply.text.assign(pending_text_.begin(), end);
    pending_text_.erase(pending_text_.begin(), end);
    reply.header.continued = !pending_text_.empty();
    const bool stage_done = stage_ == LoginStage::security ? auth_ == Auth::done : awaited_.empty();
    if (reply.header.continued || !r.transit || !stage_done) {
        reply.header.next_stage = LoginStage::security; // reserved without T
        return reply;
    }
    if (r.next_stage <= stage_)
        return refuse(std::move(reply), login_status::initiator_error, "the login goes back a stage");
    if (r.next_stage == LoginStage::full_feature) {
        LoginStatus status = finish();
        std::uint16_t tsih = 0;
        if (status.ok())
            status = host_.admit(outcome_, tsih);
        if (!status.ok())
            return refuse(std::move(reply), status, "not admitted");
        reply.header.tsih = tsih;
        reply.complete = true;
    }
    reply.header.transit = true;
    stage_ = r.next_stage;
    return reply;
}

LoginStatus LoginPhase::identify(const std::vector<KeyValue> &keys) {
    identified_ = true;
    const std::string *initiator = find_value(keys, "InitiatorName");
    if (initiator == nullptr || initiator->empty())
        return why("no InitiatorName"), login_status::missing_parameter;
    if (initiator->size() > longest_name)
        return why("an InitiatorName of more than 223 bytes"), login_status::initiator_error;
    outcome_.initiator_name = *initiator;
    const std::string *type = find_value(keys, "SessionType");
    outcome_.discovery = type != nullptr && *type == "Discovery";
    if (type != nullptr && *type != "Discovery" && *type != "Normal")
        return why("unknown SessionType"), login_status::session_type_unsupported;
    const std::string *target = find_value(keys, "TargetName");
    if (!outcome_.discovery && target == nullptr)
        return why("no TargetName"), login_status::missing_parameter;
    if (target != nullptr && *target != config_.name)
        return why(fmt::format("target \"{}\" is not here", *target)), login_status::not_found;
    if (outcome_.tsih != 0) {
        const LoginStatus status = host_.find_session(outcome_, start_);
        if (!status.ok())
            return why("no session to join, or no room in it"), status;
        // Digests and segment lengths are each connection's own.
        start_.header_digest_crc32c = start_.data_digest_crc32c = false;
        start_.max_recv_data_segment_length_initiator = start_.max_recv_data_segment_length_target = 8192;
    }
    negotiation_.emplace(start_);
    return login_status::success;
}

LoginStatus LoginPhase::security(const std::vector<KeyValue> &keys, std::vector<KeyValue> &out) {
    if (auth_ == Auth::chap_chosen) {
        const std::string *algorithms = find_value(keys, "CHAP_A");
        auto fresh = fresh_chap_challenge();
        if (algorithms == nullptr || !list_has(*algorithms, std::to_string(chap_md5_algorithm)) || !fresh)
            return why("no CHAP algorithm in common"), login_status::authentication_failure;
        challenge_ = std::move(*fresh);
        out.push_back({"CHAP_A", std::to_string(chap_md5_algorithm)});
        out.push_back({"CHAP_I", std::to_string(challenge_.identifier)});
        out.push_back({"CHAP_C", encode_binary_value(challenge_.challenge)});
        auth_ = Auth::challenged;
        return login_status::success;
    }
    if (auth_ == Auth::challenged)
        return check_response(keys, out);

    const std::string *methods = find_value(keys, "AuthMethod");
    const std::string_view wanted = config_.chap ? "CHAP" : "None";
    if (methods == nullptr) { // a request without AuthMethod means None (RFC 7143 section 13.1)
        if (config_.chap)
            return why("authentication is required"), login_status::authentication_failure;
        auth_ = Auth::done;
        return login_status::success;
    }
    if (!list_has(*methods, wanted))
        return why(fmt::format("AuthMethod={} does not offer {}", *methods, wanted)),
               login_status::authentication_failure;
    out.push_back({"AuthMethod", std::string(wanted)});
    auth_ = config_.chap ? Auth::chap_chosen : Auth::done;
    return login_status::success;
}

LoginStatus LoginPhase::check_response(const std::vector<KeyValue> &keys, std::vector<KeyValue> &out) {
    const std::string *name = find_value(keys, "CHAP_N"), *response = find_value(keys, "CHAP_R");
    const auto given = response != nullptr ? decode_binary_value(*response) : std::nullopt;
    const ChapDigest right = chap_md5(challenge_.identifier, config_.chap->secret, challenge_.challenge);
    if (name == nullptr || *name != config_.chap->user || !given || !same_digest(*given, right))
        return why("CHAP: wrong name or response"), login_status::authentication_failure;
    auth_ = Auth::done;
    const std::string *identifier = find_value(keys, "CHAP_I"), *challenge = find_value(keys, "CHAP_C");
    if (identifier == nullptr && challenge == nullptr)
        return login_status::success;
    // Mutual: the initiator wants the target's proof.
    unsigned number = 256;
    if (identifier != nullptr)
        std::from_chars(identifier->data(), identifier->data() + identifier->size(), number);
    const auto bytes = challenge != nullptr ? decode_binary_value(*challenge) : std::nullopt;
    // A challenge of our own, sent back, would let the initiator learn the response (RFC 7143 section
    // 12.1.3).
    if (number > 255 || !bytes || !config_.mutual_chap || *bytes == challenge_.challenge)
        return why("CHAP: the initiator's challenge cannot be answered"),
               login_status::authentication_failure;
    const ChapDigest proof = chap_md5(static_cast<std::uint8_t>(number), config_.mutual_chap->secret, *bytes);
    out.push_back({"CHAP_N", config_.mutual_chap->user});
    out.push_back({"CHAP_R", encode_binary_value(proof)});
    return login_status::success;
}

std::string LoginPhase::own_value(std::string_view key) const {
    if (key == "HeaderDigest")
        return config_.header_digest;
    if (key == "DataDigest")
        return config_.data_digest;
    if (key == "FirstBurstLength") { // never more than MaxBurstLength (RFC 7143 section 13.14)
        const std::uint32_t burst = negotiation_->result().parameters.max_burst_length;
        return std::to_string(
            std::min({config_.wish.first_burst_length, config_.wish.max_burst_length,
                      heard_.contains("MaxBurstLength") ? burst : config_.wish.max_burst_length}));
    }
    if (key == "TaskReporting")
        return "RFC3720";
    if (key == "iSCSIProtocolLevel")
        return "1";
    if (key == "IFMarker" || key == "OFMarker")
        return "No";
    return parameter_text(config_.wish, Party::target, key);
}

LoginStatus LoginPhase::operational(std::vector<KeyValue> keys, std::vector<KeyValue> &out) {
    // FirstBurstLength depends on MaxBurstLength: that is settled first.
    std::stable_partition(keys.begin(), keys.end(),
                          [](const KeyValue &k) { return k.key == "MaxBurstLength"; });
    for (const KeyValue &k : keys) {
        // A declaration has no answer by which it could be rejected.
        if (OperationalParameters scratch;
            k.key == "MaxRecvDataSegmentLength" && !set_parameter(scratch, Party::initiator, k.key, k.value))
            return why("MaxRecvDataSegmentLength=" + k.value + " is not a number of at least 512"),
                   login_status::initiator_error;
        if (find_rule(k.key) != nullptr)
            heard_.insert(k.key);
        negotiation_->add(Party::initiator, k.key, k.value);
        if (awaited_.erase(k.key) != 0)
            continue; // the answer to our own offer
        if (k.key == "AuthMethod" || k.key == "MaxRecvDataSegmentLength")
            continue;
        const auto reply = answer(k.key, k.value, own_value(k.key));
        if (!reply)
            continue;
        out.push_back({k.key, *reply});
        negotiation_->add(Party::target, k.key, *reply);
    }
    if (!offered_) {
        offered_ = true;
        offer_own(out);
    }
    return login_status::success;
}

// What the initiator did not name and where the default is not what this end wants.
void LoginPhase::offer_own(std::vector<KeyValue> &out) {
    const std::string segment = parameter_text(config_.wish, Party::target, "MaxRecvDataSegmentLength");
    out.push_back({"MaxRecvDataSegmentLength", segment});
    negotiation_->add(Party::target, "MaxRecvDataSegmentLength", segment);
    for (const char *key : {"HeaderDigest", "DataDigest", "MaxBurstLength", "FirstBurstLength",
                            "ImmediateData", "DefaultTime2Wait", "DefaultTime2Retain"}) {
        const KeyRule *rule = find_rule(key);
        const bool possible = !outcome_.discovery && (outcome_.tsih == 0 || !session_wide(key));
        if (rule == nullptr || !possible || heard_.contains(key))
            continue;
        const std::string own = own_value(key);
        const bool list = rule->function == ResultFunction::list;
        const std::string result = combine(*rule, list ? own : std::string(rule->default_value),
                                           list ? std::string(rule->default_value) : own);
        if (result == rule->default_value)
            continue;
        out.push_back({key, own});
        negotiation_->add(Party::target, key, own);
        awaited_.insert(key);
    }
}

LoginStatus LoginPhase::finish() {
    OperationalParameters p = negotiation_->result().parameters;
    if (outcome_.tsih != 0) { // session-wide values stay as the leading connection settled them
        OperationalParameters kept = start_;
        kept.header_digest_crc32c = p.header_digest_crc32c;
        kept.data_digest_crc32c = p.data_digest_crc32c;
        kept.max_recv_data_segment_length_initiator = p.max_recv_data_segment_length_initiator;
        kept.max_recv_data_segment_length_target = p.max_recv_data_segment_length_target;
        p = kept;
    }
    outcome_.parameters = p;
    if (!list_has(config_.header_digest, p.header_digest_crc32c ? "CRC32C" : "None") ||
        !list_has(config_.data_digest, p.data_digest_crc32c ? "CRC32C" : "None"))
        return why("the digests required were not agreed"), login_status::initiator_error;
    return login_status::success;
}

} // namespace iscsiscope::testbed
