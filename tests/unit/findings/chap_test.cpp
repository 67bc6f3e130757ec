// SPDX-License-Identifier: GPL-2.0-or-later
// Why a login failed at CHAP, as far as the wire shows.
#include "catch.h"
#include "made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

const Endpoint initiator = host(1, 40001), portal = host(2, 3260);

// A login in security stage: texts of the initiator and the target in turn; a status ends it behind the last.
struct Dialogue {
    std::vector<std::vector<KeyValue>> texts;
    std::uint8_t status_class = 0, status_detail = 0;
    bool leaves = false; // the initiator ends the connection behind the target's last answer
};

FindingsResult login_of(const Dialogue &d) {
    Wire wire;
    wire.syn(0ms, initiator, portal);
    wire.accept(1ms, initiator, portal);
    Wire::Way out{initiator, portal, 1, 1}, back{portal, initiator, 1, 1};
    Duration when = 2ms;
    for (std::size_t i = 0; i < d.texts.size(); ++i, when += 1ms) {
        if (i % 2 == 0) {
            LoginRequest request;
            request.current_stage = LoginStage::security;
            wire.pdu(when, out, back, request.encode(), d.texts[i]);
            continue;
        }
        LoginResponse answer;
        answer.current_stage = LoginStage::security;
        if (i + 1 == d.texts.size()) {
            answer.status_class = d.status_class;
            answer.status_detail = d.status_detail;
        }
        wire.pdu(when, back, out, answer.encode(), d.texts[i]);
    }
    if (d.leaves)
        wire.segment(when, out, tcp_rst | tcp_ack);
    return wire.result();
}

std::vector<KeyValue> hello(const char *methods) {
    return {{"InitiatorName", "iqn.i"}, {"TargetName", "iqn.t"}, {"AuthMethod", methods}};
}

std::string said(const FindingsResult &r) {
    const Finding *f = r.find(FindingKind::login_trouble);
    return f != nullptr ? f->sentence : "";
}

bool holds(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("CHAP: the target refuses name or secret") {
    const FindingsResult r = login_of({{hello("CHAP,None"),
                                        {{"AuthMethod", "CHAP"}},
                                        {{"CHAP_A", "7,5"}},
                                        {{"CHAP_A", "5"}, {"CHAP_I", "1"}, {"CHAP_C", "0x1234"}},
                                        {{"CHAP_N", "user-of-host"}, {"CHAP_R", "0xdeadbeef"}},
                                        {}},
                                       2,
                                       1});
    CHECK(holds(said(r), "The target refused CHAP name user-of-host (MD5) or its secret"));
    CHECK_FALSE(holds(said(r), "deadbeef"));
    CHECK_FALSE(holds(said(r), "1234"));
    CHECK(holds(r.find(FindingKind::login_trouble)->remedy, "iscsiadm reports error 24"));
}

TEST_CASE("CHAP: no algorithm in common, and none offered") {
    const std::string no_algorithm =
        said(login_of({{hello("CHAP"), {{"AuthMethod", "CHAP"}}, {{"CHAP_A", "7"}}, {}}, 2, 0}));
    CHECK(holds(no_algorithm, "The initiator offered CHAP with SHA-256, which the target does not take."));
    CHECK(holds(said(login_of({{hello("None"), {}}, 2, 1})),
                "The initiator offered no CHAP (AuthMethod=None), and the target asks for it."));
    // A status of another kind has nothing to do with it.
    CHECK_FALSE(holds(said(login_of({{hello("None"), {}}, 2, 3})), "CHAP"));
}

TEST_CASE("mutual CHAP: the initiator refuses the target") {
    const auto dialogue = [](bool mutual) {
        Dialogue d{{hello("CHAP"),
                    {{"AuthMethod", "CHAP"}},
                    {{"CHAP_A", "5"}},
                    {{"CHAP_A", "5"}, {"CHAP_I", "1"}, {"CHAP_C", "0x12"}},
                    {{"CHAP_N", "host"}, {"CHAP_R", "0x34"}},
                    {}},
                   0,
                   0,
                   true};
        if (mutual) {
            d.texts[4].push_back({"CHAP_I", "2"});
            d.texts[4].push_back({"CHAP_C", "0x56"});
            d.texts[5] = {{"CHAP_N", "array"}, {"CHAP_R", "0x78"}};
        }
        return d;
    };
    const FindingsResult r = login_of(dialogue(true));
    REQUIRE(r.find(FindingKind::login_trouble) != nullptr);
    CHECK(r.find(FindingKind::login_trouble)->title == "Initiators refuse the target (mutual CHAP)");
    CHECK(r.find(FindingKind::login_trouble)->severity == Severity::problem);
    CHECK(holds(said(r), "answered its challenge with CHAP name array"));
    // A login that ends without the target's own answer was broken off for another reason.
    CHECK(login_of(dialogue(false)).find(FindingKind::login_trouble) == nullptr);
}
