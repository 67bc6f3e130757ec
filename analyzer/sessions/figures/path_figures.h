// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of paths over time: what came, went and changed its state (PathEvent); who held the reservation of
// a logical unit (UnitReservations); COMPARE AND WRITE, by which hosts lock blocks (CompareFigures).
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/figures/failover_figures.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// up: a login was accepted. down: a connection ended. refused: a login was. moved: the target redirected a
// login, or asked for a logout or dropped connections by an Async Message. unreachable: an attempt to connect
// failed. state: a port group's state was reported for the first time or anew. sense: commands ended with
// sense data of such a state. reservation: a host took, changed or gave up its rights to a logical unit.
#define ISCSISCOPE_PATH_EVENTS(X)                                                                            \
    X(up) X(down) X(refused) X(moved) X(unreachable) X(state) X(sense) X(reservation)
ISCSISCOPE_ENUM(PathEventKind, path_event_names, path_event_count, ISCSISCOPE_PATH_EVENTS)

struct PathEvent {
    Time time{};
    OptionalFrame frame{};
    PathEventKind kind{};
    std::optional<StreamId> stream{};
    std::optional<SessionId> session{};
    std::optional<std::uint64_t> lun{};
    Endpoint initiator{}, target{};
    std::string words{};                        // what happened, without the ends
    std::optional<ConnectionOutcome> outcome{}; // of down: how the connection ended
    std::optional<PortState> before{};          // of state: what was reported before; empty: nothing
};

// One step of a host towards the rights to a logical unit, or an answer that states them.
struct ReservationStep {
    Time time{};
    OptionalFrame frame{};
    SessionId session{};
    CycleId cycle{};
    std::string host{};                 // initiator name, or address without a login in the capture
    bool answer = false;                // of PERSISTENT RESERVE IN, to this host
    std::optional<ReserveOut> action{}; // empty: an answer, RESERVE(6 or 10) or RELEASE
    bool plain_reserve = false, plain_release = false; // RESERVE and RELEASE, 6 or 10
    std::uint64_t key = 0, new_key = 0;
    std::uint8_t type = 0;                 // and scope
    bool names_holder = false;             // of an answer
    std::vector<Registrant> registrants{}; // of an answer
    bool failed = false;                   // its command did not end well: nothing changed
};

// "iqn.a reserves with key 0xa1, Write Exclusive".
std::string step_words(const ReservationStep &);

struct ReservationHolder {
    std::string host; // empty: not known
    std::optional<std::uint64_t> key;
    std::optional<std::uint8_t> type; // empty: not known, or of RESERVE(6 or 10)
    OptionalFrame frame;              // that shows it
    bool by_answer = false;           // an answer states it: the reservation is older
};

struct ReservationConflict {
    Time time{};
    OptionalFrame command_frame, frame;
    std::string host; // whose command it was
};

struct UnitReservations {
    std::string target_name; // of a path to it
    std::uint64_t lun = 0;
    std::vector<ReservationStep> steps;         // by time; at most 256
    std::vector<ReservationConflict> conflicts; // the first 16
    std::uint64_t conflict_count = 0;

    // Who held the reservation at that time, as far as the steps show; nullopt: nobody, or it is not known.
    std::optional<ReservationHolder> holder(Time) const;
};

struct CompareFigures {
    std::string target_name;
    std::uint64_t lun = 0;
    std::uint64_t commands = 0, miscompares = 0, other_failures = 0;
    std::uint64_t hosts = 0; // initiators that sent them
    Duration longest{};      // response time
    OptionalFrame first_miscompare, longest_frame;
};

// What REPORT TARGET PORT GROUPS said of the group of the port that a session uses.
struct PathState {
    SessionId session;
    std::uint64_t lun = 0;
    std::uint16_t group = 0;
    PortState last{};
    std::optional<PortState> worst; // other than active/optimized, at any time; the last such
};

struct PathFigures {
    std::vector<PathEvent> events; // by time; at most 1,024
    std::uint64_t events_left_out = 0;
    std::vector<PathState> states;              // of sessions whose port group is known
    std::vector<UnitReservations> reservations; // logical units with a step or a conflict
    std::vector<CompareFigures> compares;       // logical units with a COMPARE AND WRITE
    std::vector<Failover> failovers;            // by time; at most 256
};

} // namespace iscsiscope
