// SPDX-License-Identifier: GPL-2.0-or-later
// Codes, kinds, shares and places in words.
#include "analyzer/figures/tallies.h"
#include "analyzer/model/model.h"
#include "analyzer/tcp/stream/capture_position.h"
#include "analyzer/words/capture/capture_words.h"
#include "analyzer/words/kind_words.h"
#include "analyzer/words/model_words.h"
#include "analyzer/words/protocol_words.h"
#include "catch.h"

using namespace iscsiscope;

TEST_CASE("codes and kinds in words") {
    CHECK(command_words(0x28, std::nullopt) == "READ(10)");
    CHECK(command_words(0x9e, std::uint16_t{0x10}) == "READ CAPACITY(16)");
    CHECK(login_status_words(2, 1) == "authentication failure (class 2, detail 1)");
    CHECK(words(Bottleneck::path_rate) == "the rate of the path");
    CHECK(event_words(Opcode::task_management_request, 5) == "Task management: LOGICAL UNIT RESET");
    CHECK(link_type_words(113) == "Linux cooked (SLL)");
    CHECK(link_type_words(9999).empty());
    CHECK(port_words(3260) == "iSCSI's port");
    CHECK(words(ConnectionOutcome::logged_out) == "logged out");
}

TEST_CASE("what every scan of a host gets is told from what failed") {
    CHECK(of_every_scan(TaskType::control, 0x052000)); // INVALID COMMAND OPERATION CODE
    CHECK(of_every_scan(TaskType::control, 0x062900)); // POWER ON
    CHECK_FALSE(of_every_scan(TaskType::read, 0x062900));
    CHECK_FALSE(of_every_scan(TaskType::control, 0x031100));
    CHECK(of_every_scan(SenseTally{{2, 0, 7}, 0x063f0e}));
    CHECK_FALSE(of_every_scan(SenseTally{{2, 1, 7}, 0x063f0e})); // one of them was a Read
}

TEST_CASE("where a capture was taken is said as surely as its bounds allow") {
    CHECK(position_words({0.05, 0.0, 0.11}) == "at the initiator");
    CHECK(position_words({0.97, 0.9, 1.0}) == "at the target");
    CHECK(position_words({0.05, 0.0, 0.4}) == "at 0.05 of the way to the target (0.00 to 0.40)");
    CHECK(position_words({0.31, 0.28, 0.35}) == "at 0.31 of the way to the target (0.28 to 0.35)");
    CHECK(position_words({0.5, 0.5, 0.5}) == "at 0.50 of the way to the target"); // given by the user
    CHECK(position_words({0.03, 0.0, 1.0}) == "at a place that is not known");
    CHECK(position_words({0.5, 0.2, 0.9}) ==
          "at a place that is not known (0.20 to 0.90 of the way to the target)");
}
