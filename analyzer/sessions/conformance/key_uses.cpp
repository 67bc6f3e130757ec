// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/key_uses.h"

#include <algorithm>

namespace iscsiscope {
namespace {

enum class Senders : std::uint8_t { both, initiator, target };

struct KeyUse {
    std::string_view key;
    Senders senders;
    bool security, operational, full_feature;
};

constexpr bool yes = true, no = false;

// RFC 7143 section 12 lists what the security stage has; the "Use" and "Senders" of section 13 state the
// rest.
constexpr KeyUse uses[] = {
    {"InitiatorName", Senders::initiator, yes, yes, no},
    {"InitiatorAlias", Senders::initiator, yes, yes, yes},
    {"SessionType", Senders::initiator, yes, yes, no},
    {"SendTargets", Senders::initiator, no, no, yes},
    {"TargetName", Senders::both, yes, yes, yes},
    {"TargetAlias", Senders::target, yes, yes, yes},
    {"TargetAddress", Senders::target, yes, yes, yes},
    {"TargetPortalGroupTag", Senders::target, yes, yes, no},
    {"AuthMethod", Senders::both, yes, no, no},
    {"HeaderDigest", Senders::both, no, yes, no},
    {"DataDigest", Senders::both, no, yes, no},
    {"MaxConnections", Senders::both, no, yes, no},
    {"InitialR2T", Senders::both, no, yes, no},
    {"ImmediateData", Senders::both, no, yes, no},
    {"MaxRecvDataSegmentLength", Senders::both, no, yes, yes},
    {"MaxBurstLength", Senders::both, no, yes, no},
    {"FirstBurstLength", Senders::both, no, yes, no},
    {"DefaultTime2Wait", Senders::both, no, yes, no},
    {"DefaultTime2Retain", Senders::both, no, yes, no},
    {"MaxOutstandingR2T", Senders::both, no, yes, no},
    {"DataPDUInOrder", Senders::both, no, yes, no},
    {"DataSequenceInOrder", Senders::both, no, yes, no},
    {"ErrorRecoveryLevel", Senders::both, no, yes, no},
    {"TaskReporting", Senders::both, no, yes, no},
    {"iSCSIProtocolLevel", Senders::both, no, yes, no},
};

const KeyUse *use_of(std::string_view key) {
    const auto *at = std::ranges::find(uses, key, &KeyUse::key);
    return at != std::end(uses) ? at : nullptr;
}

// The keys of authentication methods (RFC 7143 section 12.1).
bool of_authentication(std::string_view key) {
    return key.starts_with("CHAP_") || key.starts_with("SRP_") || key.starts_with("KRB_");
}

} // namespace

bool key_sender_allowed(std::string_view key, Party party, KeyStage stage) {
    const KeyUse *use = use_of(key);
    // A target names itself only in answers to SendTargets (section 13.4).
    if (key == "TargetName")
        return party == Party::initiator || stage == KeyStage::full_feature;
    return use == nullptr || use->senders == Senders::both ||
           (use->senders == Senders::initiator) == (party == Party::initiator);
}

bool key_stage_allowed(std::string_view key, KeyStage stage) {
    if (of_authentication(key))
        return stage == KeyStage::security;
    const KeyUse *use = use_of(key);
    return use == nullptr || (stage == KeyStage::security      ? use->security
                              : stage == KeyStage::operational ? use->operational
                                                               : use->full_feature);
}

bool key_may_repeat(std::string_view key) {
    return key == "TargetAddress" || of_authentication(key) || use_of(key) == nullptr;
}

} // namespace iscsiscope
