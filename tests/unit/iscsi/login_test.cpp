// SPDX-License-Identifier: GPL-2.0-or-later
// What a login tells of its keys when parts of it are missing.
#include "analyzer/iscsi/codec/pdu/login_pdus.h"
#include "analyzer/iscsi/framing/login_tracker.h"
#include "catch.h"

#include <vector>

using namespace iscsiscope;

namespace {

struct Talk {
    LoginTracker tracker;
    std::optional<Login> login;

    void tell(HeaderBytes header, const std::vector<KeyValue> &keys, std::size_t cut_to) {
        const auto text = build_text(keys);
        Pdu pdu;
        pdu.header = header;
        pdu.data_length = static_cast<std::uint32_t>(text.size());
        pdu.data = std::span(text).first(std::min(cut_to, text.size()));
        pdu.cut_bytes = pdu.data_length - static_cast<std::uint32_t>(pdu.data.size());
        if (auto done = tracker.pdu(pdu))
            login = std::move(done);
    }
    void ask(const std::vector<KeyValue> &keys, std::size_t cut_to = 65536, std::uint16_t tsih = 0) {
        LoginRequest r;
        r.transit = true;
        r.current_stage = LoginStage::operational;
        r.next_stage = LoginStage::full_feature;
        r.tsih = tsih;
        tell(r.encode(), keys, cut_to);
    }
    void answer(const std::vector<KeyValue> &keys, std::size_t cut_to = 65536, bool last = true) {
        LoginResponse r;
        r.transit = last;
        r.current_stage = LoginStage::operational;
        r.next_stage = LoginStage::full_feature;
        r.tsih = 1;
        tell(r.encode(), keys, cut_to);
    }
};

const std::vector<KeyValue> offer = {{"InitiatorName", "iqn.i"}, {"MaxBurstLength", "65536"}};
const std::vector<KeyValue> reply = {{"MaxBurstLength", "65536"}};

} // namespace

TEST_CASE("a login seen whole tells every key", "[iscsi]") {
    Talk t;
    t.ask(offer);
    t.answer(reply);
    REQUIRE(t.login);
    CHECK(t.login->whole);
    CHECK(t.login->keys.known == ParameterSet::all());
    CHECK(t.login->keys.parameters.max_burst_length == 65536);
}

TEST_CASE("where text is cut, or requests passed unseen, keys are known by their exchange alone", "[iscsi]") {
    const auto how = GENERATE(as<std::string>(), "offer cut", "answer cut", "first request missing",
                              "begins with an answer", "a hole in the login");
    INFO(how);
    Talk t;
    if (how == "offer cut") {
        t.ask(offer, 20);
        t.answer({});
    } else if (how == "answer cut") {
        t.ask(offer);
        t.answer(reply, 4);
    } else if (how == "first request missing") { // it names the initiator (RFC 7143 section 13.4)
        t.ask({{"MaxRecvDataSegmentLength", "4096"}});
        t.answer({});
    } else if (how == "begins with an answer") {
        t.answer({{"TargetPortalGroupTag", "1"}}, 65536, false);
        t.ask(offer);
        t.answer({});
    } else {
        t.ask({{"InitiatorName", "iqn.i"}});
        t.tracker.missing(Party::target);
        t.tracker.missing(Party::initiator);
        t.answer({});
    }
    REQUIRE(t.login);
    CHECK_FALSE(t.login->whole);
    CHECK_FALSE(t.login->keys.known.has(Parameter::first_burst_length));
    CHECK_FALSE(t.login->keys.known.has(Parameter::max_burst_length));
    CHECK(t.login->keys.find("MaxBurstLength")->origin == ValueOrigin::unknown);
}

TEST_CASE("a further connection's login does not tell the session's keys", "[iscsi]") {
    Talk t;
    t.ask({{"InitiatorName", "iqn.i"}}, 65536, 1);
    t.answer({});
    REQUIRE(t.login);
    CHECK(t.login->whole);
    CHECK_FALSE(t.login->keys.known.has(Parameter::max_burst_length));
    CHECK(t.login->keys.known.has(Parameter::max_recv_target));
}
