// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/row_sink.h"

namespace iscsiscope {
namespace {

bool lies_in(const TimeRange &range, const PduRecord &r) {
    return range.contains(r.pdu.first_seen);
}
bool lies_in(const TimeRange &range, const CycleRecord &r) {
    return range.contains(r.end);
}
bool lies_in(const TimeRange &range, const BurstRecord &r) {
    return range.contains(r.end);
}
bool lies_in(const TimeRange &range, const GapRecord &r) {
    return range.overlap(r.start, r.length) > Duration{0};
}
bool lies_in(const TimeRange &range, const LedgerEntry &r) {
    return range.overlap(r.start, r.length) > Duration{0};
}
bool lies_in(const TimeRange &range, const ConnectionRecord &r) {
    return range.touches(r.start, r.end);
}
bool lies_in(const TimeRange &range, const TcpSampleRecord &r) {
    return range.contains(r.time);
}

// The records of one table as its rows: those that lie in the range and for which the filter holds.
template <class Record>
class Rows final : public Takes<Record> {
public:
    Rows(RowSelection s, RowTarget &w) : selection_(s), target_(w) {}

    void on(const Record &r) override {
        if (selection_.range != nullptr && !selection_.range->everything() && !lies_in(*selection_.range, r))
            return;
        if (selection_.filter == nullptr || selection_.filter->holds(&r))
            target_.row(&r);
    }

private:
    RowSelection selection_;
    RowTarget &target_;
};

} // namespace

const Table *find_table(std::string_view name) {
    for (const Table *t : {&pdu_table(), &cycle_table(), &burst_table(), &gap_table(), &ledger_table(),
                           &connection_table(), &tcp_table()})
        if (t->name == name)
            return t;
    return nullptr;
}

std::unique_ptr<RecordSink> make_row_sink(const Table &t, RowSelection s, RowTarget &w) {
    if (&t == &pdu_table())
        return std::make_unique<Rows<PduRecord>>(s, w);
    if (&t == &cycle_table())
        return std::make_unique<Rows<CycleRecord>>(s, w);
    if (&t == &burst_table())
        return std::make_unique<Rows<BurstRecord>>(s, w);
    if (&t == &gap_table())
        return std::make_unique<Rows<GapRecord>>(s, w);
    if (&t == &ledger_table())
        return std::make_unique<Rows<LedgerEntry>>(s, w);
    if (&t == &tcp_table())
        return std::make_unique<Rows<TcpSampleRecord>>(s, w);
    return std::make_unique<Rows<ConnectionRecord>>(s, w);
}

} // namespace iscsiscope
