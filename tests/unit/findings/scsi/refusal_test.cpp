// SPDX-License-Identifier: GPL-2.0-or-later
// What targets refuse: LUNs that are not there, pools that are full, changes again and again, commands that a
// target does not know; each with the case in which it is ordinary.
#include "catch.h"

#include "analyzer/findings/rules/rule.h"
#include "analyzer/findings/rules/sense_words.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_group.h"
#include "made_work.h"

#include <string>

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

using Kind = FindingKind;

} // namespace

TEST_CASE("groups of sense data") {
    CHECK(group_of(0x072707) == SenseGroup::space);
    CHECK(group_of(0x072700) == SenseGroup::other); // write protected
    CHECK(group_of(0x052500) == SenseGroup::lun_missing);
    CHECK(group_of(0x062500) == SenseGroup::lun_missing);
    CHECK(group_of(0x063807) == SenseGroup::space_warning);
    CHECK(group_of(0x062a09) == SenseGroup::configuration);
    CHECK(group_of(0x052a09) == SenseGroup::other);
    CHECK(group_of(0x062900) == SenseGroup::other);
    CHECK(group_of(0x0e1d00) == SenseGroup::miscompare);
    CHECK(group_of(0x050000 | sense_code_cut) == SenseGroup::other);
}

TEST_CASE("Reads of a LUN that is not there") {
    Work w;
    w.lists({0, 1});
    w.good(read10, 20);
    w.lun = 3;
    w.check(read10, no_such_lun, 20);
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::lun_missing);
    REQUIRE(f != nullptr);
    CHECK(f->severity == Severity::problem);
    CHECK(f->title == "LUN 3 is not mapped for this initiator");
    CHECK(f->sentence ==
          "20 Reads to LUN 3 ended with LOGICAL UNIT NOT SUPPORTED (05/25/00): the target has no such LUN "
          "for this initiator. REPORT LUNS lists LUN 0 and 1.");
    CHECK(figure(*f, "refused_for_lun") == 20);
    CHECK(r.find(Kind::command_errors) == nullptr); // it is said once
}

TEST_CASE("a LUN that goes away") {
    Work w;
    w.lun = 1;
    w.good(write10, 5);
    w.check(test_ready, no_such_lun);
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::lun_missing) != nullptr);
    CHECK(r.find(Kind::lun_missing)->severity == Severity::notice);
    CHECK(r.find(Kind::lun_missing)->title == "LUN 1 is no longer mapped for this initiator");
    CHECK(holds(r.find(Kind::lun_missing)->sentence, "any longer. It had answered 10.0 ms before."));
}

TEST_CASE("a LUN that is gone after a new login") {
    Work w;
    w.host_of(0, 10, 20);
    w.lun = 1;
    w.good(write10, 5);
    w.host_of(1, 10, 20);
    w.session = 1;
    w.check(write10, no_such_lun, 2);
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::lun_missing) != nullptr);
    CHECK(r.find(Kind::lun_missing)->title == "LUN 1 is no longer mapped for this initiator");
    CHECK(r.find(Kind::lun_missing)->severity == Severity::problem);
}

TEST_CASE("the only LUN that a session asks for is not there") {
    Work w;
    w.lun = 3;
    w.check(test_ready, no_such_lun);
    CHECK(w.result().find(Kind::lun_missing) != nullptr);
    Work by_inquiry;
    by_inquiry.lun = 3;
    by_inquiry.inquiry(0x7f);
    CHECK(by_inquiry.result().find(Kind::lun_missing) != nullptr);
    Work scan; // cut off behind its first question
    scan.inquiry(0x7f);
    CHECK(scan.result().find(Kind::lun_missing) == nullptr);
}

TEST_CASE("a scan asks for LUNs that are not there") {
    Work w;
    w.good(read10, 5);
    for (std::uint64_t lun = 1; lun < 8; ++lun) {
        w.lun = lun;
        w.check(inquiry_code, no_such_lun);
        w.check(test_ready, no_such_lun);
        w.inquiry(0x7f);
    }
    const FindingsResult r = w.result();
    CHECK(r.find(Kind::lun_missing) == nullptr);
    CHECK(why_not(r, Kind::lun_missing) ==
          "14 commands of a device scan asked for a LUN that is not there, as scans do");
    CHECK(r.find(Kind::command_errors) == nullptr);
    // What asks on for longer takes the LUN for one of its own.
    w.step = 5s;
    w.check(test_ready, no_such_lun, 6);
    CHECK(w.result().find(Kind::lun_missing) != nullptr);
}

TEST_CASE("a login that reaches no LUN") {
    Work w;
    w.inquiry(0x7f);
    w.lists({0});
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::lun_missing);
    REQUIRE(f != nullptr);
    CHECK(f->title == "No LUN is mapped for this initiator");
    CHECK(holds(f->sentence,
                "REPORT LUNS lists LUN 0 only, and INQUIRY of LUN 0 says that no device is there (qualifier "
                "3)."));
    SECTION("a controller is no medium") {
        Work only;
        only.inquiry(0x0c);
        only.lists({0});
        CHECK(holds(only.result().find(Kind::lun_missing)->sentence, "a controller without a medium"));
    }
    SECTION("another LUN has a device") {
        w.lun = 1;
        w.inquiry(0x00);
        CHECK(w.result().find(Kind::lun_missing) == nullptr);
    }
    SECTION("REPORT LUNS lists a LUN of which nothing else is known") {
        w.lists({0, 1});
        CHECK(w.result().find(Kind::lun_missing) == nullptr);
    }
    SECTION("the list is cut") {
        w.lists({0}, false);
        CHECK(w.result().find(Kind::lun_missing) == nullptr);
    }
    SECTION("the list is empty") {
        Work none;
        none.lists({});
        CHECK(holds(none.result().find(Kind::lun_missing)->sentence, "REPORT LUNS lists no LUN."));
    }
}

TEST_CASE("Reads of an unlisted LUN that fail without sense data") {
    Work w;
    w.lists({0});
    w.lun = 5;
    for (int i = 0; i < 3; ++i)
        w.command(read10, TaskOutcome::check_condition);
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::lun_missing) != nullptr);
    CHECK(holds(r.find(Kind::lun_missing)->sentence, "CHECK CONDITION, whose reason the capture lacks"));
    w.lists({0, 5});
    CHECK(w.result().find(Kind::lun_missing) == nullptr);
}

TEST_CASE("a pool that is full") {
    Work w;
    w.good(read10, 70);
    w.check(write10, no_space, 30);
    w.good(write10, 5);
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::space_exhausted);
    REQUIRE(f != nullptr);
    CHECK(f->severity == Severity::problem);
    CHECK(f->title == "The pool behind LUN 0 is full (thin provisioning)");
    CHECK(holds(f->sentence, "30 Writes to LUN 0 ended with SPACE ALLOCATION FAILED WRITE PROTECT "
                             "(07/27/07), the first at LBA 1,000, over 290 ms"));
    CHECK(holds(f->sentence, "75 other commands"));
    CHECK_FALSE(holds(f->remedy, "write protected"));
    CHECK(r.find(Kind::command_errors) == nullptr);
}

TEST_CASE("a full pool in a capture of answers alone") {
    Facts f = one_connection();
    f.senses[no_space] = {4, 0, 30, 0};
    const FindingsResult r = found(f);
    REQUIRE(r.find(Kind::space_exhausted) != nullptr);
    CHECK(holds(r.find(Kind::space_exhausted)->sentence,
                "4 commands ended with SPACE ALLOCATION FAILED WRITE PROTECT (07/27/07)"));
    CHECK_FALSE(r.find(Kind::space_exhausted)->lun.has_value());
}

TEST_CASE("a pool that is nearly full, and a LUN that is write protected") {
    Work w;
    w.good(write10, 5);
    w.check(write10, threshold);
    const FindingsResult warned = w.result();
    REQUIRE(warned.find(Kind::space_exhausted) != nullptr);
    CHECK(warned.find(Kind::space_exhausted)->severity == Severity::notice);
    Work locked;
    locked.check(write10, 0x072700, 3);
    const FindingsResult r = locked.result();
    CHECK(r.find(Kind::space_exhausted) == nullptr);
    CHECK(why_not(r, Kind::space_exhausted) == "no command ended for lack of space behind a thin LUN");
    CHECK(holds(r.find(Kind::command_errors)->remedy, "it is write protected"));
}

TEST_CASE("changes again and again") {
    Work w;
    for (int i = 0; i < 20; ++i) {
        w.good(read10, 5);
        w.check(read10, i % 2 == 0 ? resized : lun_list);
    }
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::config_changes);
    REQUIRE(f != nullptr);
    CHECK(holds(f->sentence,
                "(10 of the capacity, 10 of the list of mapped LUNs), one every 60.0 ms over 1.14 s."));
    CHECK(r.find(Kind::command_errors) == nullptr);
}

TEST_CASE("one change is ordinary") {
    Work w;
    for (std::uint64_t lun = 0; lun < 9; ++lun) { // each LUN reports it, twice with its correction
        w.lun = lun;
        w.check(read10, resized, 2);
        w.good(read10, 3);
    }
    const FindingsResult r = w.result();
    CHECK(r.find(Kind::config_changes) == nullptr);
    CHECK(why_not(r, Kind::config_changes) ==
          "18 reports of a changed LUN, none of them a third time for the same: ordinary");
    CHECK(r.find(Kind::command_errors) == nullptr);
}

TEST_CASE("discards that a target refuses again and again") {
    Work w;
    w.good(read10, 20);
    w.check(write_same, bad_field, 3); // tried, then done without
    CHECK(w.result().find(Kind::command_errors) == nullptr);
    w.asked = 0;
    w.lun = 1;
    w.check(write_same, bad_field, 20);
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::command_errors);
    REQUIRE(f != nullptr);
    CHECK(f->title == "WRITE SAME(16) commands fail with ILLEGAL REQUEST");
    CHECK(holds(f->sentence, "20 WRITE SAME(16) ended with CHECK CONDITION"));
    CHECK(holds(f->sentence, "their expected data transfer length is 0"));
    CHECK(holds(f->remedy, "NDOB"));
}

TEST_CASE("discards that fail without sense data in the capture") {
    Work w;
    w.good(read10, 20);
    w.facts().others_without_sense = 8;
    for (int i = 0; i < 8; ++i)
        w.command(write_same, TaskOutcome::check_condition);
    const FindingsResult r = w.result();
    const Finding *f = r.find(Kind::command_errors);
    REQUIRE(f != nullptr);
    CHECK(f->title == "WRITE SAME(16) commands fail");
    CHECK(f->sentence == "8 WRITE SAME(16) ended with CHECK CONDITION without sense data, first on LUN 0.");
    CHECK(holds(f->remedy, "Turn discards off"));
}

TEST_CASE("errors come before the UNIT ATTENTIONs of several sessions") {
    Work w;
    for (int i = 0; i < 9; ++i) {
        w.session = static_cast<std::uint64_t>(i);
        w.check(read10, 0x062900);
        w.good(read10, 3);
    }
    w.check(read10, 0x031100, 2);
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::command_errors) != nullptr);
    CHECK(r.find(Kind::command_errors)->title == "Commands fail with MEDIUM ERROR");
    CHECK(holds(r.find(Kind::command_errors)->sentence,
                "2 Reads and Writes ended with CHECK CONDITION with MEDIUM ERROR "
                "(UNRECOVERED READ ERROR), first on LUN 0, LBA 1,000."));
}

TEST_CASE("resets that interrupt I/O again and again") {
    Work w;
    for (int i = 0; i < 5; ++i) {
        w.good(read10, 9);
        w.check(read10, 0x062900);
    }
    const FindingsResult r = w.result();
    REQUIRE(r.find(Kind::command_errors) != nullptr);
    CHECK(r.find(Kind::command_errors)->title == "UNIT ATTENTION interrupts I/O again and again");
    CHECK(holds(r.find(Kind::command_errors)->remedy, "who resets the unit"));
    w.facts().events[{Opcode::task_management_request, std::uint8_t{5}}].count = 5; // LUN RESET
    CHECK(w.result().find(Kind::command_errors) == nullptr);
    Work login; // the first command of each session
    for (int i = 0; i < 5; ++i) {
        login.session = static_cast<std::uint64_t>(i);
        login.check(read10, 0x062900);
        login.good(read10, 9);
    }
    CHECK(login.result().find(Kind::command_errors) == nullptr);
}

TEST_CASE("a comparison that fails is an error, unless it takes a lock") {
    Work w;
    w.check(0x2f, 0x0e1d00, 2); // VERIFY(10)
    REQUIRE(w.result().find(Kind::command_errors) != nullptr);
    CHECK(holds(w.result().find(Kind::command_errors)->remedy, "backup"));
    Work lock;
    lock.check(0x89, 0x0e1d00, 2); // COMPARE AND WRITE
    CHECK(lock.result().find(Kind::command_errors) == nullptr);
}

TEST_CASE("a Reject is named by its reason") {
    Facts f = one_connection();
    f.outcomes[static_cast<std::size_t>(TaskOutcome::rejected)] = {2, 2, 30, 31, 1ms};
    f.events[{Opcode::reject, std::uint8_t{4}}].count = 2;
    const FindingsResult r = found(f);
    REQUIRE(r.find(Kind::command_errors) != nullptr);
    CHECK(holds(r.find(Kind::command_errors)->sentence,
                "The target rejected 2 commands (reason protocol error)."));
    CHECK_FALSE(holds(r.find(Kind::command_errors)->remedy, "sense data"));
}

TEST_CASE("remedies by sense data, operation code and state") {
    const auto remedy = [](std::uint32_t sense, std::uint8_t opcode = 0x28) {
        return std::string(remedy_of({sense, opcode, {}}));
    };
    CHECK(holds(remedy(0x020401), "starting"));
    CHECK(holds(remedy(0x020402), "sg_start"));
    CHECK(holds(remedy(0x020403), "online"));
    CHECK(holds(remedy(0x020414), "free space"));
    CHECK(remedy(0x020404) != remedy(0x020405));
    CHECK(holds(remedy(0x031100), "medium fails"));
    CHECK(holds(remedy(0x043e01), "failed"));
    CHECK(holds(remedy(0x052100), "sizes of LUN"));
    CHECK(holds(remedy(0x052000, 0x42), "discards")); // UNMAP
    CHECK(holds(remedy(0x052000, 0x83), "HardwareAcceleratedMove"));
    CHECK(holds(remedy(0x052002), "right"));
    CHECK(holds(remedy(0x072700), "write protected"));
    CHECK(holds(remedy(0x072702), "SWP"));
    CHECK(holds(remedy(0x0b4705), "checksum"));
    CHECK(holds(remedy(0x0b0c0d), "FirstBurstLength"));
    CHECK(holds(remedy(0x070000 | sense_code_cut), "that is cut"));
    CHECK(sense_digits(0x052500) == "05/25/00");
    CHECK(sense_digits(0x050000 | sense_code_cut) == "05/…");
    for (std::uint32_t key = 0; key < 16; ++key) {
        CHECK_FALSE(remedy(key << 16).empty());
        CHECK_FALSE(remedy(key << 16 | sense_code_cut).empty());
    }
}
