// SPDX-License-Identifier: GPL-2.0-or-later
// Data of PERSISTENT RESERVE and of REPORT TARGET PORT GROUPS, whole and cut.
#include "analyzer/iscsi/scsi/access_data.h"
#include "analyzer/iscsi/scsi/inventory.h"
#include "bytes.h"
#include "catch.h"

using namespace iscsiscope;

namespace {

std::vector<std::byte> joined(std::initializer_list<std::vector<std::byte>> parts) {
    std::vector<std::byte> all;
    for (const auto &p : parts)
        all.insert(all.end(), p.begin(), p.end());
    return all;
}

const auto key_a1 = bytes({0, 0, 0, 0, 0, 0, 0, 0xa1});
const auto key_b2 = bytes({0, 0, 0, 0, 0, 0, 0, 0xb2});

} // namespace

TEST_CASE("the keys of PERSISTENT RESERVE OUT") {
    const auto list = joined({key_a1, key_b2, bytes({0, 0, 0, 0, 1, 0, 0, 0})});
    REQUIRE(parse_reserve_out(list));
    CHECK(parse_reserve_out(list)->key == 0xa1);
    CHECK(parse_reserve_out(list)->new_key == 0xb2);
    CHECK_FALSE(parse_reserve_out(std::span(list).first(15)));
}

TEST_CASE("answers to PERSISTENT RESERVE IN") {
    const auto keys = joined({bytes({0, 0, 0, 2, 0, 0, 0, 16}), key_a1, key_b2});
    REQUIRE(parse_reserve_in(0, keys));
    CHECK(*parse_reserve_in(0, keys) ==
          std::vector<Registrant>{{0xa1, false, std::nullopt, {}}, {0xb2, false, std::nullopt, {}}});
    CHECK(parse_reserve_in(0, std::span(keys).first(23))->size() == 1); // the second key is cut

    const auto held = joined({bytes({0, 0, 0, 2, 0, 0, 0, 16}), key_a1, bytes({0, 0, 0, 0, 0, 5, 0, 0})});
    REQUIRE(parse_reserve_in(1, held)->size() == 1);
    CHECK(parse_reserve_in(1, held)->front() == Registrant{0xa1, true, 5, {}});
    CHECK(reservation_type_name(5) == "Write Exclusive - Registrants Only");
    CHECK(reservation_type_name(0).empty());
    CHECK(parse_reserve_in(1, bytes({0, 0, 0, 2, 0, 0, 0, 0}))->empty()); // nobody holds one

    // READ FULL STATUS with an iSCSI TransportID: name, comma, ISID.
    auto id = bytes({0x45, 0, 0, 20});
    for (const char c : std::string("iqn.t:a,i,0x0001"))
        id.push_back(static_cast<std::byte>(c));
    id.resize(24);
    const auto full = joined({bytes({0, 0, 0, 2, 0, 0, 0, 48}), key_a1, bytes({0, 0, 0, 0, 1, 3, 0, 0}),
                              bytes({0, 0, 0, 1, 0, 0, 0, 24}), id});
    REQUIRE(parse_reserve_in(3, full));
    CHECK(parse_reserve_in(3, full)->at(0) == Registrant{0xa1, true, 3, "iqn.t:a"});
    CHECK_FALSE(parse_reserve_in(2, full)); // REPORT CAPABILITIES
    CHECK_FALSE(parse_reserve_in(0, std::span(full).first(7)));
}

TEST_CASE("target port groups, with both headers") {
    const auto group = [](int state, int id) {
        return bytes({state, 0x0f, 0, id, 0, 0, 0, 1, 0, 0, 0, 1}); // one port
    };
    const std::vector<PortGroup> both{{1, PortState::optimized, true}, {2, PortState::standby, false}};
    const auto plain = joined({bytes({0, 0, 0, 24}), group(0x80, 1), group(2, 2)});
    CHECK(*parse_port_groups(plain) == both);
    const auto extended = joined({bytes({0, 0, 0, 28, 0x10, 5, 0, 0}), group(0x80, 1), group(2, 2)});
    CHECK(*parse_port_groups(extended) == both);
    CHECK(parse_port_groups(std::span(plain).first(20))->size() == 1);
    CHECK_FALSE(parse_port_groups(std::span(plain).first(7)));
    CHECK(words(PortState::standby) == "standby");
    CHECK(words(static_cast<PortState>(9)) == "a reserved state");
}

TEST_CASE("the target port group of the port that answers") {
    const std::vector<Designator> page{{0, 3, false, "600140512345678"}, {1, 5, false, "00000002"}};
    CHECK(port_group_of(page) == 2);
    CHECK_FALSE(port_group_of(std::span(page).first(1)));
}
