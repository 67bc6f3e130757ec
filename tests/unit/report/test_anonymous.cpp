// SPDX-License-Identifier: GPL-2.0-or-later
// Of a login an anonymous report shows only what the RFCs define: a key that is harmless as a rule may hold
// anything.
#include "analyzer/iscsi/text/standard_values.h"
#include "analyzer/pipeline/anonymizer.h"
#include "catch.h"

using namespace iscsiscope;

namespace {

std::string shown(std::string_view key, std::string_view value) {
    return only_standard_value(key, value, "(hidden)");
}

} // namespace

TEST_CASE("values that the RFCs define stay") {
    for (const auto &[key, value] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"HeaderDigest", "CRC32C,None"},
             {"DataDigest", "None"},
             {"AuthMethod", "CHAP,None"},
             {"SessionType", "Discovery"},
             {"MaxBurstLength", "262144"},
             {"MaxBurstLength", "0x40000"},
             {"InitialR2T", "Yes"},
             {"ErrorRecoveryLevel", "0"},
             {"TargetPortalGroupTag", "1"},
             {"TaskReporting", "ResponseFence,FastAbort"},
             {"MaxConnections", "Reject"},
             {"DataDigest", "NotUnderstood"},
             {"IFMarker", "No"},
             {"ImmediateData", ""}})
        CHECK(shown(key, value) == value);
}

TEST_CASE("values of vendors, malformed ones and names are replaced") {
    for (const auto &[key, value, wanted] :
         std::initializer_list<std::tuple<std::string_view, std::string_view, std::string_view>>{
             {"HeaderDigest", "CRC32C,Z-com.acme.paris.crc", "CRC32C,(hidden)"},
             {"AuthMethod", "X-com.acme.sso", "(hidden)"},
             {"AuthMethod", "chap", "(hidden)"},
             {"MaxBurstLength", "acme-paris", "(hidden)"},
             {"MaxBurstLength", "000010203040", "(hidden)"},
             {"MaxBurstLength", "4294967296", "(hidden)"},
             {"ErrorRecoveryLevel", "2~acme", "(hidden)"},
             {"InitialR2T", "Yes acme", "(hidden)"},
             {"SessionType", "acme", "(hidden)"},
             {"TargetPortalGroupTag", "65536", "(hidden)"},
             {"TargetPortalGroupTag", "10.1.2.3", "(hidden)"},
             {"TaskReporting", "RFC3720,,acme", "RFC3720,(hidden),(hidden)"},
             {"InitiatorAlias", "mail server", "(hidden)"},
             {"TargetAddress", "10.1.2.3:3260,1", "(hidden)"},
             {"X-com.acme.rack", "7", "(hidden)"}})
        CHECK(shown(key, value) == wanted);
}

TEST_CASE("no field of a login lets out what the RFCs do not define") {
    Login login;
    login.session_type = "acme1";
    login.target_portal_group = "acme2";
    login.authentication = "CHAP,acme3";
    NegotiatedKey key;
    key.key = "MaxRecvDataSegmentLength";
    key.initiator = "acme4";
    key.target = "262144";
    key.in_force = "acme5";
    key.in_force_target = "acme6";
    NegotiatedKey vendor;
    vendor.key = "X-com.acme.rack";
    vendor.target = vendor.in_force = vendor.in_force_target = "acme7";
    login.keys.keys = SharedKeys(std::vector<NegotiatedKey>{key, vendor});
    Anonymizer names;
    names.apply(login);
    SessionRecord session;
    session.session_type = "Normal";
    session.target_portal_group = "acme8";
    names.apply(session);
    std::string all = login.session_type + login.target_portal_group + login.authentication +
                      session.session_type + session.target_portal_group;
    for (const NegotiatedKey &k : login.keys.keys)
        all += k.key + k.initiator.value_or("") + k.target.value_or("") + k.in_force + k.in_force_target;
    CHECK(all.find("acme") == std::string::npos);
    CHECK(login.authentication == "CHAP,(hidden)");
    CHECK(session.session_type == "Normal");
    CHECK((*login.keys.keys.begin()).target == "262144");
}
