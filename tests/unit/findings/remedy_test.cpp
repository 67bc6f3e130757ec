// SPDX-License-Identifier: GPL-2.0-or-later
// Remedies: what they ask for, beside what the logins put in force.
#include "catch.h"

#include "analyzer/findings/facts/fact_collector.h"
#include "analyzer/findings/rules/rule.h"
#include "made_facts.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

// Makes the last connection's login put these keys in force.
void put_in_force(Facts &f, std::initializer_list<std::pair<const char *, const char *>> keys) {
    std::vector<NegotiatedKey> list;
    for (const auto &[key, value] : keys) {
        NegotiatedKey &k = list.emplace_back();
        k.key = key;
        k.in_force = value;
    }
    Login login;
    login.accepted = true;
    login.session_type = "Normal";
    login.keys.keys = SharedKeys(list);
    f.connections.back().record.login = login;
}

ModelInput small_writes() {
    ModelInput m;
    m.type = TaskType::write;
    m.block = 16384;
    m.keys_known = ParameterSet::all();
    m.keys.max_recv_data_segment_length_target = 65536;
    return m;
}

std::string remedy(const Facts &f, FindingKind kind) {
    const FindingsResult r = found(f);
    const Finding *finding = r.find(kind);
    return finding != nullptr ? finding->remedy : std::string();
}

bool holds(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a remedy names the values that the logins put in force") {
    Facts f = one_connection();
    wait(f, waits::r2t_chain, 8ms, 40);
    CHECK_FALSE(holds(remedy(f, FindingKind::r2t_ping_pong), "In force"));
    put_in_force(f, {{"MaxBurstLength", "65536"}, {"MaxOutstandingR2T", "1"}});
    CHECK(holds(remedy(f, FindingKind::r2t_ping_pong),
                " In force: MaxBurstLength=65536, MaxOutstandingR2T=1."));
    f.connections.push_back(f.connections[0]);
    put_in_force(f, {{"MaxBurstLength", "262144"}});
    CHECK(holds(remedy(f, FindingKind::r2t_ping_pong), "MaxBurstLength=262144 or 65536"));
}

TEST_CASE("immediate data: what is in force already is not asked for") {
    Facts f = one_connection();
    wait(f, waits::r2t_single, 8ms, 40);
    f.models.push_back(small_writes());
    f.models[0].keys.immediate_data = false;
    CHECK(holds(remedy(f, FindingKind::no_unsolicited_data), "Set ImmediateData=Yes at both ends"));
    f.models[0].keys.immediate_data = true;
    f.models[0].keys.max_recv_data_segment_length_target = 8192;
    CHECK(
        holds(remedy(f, FindingKind::no_unsolicited_data), "Set InitialR2T=No, or MaxRecvDataSegmentLength"));
    f.models[0].keys.initial_r2t = false;
    f.models[0].keys.first_burst_length = 8192;
    CHECK(
        holds(remedy(f, FindingKind::no_unsolicited_data), "Set FirstBurstLength to 16 KiB or more at both"));
}

TEST_CASE("an unsupported inquiry without further sense information is no error") {
    Facts f = one_connection();
    f.senses[0x050000].count = 6;
    CHECK(found(f).find(FindingKind::command_errors) == nullptr);
    f.senses[0x050000].of_transfers = 1;
    CHECK(found(f).find(FindingKind::command_errors) != nullptr);
}

TEST_CASE("Reads that fail without sense data are errors") {
    Facts f = one_connection();
    f.others_without_sense = 2; // commands of a scan
    CHECK(found(f).find(FindingKind::command_errors) == nullptr);
    f.transfers_without_sense = {3, 3, 40, 0};
    const FindingsResult r = found(f);
    const Finding *errors = r.find(FindingKind::command_errors);
    REQUIRE(errors != nullptr);
    CHECK(errors->severity == Severity::problem);
    CHECK(errors->sentence.starts_with("3 "));
    CHECK(holds(errors->sentence, "without sense data, "));
    CHECK(errors->evidence.at(0).frame == 40);
    CHECK(holds(errors->remedy, "target's log"));
    FindingsInput cut; // the sense data may have been that of a UNIT ATTENTION
    cut.facts = &f;
    cut.capture.coverage.cut_bytes = 1000;
    const FindingsResult of_cut = find_causes(cut);
    REQUIRE(of_cut.find(FindingKind::command_errors) != nullptr);
    CHECK(of_cut.find(FindingKind::command_errors)->severity == Severity::notice);
    CHECK(holds(of_cut.find(FindingKind::command_errors)->sentence, "that the capture cuts off"));
    f.senses[0x031100] = {2, 2, 30, 0};
    CHECK(holds(found(f).find(FindingKind::command_errors)->sentence, "; 3 without sense data."));
}

TEST_CASE("CHECK CONDITION without sense data is counted apart") {
    FactCollector facts;
    CycleRecord r = task(TaskType::control); // a command of the scan, on another LUN
    r.outcome = TaskOutcome::check_condition;
    r.status_frame = 30;
    facts.on(r);
    r = task(TaskType::read); // by its flags; whether it is a Read, its cut CDB does not say
    r.opcode.reset();
    r.outcome = TaskOutcome::check_condition;
    r.status_frame = 35;
    facts.on(r);
    r.opcode = 0x28;
    r.status_frame = 40;
    r.lun = 7;
    facts.on(r);
    r.status_frame = 50;
    r.sense = 0x031100;
    facts.on(r);
    r.sense.reset();
    r.outcome = TaskOutcome::good;
    facts.on(r);
    const Facts taken = facts.take();
    CHECK(taken.others_without_sense == 2);
    CHECK(taken.transfers_without_sense.count == 1);
    CHECK(taken.transfers_without_sense.first_frame == 40);
    CHECK(taken.transfers_without_sense.lun == 7);
    REQUIRE(taken.senses.size() == 1);
    CHECK(taken.senses.begin()->second.count == 1);
}
