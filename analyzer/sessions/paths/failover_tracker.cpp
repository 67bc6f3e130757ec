// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/paths/failover_tracker.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/base/containers/keyed_hash.h"
#include "analyzer/iscsi/scsi/cdb.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {

std::size_t FailoverTracker::Hash::operator()(const Block &b) const {
    return static_cast<std::size_t>(keyed_hash(b.lba, b.blocks, b.write));
}

namespace {

// By name or, where the names of both are not in the capture, as far as nothing speaks against it.
bool same_initiator(const Member &a, const Member &b) {
    return a.initiator_key == b.initiator_key ||
           (a.unit->initiator_name.empty() && b.unit->initiator_name.empty());
}

} // namespace

// True if this LUN of the session is the logical unit of the command kept, by its designator (VPD page 83h),
// else by target name and number.
bool FailoverTracker::same_unit(const Member &m, std::uint64_t lun, Kept &kept) const {
    const auto designator = [&](const Member &of, std::uint64_t number) {
        const auto known = luns_.find({of.unit->session, number});
        return known != luns_.end() ? known->second.designator : std::string();
    };
    const std::string here = designator(m, lun), there = designator(*kept.member, kept.found.lun);
    kept.found.guess = here.empty() || there.empty();
    if (!kept.found.guess)
        return here == there;
    return lun == kept.found.lun && m.unit->target_name == kept.member->unit->target_name;
}

// How long ago this command's host began its last Read or Write.
Duration FailoverTracker::quiet_before(const Member &m, Time now) {
    constexpr std::size_t max_initiators = 1024;
    Time *last = find_or_add(last_, m.initiator_key, max_initiators);
    if (last == nullptr)
        return {};
    const Duration quiet = *last == Time{} ? Duration{} : std::max(Duration{}, now - *last);
    *last = now;
    return quiet;
}

void FailoverTracker::command(const Member &m, const Pdu &pdu, bool several) {
    if (!several && kept_.empty())
        return;
    const HeaderView v = pdu.view();
    if (!pdu.knows(header_field::cdb))
        return;
    const CommandInfo info = parse_cdb(v.cdb());
    if ((!is_read(info.group) && !is_write(info.group)) || !info.lba)
        return;
    const Block block{*info.lba, info.blocks.value_or(0), is_write(info.group)};
    const auto lun = static_cast<std::uint64_t>(v.lun());
    const Duration quiet = quiet_before(m, pdu.first_seen);
    const auto [begin, end] = kept_.equal_range(block);
    std::size_t alike = 0;
    for (auto at = begin; at != end; ++at) {
        Kept &k = at->second;
        ++alike;
        if (k.member == &m || !same_initiator(m, *k.member) || k.found.again_frame ||
            pdu.first_seen - k.found.lost < least || !same_unit(m, lun, k))
            continue;
        k.found.host_guess = k.member->initiator_key != m.initiator_key;
        k.found.to = m.stream;
        k.found.again = pdu.first_seen;
        k.found.again_frame = pdu.frame;
        k.found.quiet = quiet;
        if (k.lost) {
            add(k.found);
            kept_.erase(at);
        }
        break;
    }
    if (!several || kept_.size() >= max_kept || alike >= max_alike)
        return;
    Kept k;
    k.member = &m;
    k.itt = static_cast<std::uint32_t>(v.initiator_task_tag());
    k.found.from = m.stream;
    k.found.lun = lun;
    k.found.type = block.write ? TaskType::write : TaskType::read;
    k.found.lost = pdu.first_seen;
    k.found.lost_frame = pdu.frame;
    kept_.emplace(block, k);
}

void FailoverTracker::ended(const Member &m, const CycleRecord &r) {
    if (r.type == TaskType::control || !r.lba)
        return;
    const Block block{*r.lba, r.blocks.value_or(0), r.type == TaskType::write};
    const bool lost = r.outcome == TaskOutcome::connection_lost || r.outcome == TaskOutcome::unanswered;
    const auto [begin, end] = kept_.equal_range(block);
    const auto at = std::find_if(begin, end, [&](const auto &e) {
        return e.second.member == &m && e.second.itt == r.itt && !e.second.lost;
    });
    if (at != end) {
        Kept &k = at->second;
        k.found.given_up = r.outcome == TaskOutcome::connection_lost ? std::optional(r.end) : std::nullopt;
        k.lost = lost;
        if (lost && k.found.again_frame)
            add(k.found);
        if (!lost || k.found.again_frame)
            kept_.erase(at);
        return;
    }
    if (!lost || !r.command_frame || kept_.size() >= max_kept ||
        static_cast<std::size_t>(std::distance(begin, end)) >= max_alike)
        return;
    Kept k;
    k.member = &m;
    k.itt = r.itt;
    k.lost = true;
    k.found.from = m.stream;
    k.found.lun = r.lun;
    k.found.type = r.type;
    k.found.lost = r.start;
    k.found.lost_frame = r.command_frame;
    k.found.given_up = r.end;
    kept_.emplace(block, k);
}

// Commands that went from one connection to another are one failover, with the times of the longest wait.
void FailoverTracker::add(const Failover &f) {
    const auto same =
        std::ranges::find_if(found_, [&](const Failover &o) { return o.from == f.from && o.to == f.to; });
    if (same == found_.end()) {
        if (found_.size() < max_failovers) {
            found_.push_back(f);
            found_.back().commands = 1;
        }
        return;
    }
    const std::uint64_t commands = same->commands + 1;
    if (f.length() > same->length()) {
        const Duration quiet = std::max(f.quiet, same->quiet);
        *same = f;
        same->quiet = quiet;
    } else {
        same->quiet = std::max(f.quiet, same->quiet);
    }
    same->commands = commands;
}

std::vector<Failover> FailoverTracker::take() {
    for (const auto &[block, k] : kept_)
        if (!k.lost && k.found.again_frame) // open to the end of the capture
            add(k.found);
    kept_.clear();
    std::ranges::stable_sort(found_, {}, &Failover::lost);
    return std::move(found_);
}

} // namespace iscsiscope
