// SPDX-License-Identifier: GPL-2.0-or-later
// The four headline numbers and the sentence on outcomes, of made-up records.
#include "analyzer/words/headline.h"
#include "analyzer/words/outcome_sentence.h"
#include "analyzer/words/share_words.h"
#include "analyzer/words/verdict_words.h"
#include "catch.h"
#include "report/synthetic.h"

using namespace iscsiscope;

namespace {

// Ten good Reads of 8 KiB, one at a time.
Collector ten_reads() {
    Collector collector;
    synthetic::feed(collector);
    return collector;
}

CycleRecord failed_control(std::uint64_t number, std::uint32_t sense) {
    CycleRecord r = synthetic::read_cycle(number, 950, 20);
    r.type = TaskType::control;
    r.opcode = std::uint8_t{0xa3};
    r.outcome = TaskOutcome::check_condition;
    r.status = std::uint8_t{2};
    r.sense = sense;
    return r;
}

OutcomeSentence sentence(Collector &collector) {
    return outcome_sentence(collector.take(synthetic::summary()));
}

} // namespace

TEST_CASE("four headline numbers in their order") {
    Collector collector = ten_reads();
    const auto numbers = headline(collector.take(synthetic::summary()));
    REQUIRE(numbers.size() == 4);
    CHECK(numbers[0].name == "Throughput");
    CHECK(numbers[0].detail.starts_with("while reading"));
    CHECK(numbers[0].value.ends_with("MB/s"));
    CHECK(numbers[1].name == "Response time");
    CHECK(numbers[1].detail.find("median of reads, p99") == 0);
    CHECK(numbers[2].name == "In flight");
    CHECK(numbers[2].value == "1");
    CHECK(numbers[2].detail == "read of 8 KiB on average while reading; at most 1");
    CHECK(numbers[3].name == "Busy time");
}

TEST_CASE("headline of a report without tasks states that nothing is known") {
    Collector collector;
    for (const HeadlineNumber &n : headline(collector.take(synthetic::summary())))
        CHECK(n.value == "-");
}

TEST_CASE("outcomes: data that are missing or damaged are no success, whatever the status says") {
    for (const FindingKind kind :
         {FindingKind::short_data, FindingKind::digest_error, FindingKind::queue_depth}) {
        Collector collector = ten_reads();
        Report r = collector.take(synthetic::summary());
        r.findings.emplace();
        r.findings->findings.emplace_back().kind = kind;
        const bool doubtful = kind != FindingKind::queue_depth;
        const OutcomeSentence s = outcome_sentence(r);
        CHECK(s.harmless != doubtful);
        CHECK(s.text == (doubtful
                             ? "No command failed by its status, but data are missing or damaged (see the "
                               "findings)."
                             : "All 10 commands succeeded."));
    }
}

TEST_CASE("outcomes: what every scan has is harmless, what failed is named") {
    Collector good = ten_reads();
    CHECK(sentence(good).text == "All 10 commands succeeded.");

    Collector scan = ten_reads();
    scan.on(failed_control(10, 0x052000));
    const OutcomeSentence unsupported = sentence(scan);
    CHECK(unsupported.text == "All I/O succeeded; 1 scan command is not supported (harmless).");
    CHECK(unsupported.harmless);

    Collector attention = ten_reads();
    attention.on(failed_control(10, 0x062900));
    CHECK(sentence(attention).text ==
          "All I/O succeeded; 1 command got UNIT ATTENTION as after a login (harmless).");

    Collector other = ten_reads();
    other.on(failed_control(10, 0x030000)); // MEDIUM ERROR
    other.on(failed_control(11, 0x052000));
    const OutcomeSentence trouble = sentence(other);
    CHECK(trouble.text == "All I/O succeeded; 1 scan command is not supported (harmless); 1 other command "
                          "failed: 1 CHECK CONDITION.");
    CHECK_FALSE(trouble.harmless);

    Collector busy = ten_reads();
    CycleRecord refused = synthetic::read_cycle(10, 950, 20);
    refused.outcome = TaskOutcome::busy;
    busy.on(refused);
    busy.on(failed_control(11, 0x052000));
    CHECK(sentence(busy).text ==
          "1 of 11 reads and writes failed: 1 BUSY; 1 scan command is not supported (harmless).");

    Collector failing = ten_reads(); // a Read with the sense data of a scan failed all the same
    CycleRecord read = synthetic::read_cycle(10, 950, 20);
    read.outcome = TaskOutcome::check_condition;
    read.sense = 0x052400;
    failing.on(read);
    CHECK(sentence(failing).text == "1 of 11 reads and writes failed: 1 CHECK CONDITION.");

    Collector answers = ten_reads();
    CycleRecord no_command = synthetic::read_cycle(10, 950, 20);
    no_command.outcome = TaskOutcome::no_command;
    answers.on(no_command);
    answers.on(failed_control(11, 0x052000));
    CHECK(sentence(answers).text.starts_with("All I/O that was seen succeeded; "));

    Collector open = ten_reads();
    CycleRecord unanswered = synthetic::read_cycle(10, 950, 20);
    unanswered.outcome = TaskOutcome::unanswered;
    open.on(unanswered);
    const OutcomeSentence missing = sentence(open);
    CHECK(missing.text == "1 command has no answer in the capture.");
    CHECK_FALSE(missing.harmless);
}

TEST_CASE("rough shares have two or three digits and never round up to the whole") {
    CHECK(rough_share(0.4567) == "46 %");
    CHECK(rough_share(0.0345) == "3.5 %");
    CHECK(rough_share(0.9962) == "99.6 %");
    CHECK(rough_share(1) == "100.0 %");
    CHECK(rough_share(0.0001) == "<0.1 %");
}

TEST_CASE("a session takes the names of a login that was refused") {
    Collector collector = ten_reads();
    SessionRecord session;
    session.session = 7;
    collector.on(session);
    ConnectionRecord connection;
    connection.session = 7;
    connection.stream = 7;
    connection.initiator_name = "iqn.1993-08.org.debian:01";
    connection.target_name = "iqn.2003-01.org.linux-iscsi:disk";
    collector.on(connection);
    const Report r = collector.take(synthetic::summary());
    CHECK(r.sessions.at(7).initiator_name == connection.initiator_name);
    CHECK(r.sessions.at(7).target_name == connection.target_name);
}

TEST_CASE("the verdict calls transfer of data by its name") {
    Collector collector = ten_reads();
    Report r = collector.take(synthetic::summary());
    r.findings.emplace();
    CaptureVerdict v;
    v.certainty = VerdictCertainty::certain;
    v.owner = Owner::network;
    v.busy = Duration{1000};
    v.transfer = Duration{640};
    CHECK(verdict_words(r, v).ends_with(
        "Most of the busy time goes to the network (most of it is the transfer of the data)."));
    v.transfer = Duration{50};
    CHECK(verdict_words(r, v).ends_with("goes to the network (distance, queues, resends)."));
}
