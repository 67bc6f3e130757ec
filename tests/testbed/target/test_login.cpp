// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "sample-captures/testbed/target/protocol/login.h"

using namespace iscsiscope;
using namespace iscsiscope::testbed;

namespace {

struct Host final : LoginHost {
    LoginStatus find_session(const LoginOutcome &, OperationalParameters &p) override {
        p = session;
        return join;
    }
    LoginStatus admit(const LoginOutcome &, std::uint16_t &tsih) override {
        tsih = 7;
        return login_status::success;
    }
    OperationalParameters session;
    LoginStatus join = login_status::session_does_not_exist;
};

struct Dialogue {
    explicit Dialogue(TargetConfig c = {}) : config(std::move(c)), phase(config, host) {}

    LoginPhase::Reply say(LoginStage stage, std::optional<LoginStage> next, const std::vector<KeyValue> &keys,
                          std::uint16_t tsih = 0) {
        LoginRequest r;
        r.current_stage = stage;
        r.transit = next.has_value();
        r.next_stage = next.value_or(LoginStage::security);
        r.tsih = tsih;
        const auto text = build_text(keys);
        auto reply = phase.on_request(r, text);
        answer = parse_text(reply.text);
        return reply;
    }
    std::string value(std::string_view key) const {
        const std::string *v = find_value(answer, key);
        return v == nullptr ? "(none)" : *v;
    }

    TargetConfig config;
    Host host;
    LoginPhase phase;
    std::vector<KeyValue> answer;
};

std::vector<KeyValue> who(const TargetConfig &c, std::vector<KeyValue> more = {}) {
    more.insert(more.begin(), {{"InitiatorName", "iqn.test:i"}, {"TargetName", c.name}});
    return more;
}

constexpr auto security = LoginStage::security;
constexpr auto operational = LoginStage::operational;
constexpr auto full = LoginStage::full_feature;

} // namespace

TEST_CASE("every key is answered by its result function", "[login]") {
    TargetConfig c;
    c.wish.max_burst_length = 65536;
    c.wish.first_burst_length = 65536;
    c.wish.initial_r2t = false;
    c.wish.max_outstanding_r2t = 4;
    c.wish.max_connections = 2;
    c.wish.default_time2wait = 5;
    c.wish.max_recv_data_segment_length_target = 131072;
    Dialogue d(c);
    const auto reply = d.say(operational, full,
                             who(c, {{"HeaderDigest", "CRC32C,None"},
                                     {"DataDigest", "None,CRC32C"},
                                     {"MaxConnections", "8"},
                                     {"InitialR2T", "No"},
                                     {"ImmediateData", "Yes"},
                                     {"MaxRecvDataSegmentLength", "4096"},
                                     {"FirstBurstLength", "262144"},
                                     {"MaxBurstLength", "32768"},
                                     {"MaxOutstandingR2T", "1"},
                                     {"DefaultTime2Wait", "2"},
                                     {"DefaultTime2Retain", "0"},
                                     {"DataPDUInOrder", "No"},
                                     {"ErrorRecoveryLevel", "2"},
                                     {"IFMarker", "No"},
                                     {"X-com.example.key", "1"}}));
    REQUIRE(reply.complete);
    CHECK(reply.header.tsih == 7);
    CHECK(d.value("TargetPortalGroupTag") == "1");
    CHECK(d.value("HeaderDigest") == "CRC32C");
    CHECK(d.value("DataDigest") == "None");
    CHECK(d.value("MaxConnections") == "2");
    CHECK(d.value("InitialR2T") == "No");
    CHECK(d.value("MaxRecvDataSegmentLength") == "131072");
    CHECK(d.value("MaxBurstLength") == "32768");
    CHECK(d.value("FirstBurstLength") == "32768"); // never more than MaxBurstLength
    CHECK(d.value("MaxOutstandingR2T") == "1");
    CHECK(d.value("DefaultTime2Wait") == "5");
    CHECK(d.value("DataPDUInOrder") == "Yes");
    CHECK(d.value("ErrorRecoveryLevel") == "0");
    CHECK(d.value("X-com.example.key") == "NotUnderstood");
    const OperationalParameters &p = d.phase.outcome().parameters;
    CHECK(p.header_digest_crc32c);
    CHECK_FALSE(p.data_digest_crc32c);
    CHECK(p.max_recv_data_segment_length_initiator == 4096);
    CHECK(p.max_recv_data_segment_length_target == 131072);
    CHECK(p.max_burst_length == 32768);
    CHECK(p.max_connections == 2);
    CHECK_FALSE(p.initial_r2t);
}

TEST_CASE("a wish that the initiator did not name is offered, and the login waits for its answer",
          "[login]") {
    TargetConfig c;
    c.wish.max_burst_length = 8192;
    c.wish.first_burst_length = 4096;
    Dialogue d(c);
    auto reply = d.say(operational, full, who(c));
    CHECK_FALSE(reply.complete);
    CHECK_FALSE(reply.header.transit);
    CHECK(d.value("MaxBurstLength") == "8192");
    CHECK(d.value("FirstBurstLength") == "4096");
    reply = d.say(operational, full, {{"MaxBurstLength", "8192"}, {"FirstBurstLength", "2048"}});
    REQUIRE(reply.complete);
    CHECK(d.phase.outcome().parameters.max_burst_length == 8192);
    CHECK(d.phase.outcome().parameters.first_burst_length == 2048);
}

TEST_CASE("CHAP admits who knows the secret and nobody else", "[login]") {
    TargetConfig c;
    c.chap = ChapAccount{"user", "a secret of some length"};
    c.mutual_chap = ChapAccount{"target", "another secret entirely"};
    Dialogue d(c);
    REQUIRE_FALSE(d.say(security, {}, who(c, {{"AuthMethod", "CHAP,None"}})).refused);
    CHECK(d.value("AuthMethod") == "CHAP");
    d.say(security, {}, {{"CHAP_A", "7,5"}});
    CHECK(d.value("CHAP_A") == "5");
    const auto challenge = decode_binary_value(d.value("CHAP_C"));
    REQUIRE(challenge);
    const auto id = static_cast<std::uint8_t>(std::stoi(d.value("CHAP_I")));
    std::string secret = c.chap->secret, name = c.chap->user;
    SECTION("right") {
        const auto r = encode_binary_value(chap_md5(id, secret, *challenge));
        const auto reply = d.say(security, full, {{"CHAP_N", name}, {"CHAP_R", r}});
        CHECK(reply.complete);
    }
    SECTION("right, and the target proves itself") {
        const auto r = encode_binary_value(chap_md5(id, secret, *challenge));
        const std::vector<std::uint8_t> mine(16, 0x5a);
        d.say(security, operational,
              {{"CHAP_N", name}, {"CHAP_R", r}, {"CHAP_I", "9"}, {"CHAP_C", encode_binary_value(mine)}});
        CHECK(d.value("CHAP_N") == "target");
        CHECK(d.value("CHAP_R") == encode_binary_value(chap_md5(9, c.mutual_chap->secret, mine)));
    }
    SECTION("a challenge sent back is not answered") {
        const auto r = encode_binary_value(chap_md5(id, secret, *challenge));
        CHECK(d.say(security, operational,
                    {{"CHAP_N", name},
                     {"CHAP_R", r},
                     {"CHAP_I", "9"},
                     {"CHAP_C", encode_binary_value(*challenge)}})
                  .header.status_detail == 0x01);
    }
    SECTION("wrong secret or name") {
        if (GENERATE(true, false))
            secret += "x";
        else
            name += "x";
        const auto r = encode_binary_value(chap_md5(id, secret, *challenge));
        const auto reply = d.say(security, full, {{"CHAP_N", name}, {"CHAP_R", r}});
        CHECK(reply.refused);
        CHECK(reply.header.status_class == 2);
        CHECK(reply.header.status_detail == 1);
    }
}

TEST_CASE("who must authenticate cannot leave it out", "[login]") {
    TargetConfig c;
    c.chap = ChapAccount{"user", "secret"};
    Dialogue a(c), b(c), e(c);
    CHECK(a.say(operational, full, who(c)).header.status_detail == 1);
    CHECK(b.say(security, full, who(c, {{"AuthMethod", "None"}})).header.status_detail == 1);
    CHECK(e.say(security, full, who(c)).header.status_detail == 1);
}

TEST_CASE("logins that cannot be are refused with their reason", "[login]") {
    const TargetConfig c;
    Dialogue nameless(c), lost(c), no_target(c), joining(c), out_of_turn(c);
    CHECK(nameless.say(operational, full, {{"TargetName", c.name}}).header.status_detail == 0x07);
    CHECK(no_target.say(operational, full, {{"InitiatorName", "i"}}).header.status_detail == 0x07);
    CHECK(lost.say(operational, full, {{"InitiatorName", "i"}, {"TargetName", "iqn.other"}})
              .header.status_detail == 0x03);
    CHECK(joining.say(operational, full, who(c), 3).header.status_detail == 0x0a);
    out_of_turn.say(operational, {}, who(c));
    CHECK(out_of_turn.say(security, {}, {}).header.status_detail == 0x0b);
}

TEST_CASE("digests that are required must be agreed", "[login]") {
    TargetConfig c;
    c.data_digest = "CRC32C";
    Dialogue refused(c), offered(c);
    CHECK(refused.say(operational, full, who(c, {{"DataDigest", "None"}})).refused);
    CHECK_FALSE(offered.say(operational, full, who(c)).complete);
    CHECK(offered.value("DataDigest") == "CRC32C");
    CHECK(offered.say(operational, full, {{"DataDigest", "CRC32C"}}).complete);
}

TEST_CASE("login text may come in several PDUs, and a long answer goes in several", "[login]") {
    const TargetConfig c;
    Dialogue d(c);
    std::vector<KeyValue> keys = who(c);
    for (int i = 0; i < 250; ++i)
        keys.push_back({"X-com.example.a-rather-long-name-of-a-key." + std::to_string(i), "1"});
    const auto text = build_text(keys);
    LoginRequest r;
    r.current_stage = operational;
    LoginPhase::Reply reply;
    for (std::size_t at = 0; at < text.size(); at += 5000) {
        const std::size_t n = std::min<std::size_t>(5000, text.size() - at);
        r.continued = at + n < text.size();
        r.transit = !r.continued;
        r.next_stage = r.transit ? full : security;
        reply = d.phase.on_request(r, std::span(text).subspan(at, n));
        if (r.continued)
            CHECK(reply.text.empty());
    }
    std::vector<std::byte> all = reply.text;
    int more = 0;
    while (reply.header.continued && more < 10) {
        CHECK_FALSE(reply.header.transit);
        CHECK_FALSE(reply.complete); // full feature phase begins with the last piece, not with the first
        CHECK(reply.header.tsih == 0);
        CHECK(reply.text.size() == 8192);
        ++more;
        reply = d.phase.on_request(r, {});
        all.insert(all.end(), reply.text.begin(), reply.text.end());
    }
    CHECK(more >= 1);
    CHECK(reply.header.transit);
    CHECK(reply.complete);
    CHECK(reply.header.tsih == 7);
    const auto answers = parse_text(all);
    CHECK(std::count_if(answers.begin(), answers.end(),
                        [](const KeyValue &k) { return k.value == "NotUnderstood"; }) == 250);
}

TEST_CASE("new keys before the rest of a long answer was fetched end the login", "[login]") {
    const TargetConfig c;
    Dialogue d(c);
    std::vector<KeyValue> keys = who(c);
    for (int i = 0; i < 250; ++i)
        keys.push_back({"X-com.example.a-rather-long-name-of-a-key." + std::to_string(i), "1"});
    LoginRequest r;
    r.current_stage = operational;
    REQUIRE(d.phase.on_request(r, build_text(keys)).header.continued);
    CHECK(d.say(operational, full, {{"MaxBurstLength", "65536"}}).refused);
}

TEST_CASE("MaxRecvDataSegmentLength below 512, and names that are too long, are refused", "[login]") {
    const TargetConfig c;
    for (const char *value : {"0", "511", "many", ""}) {
        Dialogue d(c);
        const auto reply = d.say(operational, full, who(c, {{"MaxRecvDataSegmentLength", value}}));
        CHECK(reply.refused);
        CHECK(reply.header.status_class == 2);
        CHECK(reply.header.status_detail == 0);
    }
    Dialogue least(c), named(c);
    CHECK(least.say(operational, full, who(c, {{"MaxRecvDataSegmentLength", "512"}})).complete);
    const std::vector<KeyValue> keys{{"InitiatorName", std::string(224, 'i')}, {"TargetName", c.name}};
    CHECK(named.say(operational, full, keys).refused);
}

TEST_CASE("a login that does not come to an end is refused", "[login]") {
    const TargetConfig c;
    Dialogue d(c);
    d.say(operational, {}, who(c));
    int turns = 0;
    while (turns < 1000 && !d.say(operational, {}, {}).refused)
        ++turns;
    CHECK(turns < 200);
}

TEST_CASE("a further connection keeps the session's values and has its own digests", "[login]") {
    TargetConfig c;
    c.wish.max_burst_length = 4096;
    Dialogue d(c);
    d.host.join = login_status::success;
    d.host.session.max_burst_length = 8192;
    d.host.session.data_digest_crc32c = true;
    const auto reply = d.say(operational, full, who(c, {{"HeaderDigest", "CRC32C"}}), 7);
    REQUIRE(reply.complete);
    const OperationalParameters &p = d.phase.outcome().parameters;
    CHECK(p.max_burst_length == 8192);
    CHECK(p.header_digest_crc32c);
    CHECK_FALSE(p.data_digest_crc32c);
}
