// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/store/gap_store.h"

#include "analyzer/findings/claims.h"

#include <algorithm>

namespace iscsiscope::plugin {
namespace {

// Returns whether the finding may claim the entry. An end's own time is claimed only if it is long.
bool may_be_of(const Finding &f, const LedgerEntry &e) {
    const bool of_end = e.owner == Owner::target || e.owner == Owner::host;
    return may_claim(f.kind, e.cause, e.owner) && (!of_end || e.is_long());
}

const Finding *finding_of(const std::vector<const LedgerEntry *> &entries, const FindingsResult &result) {
    const auto at = std::ranges::find_if(result.findings, [&](const Finding &f) {
        return std::ranges::any_of(entries, [&](const LedgerEntry *e) { return may_be_of(f, *e); });
    });
    return at != result.findings.end() ? &*at : nullptr;
}

} // namespace

void GapStore::on(const GapRecord &gap) {
    gaps_.push_back(gap);
    gap_ends_.emplace(gap.after_frame.value_or(gap.before_frame), &gaps_.back());
}

void GapStore::on(const LedgerEntry &entry) {
    if (!entry.gap)
        return;
    entries_.push_back(entry);
    entries_at_.emplace(entry.after_frame.value_or(entry.before_frame), &entries_.back());
}

void GapStore::add(FrameNumber frame, const std::optional<FindingsResult> &findings,
                   std::vector<GapOnFrame> &to) const {
    for (auto [at, end] = gap_ends_.equal_range(frame); at != end; ++at) {
        const GapRecord &gap = *at->second;
        GapOnFrame on{&gap, {}, nullptr};
        for (auto [entry, last] = entries_at_.equal_range(frame); entry != last; ++entry) {
            const LedgerEntry &e = *entry->second;
            if (e.stream == gap.stream && e.start >= gap.start && e.end() <= gap.start + gap.length)
                on.entries.push_back(&e);
        }
        if (findings)
            on.finding = finding_of(on.entries, *findings);
        to.push_back(std::move(on));
    }
}

} // namespace iscsiscope::plugin
