// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/batch_works.h"

#include <algorithm>
#include <limits>

namespace iscsiscope {
namespace {

// Asks for the memory, which is read soon, and which another thread has written.
void fetch(const void *at, std::size_t bytes) {
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < bytes; i += line)
        __builtin_prefetch(static_cast<const std::byte *>(at) + i);
}

} // namespace

BatchWorks::BatchWorks(const RecordTables &wanted, const EngineOptions &options, std::uint64_t tasks_kept,
                       std::size_t threads, Effort *effort)
    : log_(wanted), follower_(log_.tables(), options, this), tasks_kept_(tasks_kept), threads_(threads),
      effort_(effort), look_at_(tasks_kept), shares_(threads, effort) {}

void BatchWorks::work_off(Batch &batch) {
    begin(batch);
    follow(0);
    end();
}

void BatchWorks::begin(Batch &batch) {
    const EffortTimer timer(effort_, &Effort::beginning);
    batch_ = &batch;
    while (batch.records.size() < threads_)
        batch.records.push_back(std::make_unique<LoggedRecords>());
    RecordLog::write_to(*batch.records.front());
    follow_unsettled();
    make_groups();
    alone_ = false;
}

void BatchWorks::follow(std::size_t thread) {
    RecordLog::write_to(*batch_->records[thread]);
    constexpr std::uint32_t behind_all = std::numeric_limits<std::uint32_t>::max();
    shares_.follow(thread, [this](const ConnectionGroup &group) {
        catch_up(std::span(grouped_).subspan(group.first, group.count), behind_all);
    });
}

void BatchWorks::end() {
    shares_.sum_up();
    const EffortTimer timer(effort_, &Effort::ending);
    alone_ = true;
    batch_->connections = put_off_.size();
    for (const PutOff &p : put_off_)
        at_[p.of] = Work::none;
    put_off_.clear();
    std::sort(later_.begin(), later_.end(), [](const Later &a, const Later &b) { return a.work < b.work; });
    for (const Later &l : later_) {
        RecordLog::write_to(*batch_->works[l.work].records);
        RecordLog::begin(l.work);
        if (l.over != nullptr)
            follower_.end(*l.over);
        else
            follower_.act(l.slot);
    }
    later_.clear();
    if (follower_.tasks_begun() >= look_at_) {
        oldest_ = std::min(follower_.oldest_cycle(), CycleId{follower_.tasks_begun()});
        look_at_ = follower_.tasks_begun() + tasks_kept_;
    }
    batch_->oldest_cycle = oldest_;
}

void BatchWorks::follow_unsettled() {
    const std::vector<Work> &works = batch_->works;
    for (std::uint32_t w = 0; w < works.size(); ++w) {
        const Work &work = works[w];
        const std::uint32_t slot = work.slot();
        while (slot >= at_.size()) {
            at_.emplace_back() = Work::none;
            settled_.push_back(false);
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
        settled_[slot] = follower_.settled(slot);
    }
}

void BatchWorks::make_groups() {
    grouped_.clear();
    shares_.begin(at_.size());
    const auto add = [this](std::uint32_t slot) {
        if (first_of(slot) == Work::none)
            return;
        put_off_[at_[slot]].grouped = true;
        grouped_.push_back(slot);
    };
    for (const PutOff &p : put_off_) {
        if (p.first == Work::none || p.grouped)
            continue;
        const auto first = static_cast<std::uint32_t>(grouped_.size());
        const std::vector<std::uint32_t> session = follower_.companions(p.of);
        if (session.empty())
            add(p.of);
        else
            std::for_each(session.begin(), session.end(), add);
        const std::uint32_t leads =
            session.empty() ? p.of : *std::min_element(session.begin(), session.end());
        shares_.add({leads, first, static_cast<std::uint32_t>(grouped_.size()) - first});
    }
}

void BatchWorks::put_off(std::uint32_t work) {
    std::vector<Work> &works = batch_->works;
    const std::uint32_t slot = works[work].slot();
    if (at_[slot] == Work::none) {
        at_[slot] = static_cast<std::uint32_t>(put_off_.size());
        put_off_.push_back({.of = slot});
    }
    PutOff &p = put_off_[at_[slot]];
    (p.first == Work::none ? p.first : works[p.last].next) = work;
    p.last = work;
}

void BatchWorks::work_off(std::uint32_t work) {
    Work &w = batch_->works[work];
    const std::uint32_t during = RecordLog::work();
    RecordLog::begin(work);
    w.records = &RecordLog::written_to();
    if (w.closing != nullptr)
        follower_.close(*w.closing);
    else
        follower_.follow(*w.at, *w.segment);
    RecordLog::begin(during); // a login that had it followed goes on
}

void BatchWorks::fetch_ahead(std::uint32_t work) const {
    const Work &w = batch_->works[work];
    if (w.segment != nullptr) {
        fetch(w.segment, sizeof(Segment));
        fetch(w.at, sizeof(Placement));
    }
    if (w.next != Work::none)
        fetch(&batch_->works[w.next], sizeof(Work));
}

void BatchWorks::catch_up_session(std::uint32_t slot, std::uint32_t before) {
    if (const std::vector<std::uint32_t> session = follower_.companions(slot); !session.empty())
        catch_up(session, before);
    else
        catch_up({&slot, 1}, before);
}

void BatchWorks::catch_up(std::span<const std::uint32_t> of, std::uint32_t before) {
    if (of.size() == 1) {
        catch_up_alone(of.front(), before);
        return;
    }
    while (true) {
        std::uint32_t first = before, its_slot = 0;
        for (const std::uint32_t slot : of)
            if (first_of(slot) < first) {
                first = first_of(slot);
                its_slot = slot;
            }
        if (first >= before)
            return;
        const std::uint32_t next = batch_->works[first].next;
        put_off_[at_[its_slot]].first = next;
        if (next != Work::none)
            fetch_ahead(next);
        work_off(first);
    }
}

void BatchWorks::catch_up_alone(std::uint32_t slot, std::uint32_t before) {
    if (at_[slot] == Work::none)
        return;
    PutOff &its = put_off_[at_[slot]]; // stays where it is: nothing is put off meanwhile
    for (std::uint32_t work = its.first; work < before; work = its.first) {
        its.first = batch_->works[work].next;
        if (its.first != Work::none)
            fetch_ahead(its.first);
        work_off(work);
    }
}

void BatchWorks::catch_up(std::span<const std::uint32_t> of) {
    catch_up(of, RecordLog::work());
}

void BatchWorks::session_over(Session &session) {
    if (alone_) {
        follower_.end(session);
        return;
    }
    const std::lock_guard held(lock_);
    later_.push_back({RecordLog::work(), &session, 0});
}

void BatchWorks::login_acts(std::uint32_t slot) {
    const std::lock_guard held(lock_);
    later_.push_back({RecordLog::work(), nullptr, slot});
}

} // namespace iscsiscope
