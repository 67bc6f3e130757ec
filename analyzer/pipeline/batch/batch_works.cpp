// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/batch_works.h"

#include <algorithm>
#include <limits>

namespace iscsiscope {

BatchWorks::BatchWorks(const RecordTables &wanted, const EngineOptions &options, std::uint64_t tasks_kept)
    : log_(wanted), shard_(log_.tables(), options,
                           [this](std::span<const std::uint32_t> of) { catch_up(of, log_.work()); }),
      tasks_kept_(tasks_kept), look_at_(tasks_kept) {}

void BatchWorks::work_off(Batch &batch) {
    works_ = &batch.works;
    log_.write_to(batch.records);
    follow_unsettled();
    follow_the_rest();
    if (shard_.tasks_begun() >= look_at_) {
        oldest_ = std::min(shard_.oldest_cycle(), CycleId{shard_.tasks_begun()});
        look_at_ = shard_.tasks_begun() + tasks_kept_;
    }
    batch.oldest_cycle = oldest_;
}

void BatchWorks::follow_unsettled() {
    for (std::uint32_t w = 0; w < works_->size(); ++w) {
        const Work &work = (*works_)[w];
        const std::uint32_t slot = work.slot();
        if (slot >= at_.size()) {
            at_.resize(slot + std::size_t{1}, Work::none);
            settled_.resize(slot + std::size_t{1});
        }
        if (work.opens()) { // the connection that had the slot ends before
            if (at_[slot] != Work::none)
                catch_up_session(slot, w);
            settled_[slot] = false;
        }
        if (settled_[slot]) {
            put_off(w);
            continue;
        }
        work_off(w);
        settled_[slot] = shard_.settled(slot);
    }
}

void BatchWorks::follow_the_rest() {
    constexpr std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
    for (const PutOff &p : put_off_)
        if (p.first != Work::none)
            catch_up_session(p.of, end);
    for (const PutOff &p : put_off_)
        at_[p.of] = Work::none;
    put_off_.clear();
}

void BatchWorks::put_off(std::uint32_t work) {
    const std::uint32_t slot = (*works_)[work].slot();
    if (at_[slot] == Work::none) {
        at_[slot] = static_cast<std::uint32_t>(put_off_.size());
        put_off_.push_back({slot});
    }
    PutOff &p = put_off_[at_[slot]];
    (p.first == Work::none ? p.first : (*works_)[p.last].next) = work;
    p.last = work;
}

void BatchWorks::work_off(std::uint32_t work) {
    const Work &w = (*works_)[work];
    const std::uint32_t during = log_.work();
    log_.begin(work);
    if (w.closing != nullptr)
        shard_.close(*w.closing);
    else
        shard_.follow(*w.at, *w.segment);
    log_.begin(during); // a login that had it followed goes on
}

void BatchWorks::catch_up_session(std::uint32_t slot, std::uint32_t before) {
    if (const std::vector<std::uint32_t> session = shard_.companions(slot); !session.empty())
        catch_up(session, before);
    else
        catch_up({&slot, 1}, before);
}

void BatchWorks::catch_up(std::span<const std::uint32_t> of, std::uint32_t before) {
    while (true) {
        std::uint32_t first = before, its_slot = 0;
        for (const std::uint32_t slot : of)
            if (first_of(slot) < first) {
                first = first_of(slot);
                its_slot = slot;
            }
        if (first >= before)
            return;
        put_off_[at_[its_slot]].first = (*works_)[first].next;
        work_off(first);
    }
}

} // namespace iscsiscope
