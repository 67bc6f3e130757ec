// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/access_tracker.h"

#include "analyzer/iscsi/scsi/cdb.h"

#include <algorithm>

namespace iscsiscope {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t enough_runs = 8, enough_at_once = 16; // runs; commands

} // namespace

void AccessTracker::align(Pattern &p, std::uint64_t lba, std::uint64_t bytes, const Pdu &pdu) {
    const std::uint64_t offset = lba * p.sum.block_length.value_or(512);
    if (offset % page != 0 || bytes % page != 0) {
        if (p.sum.misaligned < p.sum.misaligned_frames.size())
            p.sum.misaligned_frames[p.sum.misaligned] = pdu.frame;
        ++p.sum.misaligned;
    }
}

// Returns the requests of the size of this run; null if there are too many sizes.
AccessTracker::Total *AccessTracker::total_of(Pattern &p, const Stream &s, std::uint64_t last_bytes) {
    auto found = std::ranges::find_if(
        p.totals, [&](const Total &t) { return t.bytes == s.bytes && t.pieces == s.pieces; });
    if (found == p.totals.end() && p.totals.size() < totals)
        found = p.totals.insert(found, {s.bytes, 0, last_bytes, s.pieces, 0, s.first_frame});
    return found != p.totals.end() ? &*found : nullptr;
}

// Counts a run that could have been one command: its total is a size that the host may have requested.
void AccessTracker::end_run(Pattern &p, Stream &s, std::uint64_t last_bytes) {
    if (s.pieces >= 2) {
        ++p.ended_runs;
        ++p.sum.runs;
        if (Total *total = total_of(p, s, last_bytes)) {
            ++total->count;
            total->at_once += s.at_once ? 1 : 0;
        }
    }
    s.pieces = 0;
    s.bytes = 0;
}

void AccessTracker::follow(Pattern &p, std::uint64_t lba, std::uint64_t blocks, std::uint64_t bytes,
                           std::uint64_t outstanding, FrameNumber frame) {
    ++p.clock;
    if (bytes > p.piece) { // earlier runs were split at a smaller length
        p.piece = bytes;
        p.totals.clear();
        p.ended_runs = p.sum.runs = 0;
        for (Stream &s : p.open)
            s.pieces = 0, s.bytes = 0;
    }
    Stream *stream = nullptr, *oldest = &p.open.front();
    for (Stream &s : p.open) {
        if (s.used != 0 && s.next_lba == lba)
            stream = &s;
        if (s.used < oldest->used)
            oldest = &s;
    }
    if (p.clock > 1) {
        ++p.sum.followers;
        p.sum.continue_last += lba == p.last_next ? 1 : 0;
        p.sum.continue_stream += stream != nullptr ? 1 : 0;
    }
    if (stream == nullptr) {
        stream = oldest;
        if (stream->used != 0)
            end_run(p, *stream, p.piece); // the stream is replaced
    }
    // Commands that were all open at once, and had all ended before the next one, were one request.
    if (stream->pieces >= 2 && stream->at_once && outstanding == 0)
        end_run(p, *stream, p.piece);
    stream->at_once = stream->pieces == 0 || (stream->at_once && outstanding >= stream->pieces);
    if (stream->pieces == 0)
        stream->first_frame = frame;
    stream->used = p.clock;
    stream->next_lba = lba + blocks;
    ++stream->pieces;
    stream->bytes += bytes;
    if (bytes < p.piece)
        end_run(p, *stream, bytes); // a shorter one ends the request
    p.last_next = lba + blocks;
}

void AccessTracker::command(const Member &m, const Pdu &pdu) {
    if (!pdu.knows(header_field::cdb))
        return;
    const HeaderView v = pdu.view();
    const CommandInfo info = parse_cdb(v.cdb());
    if ((!is_read(info.group) && !is_write(info.group)) || !info.lba || !info.blocks || *info.blocks == 0)
        return;
    const auto lun = static_cast<std::uint64_t>(v.lun());
    const TaskType type = is_read(info.group) ? TaskType::read : TaskType::write;
    Pattern *p = last_.find_or_add(patterns_, {m.unit->root()->index, lun, type}, max_patterns);
    if (p == nullptr) {
        ++left_out_;
        return;
    }
    const std::uint64_t bytes = v.expected_data_transfer_length();
    if (p->sum.commands == 0) {
        p->sum.lun.lun = lun;
        p->sum.type = type;
        const auto stated = luns_.find({m.unit->session, lun});
        if (stated != luns_.end() && stated->second.block_length)
            p->sum.block_length = stated->second.block_length;
        else if (bytes != 0 && bytes % *info.blocks == 0)
            p->sum.block_length = static_cast<std::uint32_t>(bytes / *info.blocks);
    }
    ++p->sum.commands;
    p->sum.blocks += *info.blocks;
    align(*p, *info.lba, bytes, pdu);
    follow(*p, *info.lba, *info.blocks, bytes, m.outstanding, pdu.frame);
}

void AccessTracker::join(const MemberUnit &into, const MemberUnit &from) {
    last_ = {};
    for (auto at = patterns_.lower_bound({from.index, 0, TaskType::read});
         at != patterns_.end() && at->first.unit == from.index;) {
        Pattern &to = patterns_[{into.index, at->first.lun, at->first.type}];
        const AccessFigures mine = to.sum, &other = at->second.sum;
        to = Pattern{}; // the order within one unit alone is not that of the session: counted from here on
        AccessFigures &sum = to.sum;
        sum.lun = other.lun;
        sum.type = at->first.type;
        sum.block_length = mine.block_length ? mine.block_length : other.block_length;
        for (const AccessFigures *f : {&mine, &other}) {
            sum.commands += f->commands;
            sum.blocks += f->blocks;
            for (std::size_t i = 0; i < sum.misaligned_frames.size() && i < f->misaligned; ++i)
                if (sum.misaligned + i < sum.misaligned_frames.size())
                    sum.misaligned_frames[sum.misaligned + i] = f->misaligned_frames[i];
            sum.misaligned += f->misaligned;
        }
        at = patterns_.erase(at);
    }
}

std::vector<AccessFigures> AccessTracker::figures(const MemberTable &table) const {
    std::vector<AccessFigures> all;
    for (const auto &[key, pattern] : patterns_) {
        AccessFigures f = pattern.sum;
        f.lun.session = table.units()[key.unit]->group_number();
        std::vector<Total> sizes = pattern.totals;
        for (const Stream &s : pattern.open) // runs not ended
            if (s.pieces >= 2) {
                ++f.runs;
                // As large as an earlier request: it was whole.
                for (Total &t : sizes)
                    if (s.at_once && t.bytes == s.bytes && t.pieces == s.pieces) {
                        ++t.count;
                        ++t.at_once;
                    }
            }
        const auto most = std::ranges::max_element(sizes, {}, &Total::count);
        // A queue that empties twice after the same number of commands, four or more, is no chance.
        const bool at_once = most != sizes.end() && most->at_once >= 2 && most->pieces >= 4 &&
                             std::uint64_t{most->at_once} * most->pieces >= enough_at_once;
        if (most != sizes.end() && (pattern.ended_runs >= enough_runs || at_once) &&
            most->count * 2 >= pattern.ended_runs) {
            f.split =
                AccessFigures::Split{pattern.piece,     most->bytes,
                                     most->last,        most->pieces,
                                     most->count,       f.runs,
                                     most->first_frame, std::uint64_t{most->at_once} * 2 >= most->count};
        }
        all.push_back(f);
    }
    std::ranges::sort(all, [](const AccessFigures &a, const AccessFigures &b) {
        return a.lun != b.lun ? a.lun < b.lun : a.type < b.type;
    });
    return all;
}

} // namespace iscsiscope
