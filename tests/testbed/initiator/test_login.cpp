// SPDX-License-Identifier: GPL-2.0-or-later
// The login dialogue against a played target.
#include "catch.h"

#include "sample-captures/testbed/initiator/options.h"
#include "sample-captures/testbed/initiator/session/login_exchange.h"

using namespace iscsiscope;
using namespace iscsiscope::testbed;
using namespace iscsiscope::testbed::initiator;
using Kind = LoginExchange::Step::Kind;

namespace {

LoginSettings settings(bool chap = false, bool mutual = false) {
    LoginSettings s;
    s.initiator_name = "iqn.i";
    s.target_name = "iqn.t";
    s.offers = {{"HeaderDigest", "CRC32C,None"}, {"MaxBurstLength", "1048576"}};
    if (chap)
        s.credentials = {"user", "secret", mutual ? "target" : "", mutual ? "targetsecret" : ""};
    return s;
}

LoginResponse response(LoginStage stage, bool transit, LoginStage next, std::uint16_t tsih = 0) {
    LoginResponse r;
    r.current_stage = stage;
    r.transit = transit;
    r.next_stage = next;
    r.tsih = tsih;
    return r;
}

LoginExchange::Step answer_with(LoginExchange &login, const LoginResponse &header,
                                std::vector<KeyValue> keys) {
    return login.on_response(header, build_text(keys));
}

std::string value(const LoginExchange::Step &step, std::string_view key) {
    const auto keys = parse_text(step.text);
    const std::string *found = find_value(keys, key);
    return found ? *found : "(absent)";
}

const LoginResponse to_operational = response(LoginStage::security, true, LoginStage::operational);
const LoginResponse to_full = response(LoginStage::operational, true, LoginStage::full_feature, 77);

} // namespace

TEST_CASE("login without authentication: security stage, operational stage, parameters") {
    LoginExchange login(settings(), 0, {});
    auto step = login.begin();
    REQUIRE(step.kind == Kind::send);
    CHECK(step.request.current_stage == LoginStage::security);
    CHECK(step.request.transit);
    CHECK(value(step, "InitiatorName") == "iqn.i");
    CHECK(value(step, "TargetName") == "iqn.t");
    CHECK(value(step, "SessionType") == "Normal");
    CHECK(value(step, "AuthMethod") == "None");
    step = answer_with(login, to_operational, {{"AuthMethod", "None"}});
    REQUIRE(step.kind == Kind::send);
    CHECK(step.request.current_stage == LoginStage::operational);
    CHECK(value(step, "MaxBurstLength") == "1048576");
    // The target brings up a key of its own: answered, then done.
    step = answer_with(login, response(LoginStage::operational, false, LoginStage::operational),
                       {{"HeaderDigest", "CRC32C"},
                        {"MaxBurstLength", "65536"},
                        {"MaxOutstandingR2T", "4"},
                        {"MaxRecvDataSegmentLength", "16384"}});
    REQUIRE(step.kind == Kind::send);
    CHECK(value(step, "MaxOutstandingR2T") == "4");
    CHECK(value(step, "MaxRecvDataSegmentLength") == "(absent)"); // declared, wants no answer
    step = answer_with(login, to_full, {});
    REQUIRE(step.kind == Kind::done);
    CHECK(login.tsih() == 77);
    const OperationalParameters keys = login.result().parameters;
    CHECK(keys.header_digest_crc32c);
    CHECK_FALSE(keys.data_digest_crc32c);
    CHECK(keys.max_burst_length == 65536);
    CHECK(keys.max_outstanding_r2t == 4);
    CHECK(keys.max_recv_data_segment_length_target == 16384);
}

TEST_CASE("CHAP, one way and mutual") {
    for (const bool mutual : {false, true}) {
        LoginExchange login(settings(true, mutual), 0, {});
        auto step = login.begin();
        CHECK_FALSE(step.request.transit);
        CHECK(value(step, "AuthMethod") == "CHAP");
        const LoginResponse stay = response(LoginStage::security, false, LoginStage::security);
        step = answer_with(login, stay, {{"AuthMethod", "CHAP"}});
        CHECK(value(step, "CHAP_A") == "5");
        const std::vector<std::uint8_t> challenge{1, 2, 3, 4, 5, 6, 7, 8};
        step = answer_with(login, stay,
                           {{"CHAP_A", "5"}, {"CHAP_I", "9"}, {"CHAP_C", encode_binary_value(challenge)}});
        CHECK(value(step, "CHAP_N") == "user");
        CHECK(value(step, "CHAP_R") == encode_binary_value(chap_md5(9, "secret", challenge)));
        if (!mutual) {
            CHECK(value(step, "CHAP_C") == "(absent)");
            CHECK(answer_with(login, to_operational, {}).kind == Kind::send);
            continue;
        }
        const auto theirs = decode_binary_value(value(step, "CHAP_C"));
        std::uint64_t identifier = 0;
        REQUIRE(theirs);
        REQUIRE(parse_number(value(step, "CHAP_I"), identifier));
        LoginExchange liar = login;
        const auto proof = [&](std::string_view secret) {
            return encode_binary_value(chap_md5(static_cast<std::uint8_t>(identifier), secret, *theirs));
        };
        CHECK(answer_with(login, to_operational, {{"CHAP_N", "target"}, {"CHAP_R", proof("targetsecret")}})
                  .kind == Kind::send);
        CHECK(answer_with(liar, to_operational, {{"CHAP_N", "target"}, {"CHAP_R", proof("guess")}}).kind ==
              Kind::failed);
    }
}

TEST_CASE("a long offer goes in pieces of at most 8192 bytes, each but the last answered by nothing") {
    LoginSettings s = settings();
    for (int i = 0; i < 400; ++i)
        s.offers.push_back({"X-com.example.a-rather-long-name-of-a-key." + std::to_string(i), "1"});
    LoginExchange login(s, 0, {});
    login.begin();
    auto step = answer_with(login, to_operational, {{"AuthMethod", "None"}});
    LoginExchange hasty = login;
    CHECK(answer_with(hasty, to_full, {{"MaxBurstLength", "65536"}}).kind == Kind::failed);
    std::vector<std::byte> all;
    int pieces = 1;
    for (; step.request.continued && pieces < 10; ++pieces) {
        CHECK_FALSE(step.request.transit);
        CHECK(step.text.size() == 8192);
        CHECK(step.request.data_segment_length == 8192);
        all.insert(all.end(), step.text.begin(), step.text.end());
        step = answer_with(login, response(LoginStage::operational, false, LoginStage::security), {});
        REQUIRE(step.kind == Kind::send);
    }
    all.insert(all.end(), step.text.begin(), step.text.end());
    CHECK(pieces == 3);
    CHECK(step.request.transit);
    CHECK(parse_text(all) == s.offers);
    CHECK(answer_with(login, to_full, {}).kind == Kind::done);
}

TEST_CASE("refusals and nonsense end the login with a sentence") {
    const auto begun = [](bool chap = false) {
        LoginExchange login(settings(chap), 0, {});
        login.begin();
        return login;
    };
    LoginResponse refusal = response(LoginStage::security, false, LoginStage::security);
    refusal.status_class = 2;
    refusal.status_detail = 3;
    auto login = begun();
    auto step = answer_with(login, refusal, {});
    CHECK(step.kind == Kind::failed);
    CHECK(step.error == "no such target");
    refusal.status_class = 1;
    refusal.status_detail = 1;
    login = begun();
    CHECK(answer_with(login, refusal, {{"TargetAddress", "10.0.0.2:3260,1"}}).error ==
          "the target has moved temporarily to 10.0.0.2:3260,1");
    login = begun();
    CHECK(answer_with(login, to_operational, {{"AuthMethod", "CHAP"}}).kind == Kind::failed);
    login = begun(true);
    CHECK(answer_with(login, to_operational, {{"AuthMethod", "None"}}).kind == Kind::failed);
    login = begun();
    CHECK(answer_with(login, response(LoginStage::operational, true, LoginStage::full_feature), {}).kind ==
          Kind::failed); // for a stage we are not in
    login = begun();
    answer_with(login, to_operational, {});
    CHECK(answer_with(login, response(LoginStage::operational, true, LoginStage::full_feature, 0), {}).kind ==
          Kind::failed); // TSIH 0 at the end
    login = begun();
    answer_with(login, to_operational, {});
    CHECK(answer_with(login, to_full, {{"MaxRecvDataSegmentLength", "511"}}).kind == Kind::failed);
    login = begun();
    const std::string garbage = "NoEqualsSign";
    CHECK(login.on_response(to_operational, std::as_bytes(std::span(garbage.data(), garbage.size()))).kind ==
          Kind::failed);
    // A target that never comes to an end.
    login = begun();
    answer_with(login, to_operational, {});
    unsigned turns = 0;
    while (turns < 1000 &&
           answer_with(login, response(LoginStage::operational, false, LoginStage::operational), {}).kind ==
               Kind::send)
        ++turns;
    CHECK(turns < 100);
}

TEST_CASE("a text in several PDUs is asked for piece by piece") {
    LoginExchange login(settings(), 0, {});
    login.begin();
    LoginResponse part = response(LoginStage::security, false, LoginStage::security);
    part.continued = true;
    const auto text =
        build_text(std::vector<KeyValue>{{"AuthMethod", "None"}, {"TargetPortalGroupTag", "1"}});
    auto step = login.on_response(part, std::span(text).first(7));
    REQUIRE(step.kind == Kind::send);
    CHECK(step.text.empty());
    CHECK_FALSE(step.request.transit);
    step = login.on_response(to_operational, std::span(text).subspan(7));
    REQUIRE(step.kind == Kind::send);
    CHECK(step.request.current_stage == LoginStage::operational);
}

TEST_CASE("the command line: mistakes are named, keys are checked, defaults hold") {
    const auto parse = [](std::vector<const char *> arguments) {
        arguments.insert(arguments.begin(), "initiator");
        return parse_options(static_cast<int>(arguments.size()), arguments.data());
    };
    const char *url = "iscsi://h/iqn.x/0";
    const auto wrong = [&](std::vector<const char *> arguments, const char *part) {
        const ParsedOptions parsed = parse(std::move(arguments));
        CHECK_FALSE(parsed.options);
        CHECK(parsed.exit_code == 2);
        CHECK_THAT(parsed.text, Catch::Matchers::Contains(part));
    };
    wrong({}, "target is missing");
    wrong({url, "--block", "64kb"}, "--block");
    wrong({url, "--key", "MaxBurstLength=1"}, "MaxBurstLength");
    wrong({url, "--key", "nonsense"}, "NAME=VALUE");
    wrong({url, "--workload", "scan"}, "seq-read");
    wrong({url, "--depth", "0"}, "--depth");
    wrong({url, "--nagle", "--nodelay"}, "nagle");
    wrong({url, "--split", "64KiB,x"}, "\"x\"");
    wrong({url, "--apt-change", "50s:up"}, "rise");
    wrong({"iscsi://u%verysecret@h:x/iqn.x/0"}, "port");
    wrong({url, "--frobnicate"}, "frobnicate");
    CHECK(parse({"iscsi://u%verysecret@h:x/iqn.x/0"}).text.find("verysecret") == std::string::npos);
    wrong({"iscsi://u%same@h/iqn.x/0", "--mutual", "t%same"}, "differ");
    wrong({"iscsi://u%elevenbytes@h/iqn.x/0"}, "11 octets");
    wrong({"iscsi://u%twelve_bytes@h/iqn.x/0", "--mutual", "t%elevenbytes"}, "11 octets");
    wrong({url, "--mutual", "t%twelve_bytes"}, "needs --chap");
    wrong({url, "--chap", "u:twelve_bytes"}, "everybody");
    wrong({url, "--chap", "env:ISCSISCOPE_NO_SUCH_VARIABLE"}, "ISCSISCOPE_NO_SUCH_VARIABLE");
    wrong({url, "--key", "MaxRecvDataSegmentLength=511"}, "MaxRecvDataSegmentLength");
    ::setenv("ISCSISCOPE_TEST_CHAP", "joe:twelve_bytes", 1);
    ::setenv("ISCSISCOPE_TEST_MUTUAL", "tgt:another_secret", 1);
    const ParsedOptions account =
        parse({url, "--chap", "env:ISCSISCOPE_TEST_CHAP", "--mutual", "env:ISCSISCOPE_TEST_MUTUAL"});
    REQUIRE(account.options);
    CHECK(account.options->targets[0].user == "joe");
    CHECK(account.options->targets[0].secret == "twelve_bytes");
    CHECK(account.options->target_secret == "another_secret");
    const ParsedOptions help = parse({"--help"});
    CHECK(help.exit_code == 0);
    CHECK_THAT(help.text, Catch::Matchers::Contains("--workload"));

    const ParsedOptions good = parse({url, "--digests", "--key", "MaxBurstLength=16384", "--key", "X-com.x=1",
                                      "--split", "127.5KiB", "--window", "1MiB", "--connections", "4"});
    REQUIRE(good.options);
    CHECK(good.options->duration == std::chrono::seconds(10));
    CHECK(good.options->split == std::vector<std::uint64_t>{130560});
    CHECK(good.options->socket.window_clamp == 1048576U);
    CHECK(good.options->socket.receive_buffer == 2097152U);
    const auto keys = keys_to_offer(*good.options);
    const auto value_of = [&](const char *key) { return *find_value(keys, key); };
    CHECK(value_of("HeaderDigest") == "CRC32C");
    CHECK(value_of("MaxBurstLength") == "16384");
    CHECK(value_of("FirstBurstLength") == "16384"); // never above MaxBurstLength
    CHECK(value_of("MaxConnections") == "4");
    CHECK(value_of("X-com.x") == "1");
}
