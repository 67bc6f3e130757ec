// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/refusals.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/base/saturating.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_group.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

constexpr std::uint8_t test_unit_ready = 0x00, unit_attention = 0x06;

// Hosts that a unit keeps waiting ask again within seconds; dm-multipath and ESXi give up after 60 s at most
// (Linux: the transition timeout of scsi_dh_alua). A longer pause is that of a host without work.
constexpr Duration longest_pause = std::chrono::seconds(60);

bool is_refusal(TaskOutcome o) {
    return o == TaskOutcome::check_condition || o == TaskOutcome::busy || o == TaskOutcome::task_set_full ||
           o == TaskOutcome::reservation_conflict;
}

// True for commands that only a unit answers well that serves its medium: INQUIRY, REPORT LUNS and their like
// end well in every state (SPC-4 table 39).
bool needs_unit(const CycleRecord &r) {
    return r.type != TaskType::control || (r.opcode && *r.opcode == test_unit_ready);
}

// True if both are of one cause: the same sense data, or several that say the same.
bool same_cause(const Standstill &s, const CycleRecord &r) {
    if (s.outcome != r.outcome || s.sense.has_value() != r.sense.has_value())
        return false;
    return s.sense == r.sense ||
           (group_of(*s.sense) == group_of(*r.sense) && group_of(*r.sense) != SenseGroup::other);
}

} // namespace

void Refusals::add(const CycleRecord &r) {
    merge({1, r.type != TaskType::control ? 1U : 0U, r.end, r.end, r.command_frame, r.status_frame,
           r.status_frame, r.stream, r.lba, r.bytes_expected, r.response_time.value_or(Duration{})});
}

void Refusals::merge(const Refusals &o) {
    if (o.count == 0)
        return;
    if (count == 0 || o.first < first) {
        first_command = o.first_command;
        first_frame = o.first_frame;
        stream = o.stream;
        lba = o.lba;
        asked_bytes = o.asked_bytes;
    }
    if (o.last >= last)
        last_frame = o.last_frame;
    first = std::min(first, o.first);
    last = std::max(last, o.last);
    count += o.count;
    of_transfers += o.of_transfers;
    add_saturated(response, o.response);
}

void UnitSight::work(const CycleRecord &r) {
    ++worked;
    first_worked = std::min(first_worked, r.end);
    if (r.end >= last_worked) {
        last_worked = r.end;
        last_worked_frame = r.end_frame;
    }
    if (standstills.empty())
        return;
    Standstill &s = standstills.back();
    // Sent before it came to an end, such a command shows nothing: it may have been under way all the time.
    if (r.end > s.last && r.start >= s.first && (!s.over || r.end < *s.over)) {
        s.over = r.end;
        s.over_frame = r.end_frame;
        s.over_response = r.response_time.value_or(Duration{});
    }
}

void UnitSight::refuse(const CycleRecord &r) {
    Standstill *s = standstills.empty() ? nullptr : &standstills.back();
    const bool goes_on = s != nullptr && same_cause(*s, r) && (!s->over || r.end < *s->over) &&
                         r.end - s->last <= longest_pause;
    if (!goes_on) {
        // Beyond the bound the shortest makes room.
        if (standstills.size() >= max_standstills)
            standstills.erase(std::ranges::min_element(standstills, {}, &Standstill::length));
        s = &standstills.emplace_back();
        s->outcome = r.outcome;
        s->sense = r.sense;
        s->first = s->last = r.end;
        s->first_frame = r.status_frame;
        if (worked > 0)
            s->worked_before = last_worked;
    }
    // A UNIT ATTENTION only announces the state that refuses the commands behind it.
    if (r.sense && sense_key_of(*s->sense) == unit_attention)
        s->sense = r.sense;
    s->first = std::min(s->first, r.end);
    if (r.end >= s->last) {
        s->last = r.end;
        s->last_frame = r.status_frame;
    }
    ++s->count;
    s->of_transfers += r.type != TaskType::control ? 1 : 0;
}

void RefusalFacts::add(const CycleRecord &r) {
    const UnitKey key{r.session, r.lun};
    const bool refused = is_refusal(r.outcome);
    if (refused)
        if (Refusals *row = find_or_add(rows, RefusalKey{key, r.outcome, r.sense, r.opcode}, max_rows))
            row->add(r);
    if (!needs_unit(r))
        return;
    UnitSight *unit = find_or_add(units, key, max_units);
    if (unit == nullptr)
        return;
    unit->deepest_queue = std::max(unit->deepest_queue, r.queue_depth);
    unit->addressed = unit->addressed || r.type != TaskType::control;
    if (r.outcome == TaskOutcome::good)
        unit->work(r);
    else if (refused)
        unit->refuse(r);
}

void RefusalFacts::add(const PresenceRecord &r) {
    if (!r.peripheral) {
        if (LunLists *of_session = find_or_add(lists, r.session, max_sessions)) {
            of_session->last = r;
            ++of_session->answers;
        }
        return;
    }
    UnitSight *unit = find_or_add(units, {r.session, r.lun}, max_units);
    if (unit == nullptr)
        return;
    std::vector<PresenceRecord> &said = unit->inquiries;
    if (said.empty() || said.back().peripheral != r.peripheral) {
        if (said.size() == 2)
            said.pop_back();
        said.push_back(r);
    }
}

const UnitSight *RefusalFacts::unit(const UnitKey &key) const {
    const auto at = units.find(key);
    return at != units.end() ? &at->second : nullptr;
}

} // namespace iscsiscope
