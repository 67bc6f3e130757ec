// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/inventory.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/other_commands.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"
#include "analyzer/iscsi/scsi/status.h"
#include "bytes.h"
#include "catch.h"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

using namespace iscsiscope;
using namespace std::string_view_literals;

namespace {

using Group = CommandGroup;
constexpr auto in = DataDirection::from_target;
constexpr auto out = DataDirection::to_target;
constexpr auto nothing = DataDirection::none;

struct Case {
    std::vector<std::byte> cdb;
    std::string_view name;
    CommandGroup group;
    DataDirection direction;
    std::optional<std::uint64_t> lba{}, blocks{};
};

// Zeros up to the length of a CDB on the wire.
std::vector<std::byte> cdb(std::initializer_list<int> values, std::size_t size = 16) {
    auto b = bytes(values);
    b.resize(size);
    return b;
}

} // namespace

TEST_CASE("Commands by their CDB") {
    const Case cases[] = {
        {cdb({0x08, 0x1f, 0xff, 0xfe, 0, 0}), "READ(6)", Group::read, in, 0x1ffffe, 256},
        {cdb({0x0a, 0xe0, 0, 5, 7, 0}), "WRITE(6)", Group::write, out, 5, 7}, // old LUN bits
        {cdb({0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0x01, 0x02, 0}), "READ(10)", Group::read, in, 0x12345678,
         0x0102},
        {cdb({0x28, 0, 0, 0, 0, 9, 0, 0, 0, 0}), "READ(10)", Group::read, in, 9, 0},
        {cdb({0x2a, 0, 0, 0, 0, 1, 0, 0, 8, 0}), "WRITE(10)", Group::write, out, 1, 8},
        {cdb({0xa8, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0}), "READ(12)", Group::read, in, 1, 65536},
        {cdb({0xaa, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0}), "WRITE(12)", Group::write, out, 1, 2},
        {cdb({0x88, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 0}), "READ(16)", Group::read, in,
         0x0100000000000002, 1024},
        {cdb({0x8a, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 0}), "WRITE(16)", Group::write, out, 2, 1024},
        {cdb({0x7f, 0, 0, 0, 0, 0, 0, 0x18, 0, 9, 0, 0, 0, 0, 0, 1,
              0,    0, 0, 2, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 3},
             32),
         "READ(32)", Group::read, in, 0x100000002, 3},
        {cdb({0x7f, 0, 0, 0, 0, 0, 0, 0x18, 0, 0x0b, 0, 0, 0, 0, 0, 0,
              0,    0, 0, 2, 0, 0, 0, 0,    0, 0,    0, 0, 0, 0, 0, 3},
             32),
         "WRITE(32)", Group::write, out, 2, 3},
        {cdb({0x2e, 0, 0, 0, 0, 1, 0, 0, 8, 0}), "WRITE AND VERIFY(10)", Group::write, out, 1, 8},
        {cdb({0xae}), "WRITE AND VERIFY(12)", Group::write, out, 0, 0},
        {cdb({0x8e}), "WRITE AND VERIFY(16)", Group::write, out, 0, 0},
        {cdb({0x9c, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0}), "WRITE ATOMIC(16)", Group::write, out, 2,
         256},
        {cdb({0x89, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0}), "COMPARE AND WRITE",
         Group::compare_and_write, out, 2, 1},
        {cdb({0x8b}), "ORWRITE(16)", Group::compare_and_write, out, 0, 0},
        {cdb({0x2f, 0, 0, 0, 0, 1, 0, 0, 8, 0}), "VERIFY(10)", Group::verify, nothing, 1, 8},
        {cdb({0x2f, 2, 0, 0, 0, 1, 0, 0, 8, 0}), "VERIFY(10)", Group::verify, out, 1, 8},
        {cdb({0x34, 0, 0, 0, 0, 1, 0, 0, 8, 0}), "PRE-FETCH(10)", Group::verify, nothing, 1, 8},
        {cdb({0x41, 8, 0, 0, 0, 1, 0, 0, 8, 0}), "WRITE SAME(10)", Group::zero, out, 1, 8},
        {cdb({0x93, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 8, 0}), "WRITE SAME(16)", Group::zero, nothing, 1, 2048},
        {cdb({0x42}), "UNMAP", Group::zero, out},
        {cdb({0x9e, 0x12, 0, 0, 0, 0, 0, 0, 0, 5}), "GET LBA STATUS", Group::zero, in, 5},
        {cdb({0x83, 0x00}), "EXTENDED COPY(LID1)", Group::copy, out},
        {cdb({0x83, 0x10}), "POPULATE TOKEN", Group::copy, out},
        {cdb({0x83, 0x11}), "WRITE USING TOKEN", Group::copy, out},
        {cdb({0x83, 0x1f}), "EXTENDED COPY", Group::copy, out},
        {cdb({0x84, 0x07}), "RECEIVE ROD TOKEN INFORMATION", Group::copy, in},
        {cdb({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "SYNCHRONIZE CACHE(10)", Group::flush, nothing, 0, 0},
        {cdb({0x91}), "SYNCHRONIZE CACHE(16)", Group::flush, nothing, 0, 0},
        {cdb({0x1b}), "START STOP UNIT", Group::flush, nothing},
        {cdb({0x00}), "TEST UNIT READY", Group::inventory, nothing},
        {cdb({0x12, 1, 0x83, 0, 0xff}), "INQUIRY", Group::inventory, in},
        {cdb({0x25}), "READ CAPACITY(10)", Group::inventory, in},
        {cdb({0x9e, 0x10}), "READ CAPACITY(16)", Group::inventory, in},
        {cdb({0xa0}), "REPORT LUNS", Group::inventory, in},
        {cdb({0x1a}), "MODE SENSE(6)", Group::inventory, in},
        {cdb({0xa3, 0x0a}), "REPORT TARGET PORT GROUPS", Group::paths_and_locks, in},
        {cdb({0xa3, 0x0c}), "REPORT SUPPORTED OPERATION CODES", Group::paths_and_locks, in},
        {cdb({0xa4, 0x0a}), "SET TARGET PORT GROUPS", Group::paths_and_locks, out},
        {cdb({0x5e}), "PERSISTENT RESERVE IN", Group::paths_and_locks, in},
        {cdb({0x5f, 1}), "PERSISTENT RESERVE OUT", Group::paths_and_locks, out},
        {cdb({0x16}), "RESERVE(6)", Group::paths_and_locks, nothing},
        {cdb({0x48, 2}), "SANITIZE", Group::other, DataDirection::unknown},
        {cdb({0x85}), "ATA PASS-THROUGH(16)", Group::other, DataDirection::unknown},
        {cdb({0xee}), "unknown", Group::other, DataDirection::unknown},
        {cdb({0x7f, 0, 0, 0, 0, 0, 0, 0x18, 0x77, 0x77}, 32), "unknown", Group::other,
         DataDirection::unknown},
    };
    for (const auto &c : cases) {
        CAPTURE(c.name);
        const auto info = parse_cdb(c.cdb);
        CHECK(info.name == c.name);
        CHECK(info.known == (c.name != "unknown"));
        CHECK(info.group == c.group);
        CHECK(info.direction == c.direction);
        CHECK(info.lba == c.lba);
        CHECK(info.blocks == c.blocks);
    }
}

TEST_CASE("Flags and lengths in CDBs") {
    CHECK(parse_cdb(cdb({0x28, 0x08})).fua);
    CHECK_FALSE(parse_cdb(cdb({0x28, 0x10})).fua);
    CHECK_FALSE(parse_cdb(cdb({0x08, 0x08})).fua); // an LBA bit there
    CHECK_FALSE(parse_cdb(cdb({0x2e, 0x0a})).fua);
    CHECK(parse_cdb(cdb({0x93, 0x08})).unmap);
    CHECK_FALSE(parse_cdb(cdb({0x41, 0x01})).no_data_out); // no NDOB in the short form
    const auto inquiry = parse_cdb(cdb({0x12, 1, 0x80, 0x01, 0x02, 0}));
    CHECK(inquiry.vital_product_data);
    CHECK(inquiry.page_code == 0x80);
    CHECK(inquiry.allocation_length == 0x0102u);
    CHECK(parse_cdb(cdb({0xa0, 0, 0, 0, 0, 0, 0, 1, 0, 0})).allocation_length == 65536u);
    CHECK(parse_cdb(cdb({0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32})).allocation_length == 32u);
}

TEST_CASE("CDBs that are too short are known by name only") {
    CHECK(parse_cdb({}).known == false);
    const auto whole = cdb({0x28, 0, 0, 0, 0, 9, 0, 0, 1, 0}, 10);
    for (std::size_t n = 1; n < 10; ++n) {
        const auto info = parse_cdb(std::span<const std::byte>(whole).first(n));
        CHECK(info.name == "READ(10)");
        CHECK_FALSE(info.lba.has_value());
    }
    CHECK(parse_cdb(whole).lba == 9u);
    const auto variable = cdb({0x7f, 0, 0, 0, 0, 0, 0, 0x18, 0, 9}, 16); // extended CDB not there
    CHECK(parse_cdb(variable).name == "READ(32)");
    CHECK_FALSE(parse_cdb(variable).blocks.has_value());
    CHECK_FALSE(parse_cdb(std::span<const std::byte>(variable).first(9)).known);
}

TEST_CASE("Tape commands share codes with disks") {
    const auto space = cdb({0x11, 0, 0, 0, 1});
    CHECK(parse_cdb(space).name == "SPACE(6)"); // no disk has it
    const auto position = cdb({0x34, 0, 0, 0, 0, 1, 0, 0, 8, 0});
    CHECK(parse_cdb(position).name == "PRE-FETCH(10)");
    CHECK(parse_cdb(position, DeviceType::tape).name == "READ POSITION");
    const auto read = parse_cdb(cdb({0x08, 1, 0, 0, 20}), DeviceType::tape);
    CHECK(read.group == Group::read);
    CHECK(read.blocks == 20u);
    CHECK_FALSE(read.lba.has_value());
    CHECK_FALSE(parse_cdb(cdb({0x08, 0, 0, 0, 20}), DeviceType::tape).blocks.has_value()); // in bytes
    CHECK(parse_cdb(cdb({0x12}), DeviceType::tape).name == "INQUIRY");
}

TEST_CASE("Commands of other devices, and obsolete ones") {
    CHECK(parse_cdb(cdb({0x42})).name == "UNMAP");
    CHECK(parse_cdb(cdb({0x42}), DeviceType::cd).name == "READ SUB-CHANNEL");
    CHECK(parse_cdb(cdb({0x42}), DeviceType::cd).group == Group::other);
    CHECK(parse_cdb(cdb({0x2b}), DeviceType::changer).name == "POSITION TO ELEMENT");
    CHECK(parse_cdb(cdb({0x28}), DeviceType::cd).name == "READ(10)");
    CHECK(parse_cdb(cdb({0xa5})).name == "MOVE MEDIUM");
    CHECK(parse_cdb(cdb({0x01})).name == "REWIND");
    CHECK(parse_cdb(cdb({0x01}), DeviceType::disk).name == "REZERO UNIT");
    CHECK(parse_cdb(cdb({0x95, 0x00})).name == "REPORT ZONES");
    CHECK(parse_cdb(cdb({0x95, 0x1e})).name == "ZBC IN");
    CHECK(parse_cdb(cdb({0x9e, 0x16, 0, 0, 0, 0, 0, 0, 0, 5})).name == "GET STREAM STATUS");
    CHECK(parse_cdb(cdb({0x9e, 0x16, 0, 0, 0, 0, 0, 0, 0, 5})).direction == in); // of its operation code
    const auto pass_through = cdb({0x7f, 0, 0, 0, 0, 0, 0, 0x18, 0x1f, 0xf0}, 32);
    CHECK(parse_cdb(pass_through).name == "ATA PASS-THROUGH(32)");
    const auto codes = scsi_detail::other_commands();
    for (std::size_t i = 1; i < codes.size(); ++i) {
        const auto &a = codes[i - 1], &b = codes[i];
        CAPTURE(b.name);
        CHECK(std::tie(a.opcode, a.action) <= std::tie(b.opcode, b.action));
        for (std::size_t k = 0; k < i; ++k)
            CHECK(std::tie(codes[k].opcode, codes[k].action, codes[k].device) !=
                  std::tie(b.opcode, b.action, b.device));
    }
}

TEST_CASE("Operation codes of T10 have a name") {
    // Not assigned, or of vendors.
    const std::string_view unnamed = "\x02\x06\x09\x0c\x0d\x0e\x1f\x20\x21\x22\x26\x27\x4f\x97\x98\x99"sv;
    for (int opcode = 0; opcode < 0xc0; ++opcode) {
        if (opcode >= 0x60 && opcode <= 0x7d)
            continue; // reserved
        CAPTURE(opcode);
        bool named = opcode == 0x7f; // by its service action
        for (const auto type :
             {DeviceType::disk, DeviceType::tape, DeviceType::cd, DeviceType::changer, DeviceType::unknown})
            named = named || parse_cdb(cdb({opcode}), type).known;
        CHECK(named == (unnamed.find(static_cast<char>(opcode)) == std::string_view::npos));
    }
}

TEST_CASE("Additional sense codes of T10") {
    std::vector<SenseCode> codes;
    for (const auto &part : sense_codes())
        codes.insert(codes.end(), part.begin(), part.end());
    CHECK(codes.size() == 767);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        CAPTURE(codes[i].name);
        CHECK(codes[i].first <= codes[i].last);
        CHECK_FALSE(codes[i].name.empty());
        if (i > 0) // sorted, and none twice
            CHECK(std::tie(codes[i - 1].asc, codes[i - 1].last) < std::tie(codes[i].asc, codes[i].first));
    }
    CHECK(sense_code_name(0x25, 0x00) == "LOGICAL UNIT NOT SUPPORTED");
    CHECK(sense_code_name(0x38, 0x07) == "THIN PROVISIONING SOFT THRESHOLD REACHED");
    CHECK(sense_code_name(0x0c, 0x12) == "WRITE ERROR - INSUFFICIENT ZONE RESOURCES");
    // The qualifier is a number.
    CHECK(sense_code_name(0x40, 0x00) == "RAM FAILURE (SHOULD USE 40 NN)");
    CHECK(sense_code_name(0x40, 0x93) == "DIAGNOSTIC FAILURE ON COMPONENT");
    CHECK(sense_code_name(0x4d, 0x17) == "TAGGED OVERLAPPED COMMANDS");
    CHECK(sense_code_name(0x25, 0x80).empty()); // of a vendor
}

TEST_CASE("Sense data") {
    const auto fixed = bytes({0xf0, 0, 3, 0, 0, 0x12, 0x34, 10, 0, 0, 0, 0, 0x11, 0x00, 0, 0, 0, 0});
    const auto f = parse_sense(fixed);
    REQUIRE(f);
    CHECK(f->key == 3);
    CHECK(sense_key_name(f->key) == "MEDIUM ERROR");
    CHECK(sense_code_name(f->asc, f->ascq) == "UNRECOVERED READ ERROR");
    CHECK(f->information == 0x1234u);
    CHECK_FALSE(f->deferred);
    CHECK_FALSE(parse_sense(bytes({0x70, 0, 3, 0, 0, 0x12, 0x34, 10}))->information.has_value()); // not valid
    CHECK(parse_sense(bytes({0x71, 0, 6}))->deferred);
    // The additional length ends before the code.
    CHECK(parse_sense(bytes({0x70, 0, 6, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0x29, 0x01}))->asc == 0);

    // Cut: the key stands in the first bytes, the code may be among those that are not there.
    for (const std::size_t there : {3U, 8U, 12U, 13U}) {
        const auto cut = parse_sense(std::span<const std::byte>(fixed).first(there), fixed.size());
        REQUIRE(cut);
        CHECK(cut->key == 3);
        CHECK_FALSE(cut->code_known);
        CHECK(packed(*cut) == (0x030000 | sense_code_cut));
    }
    CHECK(packed(*parse_sense(std::span<const std::byte>(fixed).first(14), fixed.size())) == 0x031100);
    // Not cut but short: the target sent no code.
    CHECK(packed(*parse_sense(bytes({0x70, 0, 6, 0, 0, 0, 0, 4, 0, 0, 0, 0}), 18)) == 0x060000);

    const auto descriptor =
        bytes({0x72, 5, 0x20, 0x00, 0, 0, 0, 12, 0x00, 0x0a, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 2});
    const auto d = parse_sense(descriptor);
    REQUIRE(d);
    CHECK(d->descriptor_format);
    CHECK(d->key == 5);
    CHECK(sense_code_name(d->asc, d->ascq) == "INVALID COMMAND OPERATION CODE");
    CHECK(d->information == 0x100000002u);
    for (std::size_t n = 0; n < descriptor.size(); ++n)
        (void)parse_sense(std::span<const std::byte>(descriptor).first(n)); // sanitizers watch
    CHECK(packed(*parse_sense(std::span<const std::byte>(descriptor).first(3), 20)) ==
          (0x050000 | sense_code_cut));
    CHECK_FALSE(parse_sense(bytes({0x00, 0, 0, 0})));
    CHECK_FALSE(parse_sense(bytes({0x70, 0})));

    const auto segment = bytes({0, 18}) + fixed + bytes({0, 0});
    CHECK(sense_of_response(segment).size() == 18);
    CHECK(sense_of_response(bytes({0, 18, 0x70})).size() == 1);
    CHECK(sense_of_response(bytes({0})).empty());
    CHECK(packed(*parse_response_sense(segment, segment.size())) == 0x031100);
    CHECK_FALSE(
        parse_response_sense(std::span<const std::byte>(segment).first(10), segment.size())->code_known);
    CHECK_FALSE(parse_response_sense(std::span<const std::byte>(segment).first(1), segment.size()));
    CHECK(sense_code_name(0xff, 0xff).empty());
    CHECK(name(ScsiStatus::task_set_full) == "TASK SET FULL");
    CHECK(name(static_cast<ScsiStatus>(0x77)) == "unknown");
}

TEST_CASE("Inventory") {
    CHECK(parse_read_capacity_10(bytes({0, 0, 0xff, 0xff, 0, 0, 2, 0}))->last_lba == 65535);
    CHECK(parse_read_capacity_10(bytes({0, 0, 0xff, 0xff, 0, 0, 2, 0}))->block_length == 512);
    CHECK_FALSE(parse_read_capacity_10(bytes({0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0}))); // ask the long one
    CHECK_FALSE(parse_read_capacity_10(bytes({0, 0, 0xff, 0xff, 0, 0, 0, 0})));
    CHECK_FALSE(parse_read_capacity_10(bytes({0, 0, 0xff, 0xff, 0, 0, 2})));
    CHECK(parse_read_capacity_16(bytes({0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x10, 0}))->last_lba == 0x100000000);

    const auto inquiry = bytes({0, 0, 6, 2, 31, 0, 0, 0}) + bytes("LIO-ORG disk\x01           4.0 "sv);
    const auto i = parse_inquiry(inquiry);
    REQUIRE(i);
    CHECK(i->vendor == "LIO-ORG");
    CHECK(i->product == R"(disk\x01)");
    CHECK(i->revision == "4.0");
    CHECK(i->device_type == DeviceType::disk);
    CHECK(parse_inquiry(bytes({0x61}))->device_type == DeviceType::tape);
    CHECK(parse_inquiry(bytes({0x61}))->qualifier == 3);
    CHECK_FALSE(parse_inquiry({}));

    CHECK(parse_unit_serial_number(bytes({0, 0x80, 0, 6}) + bytes(" AB12 "sv)) == "AB12");
    CHECK(parse_unit_serial_number(bytes({0, 0x80, 0, 60}) + bytes("AB"sv)) == "AB"); // cut
    CHECK_FALSE(parse_unit_serial_number(bytes({0, 0x83, 0, 0})));

    const auto page = bytes({0, 0x83, 0, 24, 2, 1, 0, 4}) + bytes("LIO1"sv) + bytes({1, 3, 0, 8}) +
                      bytes({0x60, 1, 0x40, 5, 0, 0, 0, 9}) + bytes({1, 0x94, 0, 4});
    const auto list = parse_device_identification(page);
    REQUIRE(list);
    REQUIRE(list->size() == 2); // the third does not fit
    CHECK((*list)[0] == Designator{0, 1, true, "LIO1"});
    CHECK((*list)[1] == Designator{0, 3, false, "6001400500000009"});
    CHECK(best_identity(*list) == "naa.6001400500000009");
    CHECK(best_identity({}).empty());

    const auto luns = parse_report_luns(
        bytes({0, 0, 0, 16, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x41, 0, 0, 0, 0, 0, 0, 0}));
    REQUIRE(luns);
    CHECK(luns->luns.size() == 2);
    CHECK(luns->whole);
    CHECK(lun_number(luns->luns[1]) == 256u);
    CHECK(parse_report_luns(bytes({0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1}))->luns.empty());
    CHECK_FALSE(parse_report_luns(bytes({0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1}))->whole);
    CHECK_FALSE(parse_report_luns(bytes({0, 0, 0, 8})));
}

TEST_CASE("Logical unit numbers") {
    CHECK(to_string(Lun{0}) == "0");
    CHECK(to_string(Lun{0x0005000000000000}) == "5");
    CHECK(to_string(Lun{0x4105000000000000}) == "261");
    CHECK(to_string(Lun{0xd200010000000000}) == "256");
    CHECK(to_string(Lun{0xc101000000000000}) == "0xc101000000000000");
    CHECK(to_string(Lun{0x0005000100000000}) == "0x0005000100000000");
    for (const unsigned n : {0u, 1u, 255u, 256u, 16383u})
        CHECK(lun_number(make_lun(static_cast<std::uint16_t>(n))) == n);
}
