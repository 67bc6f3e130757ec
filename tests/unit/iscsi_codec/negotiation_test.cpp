// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/negotiation.h"
#include "catch.h"

#include <algorithm>

using namespace iscsiscope;

namespace {

std::string in_force(const NegotiationResult &r, std::string_view key) {
    const auto k = r.find(key);
    return k ? k->in_force : "(none)";
}

} // namespace

TEST_CASE("Nothing said: the defaults of RFC 7143") {
    const auto r = Negotiation().result();
    CHECK(r.parameters == OperationalParameters{});
    CHECK(in_force(r, "MaxBurstLength") == "262144");
    CHECK(in_force(r, "InitialR2T") == "Yes");
    CHECK(r.find("MaxBurstLength")->origin == ValueOrigin::default_value);
    CHECK_FALSE(r.find("InitiatorName"));
}

// open-iscsi's offer and LIO's answer: LIO leaves out MaxConnections, ErrorRecoveryLevel and the ordering
// keys when the offer settles them.
TEST_CASE("A target that leaves settled keys out of its answer") {
    Negotiation n;
    for (const auto &[key, value] : std::initializer_list<KeyValue>{{"InitiatorName", "iqn.i"},
                                                                    {"HeaderDigest", "CRC32C,None"},
                                                                    {"DataDigest", "None"},
                                                                    {"DefaultTime2Wait", "2"},
                                                                    {"DefaultTime2Retain", "0"},
                                                                    {"IFMarker", "No"},
                                                                    {"OFMarker", "No"},
                                                                    {"ErrorRecoveryLevel", "0"},
                                                                    {"InitialR2T", "No"},
                                                                    {"ImmediateData", "No"},
                                                                    {"MaxBurstLength", "16776192"},
                                                                    {"FirstBurstLength", "262144"},
                                                                    {"MaxOutstandingR2T", "1"},
                                                                    {"MaxConnections", "1"},
                                                                    {"DataPDUInOrder", "Yes"},
                                                                    {"DataSequenceInOrder", "Yes"},
                                                                    {"MaxRecvDataSegmentLength", "262144"}})
        n.add(Party::initiator, key, value);
    for (const auto &[key, value] : std::initializer_list<KeyValue>{{"TargetPortalGroupTag", "1"},
                                                                    {"HeaderDigest", "CRC32C"},
                                                                    {"DataDigest", "None"},
                                                                    {"InitialR2T", "No"},
                                                                    {"MaxBurstLength", "262144"},
                                                                    {"MaxRecvDataSegmentLength", "8192"}})
        n.add(Party::target, key, value);
    const auto r = n.result();
    const auto &p = r.parameters;
    CHECK(p.header_digest_crc32c);
    CHECK_FALSE(p.data_digest_crc32c);
    CHECK_FALSE(p.initial_r2t);
    CHECK_FALSE(p.immediate_data); // settled by the offer
    CHECK(r.find("ImmediateData")->origin == ValueOrigin::derived);
    CHECK_FALSE(r.find("ImmediateData")->target.has_value());
    CHECK(p.data_pdu_in_order);
    CHECK(p.max_burst_length == 262144);
    CHECK(p.first_burst_length == 65536); // unanswered: with the default
    CHECK(p.default_time2retain == 0);
    CHECK(p.max_connections == 1);
    CHECK(p.max_recv_data_segment_length_initiator == 262144);
    CHECK(p.max_recv_data_segment_length_target == 8192);
    CHECK(in_force(r, "TargetPortalGroupTag") == "1");
    CHECK(r.find("HeaderDigest")->origin == ValueOrigin::negotiated);
    CHECK(*r.find("HeaderDigest")->initiator == "CRC32C,None");
}

TEST_CASE("What missing text may have said is not known") {
    const TextSeen answer_cut{true, false, true}, offer_cut{false, true, true}, both_cut{false, false, true};
    Negotiation n;
    CHECK(n.result().known == ParameterSet::all());
    CHECK(n.result(both_cut).known == ParameterSet{});
    CHECK(in_force(n.result(both_cut), "MaxBurstLength").empty());
    CHECK(n.result(both_cut).find("MaxBurstLength")->origin == ValueOrigin::unknown);
    CHECK(in_force(n.result(both_cut), "SessionType").empty());

    n.add(Party::initiator, "MaxBurstLength", "262144");
    n.add(Party::initiator, "InitialR2T", "Yes");
    n.add(Party::initiator, "ImmediateData", "Yes");
    n.add(Party::initiator, "MaxRecvDataSegmentLength", "65536");
    n.add(Party::initiator, "MaxOutstandingR2T", "4");
    n.add(Party::target, "MaxOutstandingR2T", "1");
    n.add(Party::target, "DataDigest", "None");
    // The answer may have been cut: known is what was exchanged, what the offer settles, what an end
    // declared.
    for (const TextSeen seen : {answer_cut, both_cut}) {
        const auto r = n.result(seen);
        CHECK(in_force(r, "MaxBurstLength").empty());
        CHECK(r.find("MaxBurstLength")->origin == ValueOrigin::unknown);
        CHECK_FALSE(r.known.has(Parameter::max_burst_length));
        CHECK_FALSE(r.known.has(Parameter::immediate_data));
        CHECK_FALSE(r.known.has(Parameter::first_burst_length));
        CHECK(r.known.has(Parameter::initial_r2t));
        CHECK(in_force(r, "InitialR2T") == "Yes");
        CHECK(r.known.has(Parameter::max_outstanding_r2t));
        CHECK(r.parameters.max_outstanding_r2t == 1);
        CHECK(r.known.has(Parameter::max_recv_initiator));
        CHECK_FALSE(r.known.has(Parameter::max_recv_target));
        CHECK(r.find("MaxRecvDataSegmentLength")->in_force == "65536");
        CHECK(r.find("MaxRecvDataSegmentLength")->in_force_target.empty());
    }
    CHECK(n.result(both_cut).known.has(Parameter::data_digest)); // the target chooses
    // The offer cut, the answer whole: it leaves MaxBurstLength out, by rule.
    const auto r = n.result(offer_cut);
    CHECK(in_force(r, "MaxBurstLength") == "262144");
    CHECK(r.find("MaxBurstLength")->origin == ValueOrigin::derived);
    CHECK(r.known.has(Parameter::max_recv_target));
    CHECK(r.find("MaxRecvDataSegmentLength")->in_force_target == "8192");
    CHECK_FALSE(r.known.has(Parameter::first_burst_length));
}

TEST_CASE("A further connection's login takes the session's keys from the first") {
    Negotiation first, further;
    first.add(Party::initiator, "MaxBurstLength", "65536");
    first.add(Party::target, "MaxBurstLength", "65536");
    further.add(Party::initiator, "MaxRecvDataSegmentLength", "4096");
    NegotiationResult r = further.result({true, true, false});
    CHECK_FALSE(r.known.has(Parameter::max_burst_length));
    CHECK_FALSE(r.known.has(Parameter::initial_r2t));
    CHECK(r.known.has(Parameter::header_digest)); // the connection's own: nothing said, None
    CHECK(r.known.has(Parameter::max_recv_target));
    r.inherit(first.result());
    CHECK(r.known == ParameterSet::all());
    CHECK(r.parameters.max_burst_length == 65536);
    CHECK(r.parameters.max_recv_data_segment_length_initiator == 4096);
}

TEST_CASE("Each end declares its own MaxRecvDataSegmentLength") {
    Negotiation n;
    n.add(Party::initiator, "MaxRecvDataSegmentLength", "262144");
    CHECK(n.result().find("MaxRecvDataSegmentLength")->in_force_target == "8192"); // not named: the default
    n.add(Party::target, "MaxRecvDataSegmentLength", "131072");
    const auto r = n.result();
    CHECK(r.find("MaxRecvDataSegmentLength")->in_force == "262144");
    CHECK(r.find("MaxRecvDataSegmentLength")->in_force_target == "131072");
    CHECK(r.parameters.max_recv_data_segment_length_target == 131072);
}

TEST_CASE("Result functions") {
    const auto result = [](std::string_view key, std::string_view a, std::string_view b) {
        return combine(*find_rule(key), a, b);
    };
    CHECK(result("MaxBurstLength", "0x100000", "65536") == "65536");
    CHECK(result("DefaultTime2Wait", "2", "5") == "5");
    CHECK(result("InitialR2T", "No", "No") == "No");
    CHECK(result("InitialR2T", "No", "Yes") == "Yes");
    CHECK(result("ImmediateData", "Yes", "Yes") == "Yes");
    CHECK(result("ImmediateData", "Yes", "No") == "No");
    CHECK(result("HeaderDigest", "CRC32C,None", "None") == "None");
    CHECK(result("HeaderDigest", "None,CRC32C", "CRC32C,None") == "None"); // the offerer's order
    CHECK(result("HeaderDigest", "None", "CRC32C") == "");                 // never offered
    CHECK(result("ImmediateData", "yes", "Yes") == "");
    CHECK(result("MaxBurstLength", "many", "65536") == "");
}

TEST_CASE("The target may be the one who offers") {
    Negotiation n;
    n.add(Party::target, "DataDigest", "CRC32C,None");
    n.add(Party::initiator, "DataDigest", "CRC32C");
    const auto r = n.result();
    CHECK(r.parameters.data_digest_crc32c);
    CHECK(r.find("DataDigest")->offered_by == Party::target);
}

TEST_CASE("Refused offers leave the default in force") {
    for (const auto *refusal : {"Reject", "Irrelevant", "NotUnderstood"}) {
        Negotiation n;
        n.add(Party::initiator, "FirstBurstLength", "262144");
        n.add(Party::target, "FirstBurstLength", refusal);
        n.add(Party::initiator, "DataDigest", "CRC32C");
        n.add(Party::target, "DataDigest", refusal);
        n.add(Party::initiator, "X-com.example.key", "1");
        n.add(Party::target, "X-com.example.key", refusal);
        const auto r = n.result();
        CHECK(r.parameters == OperationalParameters{});
        CHECK(r.find("FirstBurstLength")->origin == ValueOrigin::default_value);
        CHECK(*r.find("FirstBurstLength")->target == refusal);
        CHECK(in_force(r, "X-com.example.key").empty());
    }
}

TEST_CASE("FirstBurstLength never exceeds MaxBurstLength") {
    Negotiation n;
    for (const Party party : {Party::initiator, Party::target}) {
        n.add(party, "FirstBurstLength", "262144");
        n.add(party, "MaxBurstLength", "65536");
    }
    const auto r = n.result();
    CHECK(r.parameters.first_burst_length == 65536);
    CHECK(in_force(r, "FirstBurstLength") == "65536");
}

TEST_CASE("A later negotiation starts from what is in force") {
    Negotiation n;
    n.add(Party::initiator, "MaxRecvDataSegmentLength", "65536");
    n.add(Party::target, "ErrorRecoveryLevel", "2");
    n.add(Party::initiator, "ErrorRecoveryLevel", "1");
    Negotiation later(n.result().parameters);
    later.add(Party::initiator, "MaxRecvDataSegmentLength", "131072");
    const auto r = later.result();
    CHECK(r.parameters.max_recv_data_segment_length_initiator == 131072);
    CHECK(r.parameters.max_recv_data_segment_length_target == 8192);
    CHECK(r.parameters.error_recovery_level == 1);
    CHECK(in_force(r, "ErrorRecoveryLevel") == "1");
}

TEST_CASE("Values that cannot be are not put in force") {
    Negotiation n;
    for (const Party party : {Party::initiator, Party::target}) {
        n.add(party, "MaxBurstLength", "0");
        n.add(party, "MaxRecvDataSegmentLength", "99999999999");
        n.add(party, "InitialR2T", "Maybe");
    }
    CHECK(n.result().parameters == OperationalParameters{});
}

TEST_CASE("Many foreign keys are bounded, keys of the RFC are still taken") {
    Negotiation n;
    for (int i = 0; i < 5000; ++i)
        n.add(Party::initiator, "X-" + std::to_string(i), "1");
    n.add(Party::initiator, "ImmediateData", "No");
    const auto r = n.result();
    CHECK(r.keys.size() < 400);
    CHECK_FALSE(r.parameters.immediate_data);
}

TEST_CASE("The responder's answers") {
    CHECK(answer("MaxBurstLength", "16776192", "262144") == "262144");
    CHECK(answer("MaxBurstLength", "100", "262144") == "Reject"); // below 512
    CHECK(answer("InitialR2T", "No", "No") == "No");
    CHECK(answer("InitialR2T", "No", "Yes") == "Yes");
    CHECK(answer("HeaderDigest", "CRC32C,None", "None") == "None");
    CHECK(answer("HeaderDigest", "CRC32C,None", "None,CRC32C") == "CRC32C");
    CHECK(answer("HeaderDigest", "CRC32C", "None") == "Reject");
    CHECK(answer("MaxRecvDataSegmentLength", "8192", "8192") == std::nullopt);
    CHECK(answer("X-what", "1", "") == "NotUnderstood");
    CHECK(answer_is_optional("InitialR2T", "Yes"));
    CHECK(answer_is_optional("ImmediateData", "No"));
    CHECK_FALSE(answer_is_optional("ImmediateData", "Yes"));
    CHECK_FALSE(answer_is_optional("MaxBurstLength", "512"));
}

TEST_CASE("Offer, answer, and both ends' own result agree") {
    OperationalParameters wish;
    wish.header_digest_crc32c = true;
    wish.max_burst_length = 1048576;
    wish.initial_r2t = false;
    wish.max_recv_data_segment_length_initiator = 262144;
    OperationalParameters target;
    target.max_burst_length = 524288;
    target.initial_r2t = false;
    target.header_digest_crc32c = true;
    target.max_recv_data_segment_length_target = 65536;
    Negotiation n;
    for (const auto &offer : offer_keys(wish, Party::initiator)) {
        n.add(Party::initiator, offer.key, offer.value);
        if (const auto reply =
                answer(offer.key, offer.value, parameter_text(target, Party::target, offer.key)))
            n.add(Party::target, offer.key, *reply);
    }
    n.add(Party::target, "MaxRecvDataSegmentLength", "65536");
    const auto p = n.result().parameters;
    CHECK(p.header_digest_crc32c);
    CHECK(p.max_burst_length == 524288);
    CHECK_FALSE(p.initial_r2t);
    CHECK(p.max_recv_data_segment_length_initiator == 262144);
    CHECK(p.max_recv_data_segment_length_target == 65536);
}

TEST_CASE("Connections that agreed on the same keys hold them once") {
    const auto with = [](std::string_view burst) {
        Negotiation n;
        n.add(Party::initiator, "MaxBurstLength", burst);
        n.add(Party::target, "MaxBurstLength", burst);
        return n.result().keys;
    };
    KeyPool pool;
    SharedKeys first = with("65536"), other = with("131072"), second = with("65536");
    for (SharedKeys *keys : {&first, &other, &second})
        pool.share(*keys);
    for (std::size_t i = 0; i < first.size(); ++i) {
        CHECK(second.shares(first, i));
        CHECK(other.shares(first, i) == (other[i] == first[i]));
    }
    CHECK(std::ranges::equal(other, with("131072")));
    CHECK(std::ranges::equal(second, with("65536")));
    // Of lists that differ in some keys only those are held apart.
    Negotiation n;
    n.add(Party::initiator, "InitiatorName", "iqn.test:a");
    SharedKeys named = n.result().keys;
    pool.share(named);
    n.add(Party::initiator, "InitiatorName", "iqn.test:b");
    SharedKeys renamed = n.result().keys;
    const SharedKeys before = renamed;
    pool.share(renamed);
    CHECK(std::ranges::equal(renamed, before));
    std::size_t common = 0;
    for (std::size_t i = 0; i < renamed.size(); ++i)
        common += renamed.shares(named, i) ? 1 : 0;
    CHECK(common == renamed.size() - 1);
    SharedKeys none;
    pool.share(none);
    CHECK(none.empty());
}
