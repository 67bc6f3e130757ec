// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/login_tracker.h"

#include "analyzer/iscsi/codec/pdu/login_pdus.h"

namespace iscsiscope {

std::optional<Login> LoginTracker::pdu(const Pdu &pdu) {
    if (done_)
        return std::nullopt;
    if (pdu.view().opcode() == Opcode::login_request) {
        request(pdu);
        return std::nullopt;
    }
    return response(pdu);
}

void LoginTracker::take_text(Party party, TextCollector &text, const Pdu &pdu, bool continued) {
    const bool cut = pdu.data.size() < pdu.data_length;
    text.add(pdu.data, cut);
    if (cut)
        missing(party);
    if (continued)
        return;
    const auto pairs = text.finish();
    if (text.error() != TextError::none && pdu.cut_bytes == 0 && pdu.unseen_bytes == 0)
        text_malformed_ = true;
    negotiation_.add(party, pairs);
    const auto copy = [&](std::string_view key, std::string &to) {
        if (const std::string *value = find_value(pairs, key))
            to = *value;
    };
    const auto has = [&](std::string_view key) { return find_value(pairs, key) != nullptr; };
    ChapSeen chap = login_.chap ? *login_.chap : ChapSeen{};
    if (party == Party::initiator) {
        copy("InitiatorName", login_.initiator_name);
        copy("TargetName", login_.target_name);
        copy("SessionType", login_.session_type);
        copy("AuthMethod", chap.methods);
        copy("CHAP_A", chap.algorithms);
        copy("CHAP_N", chap.initiator_name);
        chap.initiator_answered |= has("CHAP_R");
        chap.initiator_asked |= has("CHAP_C");
    } else {
        copy("CHAP_A", chap.algorithm);
        copy("CHAP_N", chap.target_name);
        chap.target_asked |= has("CHAP_C");
        chap.target_answered |= has("CHAP_R");
        chap.accepted |= chap.initiator_answered && login_.status_class == 0;
        copy("TargetPortalGroupTag", login_.target_portal_group);
        copy("AuthMethod", login_.authentication);
        copy("TargetAddress", login_.redirect);
    }
    if (chap != ChapSeen{})
        login_.chap = std::make_shared<const ChapSeen>(std::move(chap));
}

void LoginTracker::missing(Party party) {
    (party == Party::initiator ? seen_.initiator : seen_.target) = false;
}

void LoginTracker::request(const Pdu &pdu) {
    const auto request = LoginRequest::parse(pdu.view());
    if (!request)
        return;
    if (!begun_) {
        begun_ = true;
        seen_ = {true, true, request->tsih == 0};
        login_.start = pdu.first_seen;
        login_.first_frame = pdu.frame;
        login_.session_type = "Normal";
        login_.requested_tsih = request->tsih;
    }
    login_.cid = request->cid;
    login_.ended_by_target = false;
    for (std::size_t i = 0; i < login_.isid.size(); ++i)
        login_.isid[i] = std::to_integer<std::uint8_t>(request->isid[i]);
    login_.end = pdu.delivered;
    login_.last_frame = pdu.delivered_frame;
    take_text(Party::initiator, from_initiator_, pdu, request->continued);
}

std::optional<Login> LoginTracker::response(const Pdu &pdu) {
    const auto response = LoginResponse::parse(pdu.view());
    if (!response)
        return std::nullopt;
    if (!begun_) { // the request is not in the capture
        login_.start = pdu.first_seen;
        login_.first_frame = pdu.frame;
    }
    begun_ = true;
    login_.ended_by_target = true;
    ++login_.round_trips;
    login_.tsih = response->tsih;
    login_.status_class = response->status_class;
    login_.status_detail = response->status_detail;
    login_.end = pdu.delivered;
    login_.last_frame = pdu.delivered_frame;
    take_text(Party::target, from_target_, pdu, response->continued);
    if (response->status_class != 0) {
        login_.finished = true;
        return close_login();
    }
    if (response->transit && response->next_stage == LoginStage::full_feature) {
        login_.finished = login_.accepted = true;
        return close_login();
    }
    return std::nullopt;
}

std::optional<Login> LoginTracker::end() {
    if (done_ || !begun_)
        return std::nullopt;
    return close_login();
}

Login LoginTracker::close_login() {
    done_ = true;
    // The first request has InitiatorName (RFC 7143 section 13.5). Without it the capture began later.
    if (seen_.initiator && login_.initiator_name.empty())
        seen_.initiator = seen_.target = false;
    login_.whole = seen_.initiator && seen_.target;
    login_.keys = negotiation_.result(seen_);
    return std::move(login_);
}

} // namespace iscsiscope
