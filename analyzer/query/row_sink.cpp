// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/row_sink.h"

#include "analyzer/query/tcp_rows.h"

namespace iscsiscope {
namespace {

class Rows : public RecordSink {
public:
    Rows(RowSelection s, RowTarget &w) : selection_(s), target_(w) {}

protected:
    bool has_range() const { return selection_.range != nullptr && !selection_.range->everything(); }
    const TimeRange &range() const { return *selection_.range; }
    void add(const void *row) {
        if (selection_.filter == nullptr || selection_.filter->holds(row))
            target_.row(row);
    }

private:
    RowSelection selection_;
    RowTarget &target_;
};

class PduRows final : public Rows {
public:
    using Rows::Rows;
    void on_pdu(const Connection &c, const Pdu &p) override {
        if (!has_range() || range().contains(p.first_seen)) {
            const PduRow row{c, p};
            add(&row);
        }
    }
};

class CycleRows final : public Rows {
public:
    using Rows::Rows;
    void on_cycle(const CycleRecord &r) override {
        if (!has_range() || range().contains(r.end))
            add(&r);
    }
};

class BurstRows final : public Rows {
public:
    using Rows::Rows;
    void on_burst(const BurstRecord &r) override {
        if (!has_range() || range().contains(r.end))
            add(&r);
    }
};

class GapRows final : public Rows {
public:
    using Rows::Rows;
    void on_gap(const GapRecord &r) override {
        if (!has_range() || range().overlap(r.start, r.length) > Duration{0})
            add(&r);
    }
};

class ConnectionRows final : public Rows {
public:
    using Rows::Rows;
    void on_connection(const ConnectionRecord &r) override {
        if (!has_range() || range().touches(r.start, r.end))
            add(&r);
    }
};

} // namespace

const Table *find_table(std::string_view name) {
    for (const Table *t :
         {&pdu_table(), &cycle_table(), &burst_table(), &gap_table(), &connection_table(), &tcp_table()})
        if (t->name == name)
            return t;
    return nullptr;
}

std::unique_ptr<RecordSink> make_row_sink(const Table &t, RowSelection s, RowTarget &w) {
    if (&t == &pdu_table())
        return std::make_unique<PduRows>(s, w);
    if (&t == &cycle_table())
        return std::make_unique<CycleRows>(s, w);
    if (&t == &burst_table())
        return std::make_unique<BurstRows>(s, w);
    if (&t == &gap_table())
        return std::make_unique<GapRows>(s, w);
    if (&t == &tcp_table())
        return std::make_unique<TcpRows>(s, w);
    return std::make_unique<ConnectionRows>(s, w);
}

} // namespace iscsiscope
