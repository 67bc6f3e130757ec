// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps what happens to paths and to the rights to logical units, in order of time (PathFigures).
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/figures/path_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <map>
#include <utility>
#include <vector>

namespace iscsiscope {

class PathHistory final : public Takes<CycleRecord, LoginRecord, EventRecord, ReservationRecord,
                                       PortGroupsRecord, AttemptRecord, ConnectionRecord> {
public:
    static constexpr std::size_t max_events = 1024, max_steps = 256, max_units = 512, max_pending = 1024;

    explicit PathHistory(MemberTable &members) : members_(members) {}

    void on(const LoginRecord &) override;
    void on(const ConnectionRecord &) override;
    void on(const EventRecord &) override;
    void on(const AttemptRecord &) override;
    void on(const CycleRecord &) override;
    void on(const ReservationRecord &) override;
    void on(const PortGroupsRecord &) override;

    // LUN records of all sessions, as they are known in the end, join the paths to one logical unit.
    PathFigures take(const Luns &);

private:
    using SessionLun = std::pair<SessionId, std::uint64_t>;
    // What one session has of one LUN; joined by logical unit in the end.
    struct Raw {
        std::vector<ReservationStep> steps;
        std::vector<ReservationConflict> conflicts;
        std::vector<PortGroupsRecord> states;
        std::uint64_t conflict_count = 0;
        CompareFigures compares;
        std::size_t sense_event = no_event; // index of the event that counts the sense data under way
        std::uint32_t sense = 0;
        std::uint64_t sense_count = 0;
    };
    struct Unit; // the paths to one logical unit
    static constexpr std::size_t no_event = ~std::size_t{0};

    Raw *raw(SessionId session, std::uint64_t lun);
    void keep(PathEvent);
    void sense(const CycleRecord &, Raw &);
    static void compare(const CycleRecord &, CompareFigures &);

    MemberTable &members_;
    std::map<SessionLun, Raw> raw_;
    std::map<CycleId, SessionLun> pending_; // by cycle: PERSISTENT RESERVE OUT without its status yet
    std::vector<PathEvent> events_;
    std::uint64_t events_left_out_ = 0;
};

} // namespace iscsiscope
