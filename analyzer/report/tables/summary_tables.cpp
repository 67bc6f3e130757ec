// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/summary_tables.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/query/column.h"
#include "analyzer/report/wording.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

using Row = std::vector<Cell>;

Cell cell(const Value &v) {
    switch (v.type()) {
    case ValueType::unknown:
        return {};
    case ValueType::integer:
        return v.as_integer();
    case ValueType::natural:
        return v.as_natural();
    case ValueType::number:
        return v.as_number();
    case ValueType::boolean:
        return v.as_boolean();
    case ValueType::text:
        return std::string(v.as_text());
    }
    return {};
}

template <class T>
Cell cell(const T &v) {
    return cell(to_value(v));
}

// A row of these cells. They are moved: an initializer list would copy them.
template <class... Cells>
Row cells(Cells &&...each) {
    Row row;
    row.reserve(sizeof...(each));
    (row.push_back(Cell(std::forward<Cells>(each))), ...);
    return row;
}

// Appends the columns of a distribution.
void distribution_columns(std::vector<std::string> &to, const std::vector<double> &quantiles) {
    for (const char *c : {"count", "sum_ns", "min_ns", "mean_ns", "max_ns"})
        to.emplace_back(c);
    for (const double q : quantiles)
        to.push_back(fmt::format("p{:g}_ns", q * 100));
}

Row with_distribution(Row row, const Histogram &h, const std::vector<double> &quantiles) {
    for (Cell c : {cell(h.count()), cell(h.sum()), cell(h.minimum()), cell(h.mean()), cell(h.maximum())})
        row.push_back(std::move(c));
    for (const double q : quantiles)
        row.push_back(cell(h.quantile(q)));
    return row;
}

template <class Enum>
Cell named(Enum e) {
    return std::string(name(e));
}

SummaryTable times(const Report &r, const std::vector<double> &quantiles) {
    SummaryTable t{"times", {"type", "time"}, {}};
    distribution_columns(t.columns, quantiles);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (std::size_t f = 0; f < cycle_figure_count; ++f) {
            t.rows.push_back(
                with_distribution(cells(named(static_cast<TaskType>(i)), named(static_cast<CycleFigure>(f))),
                                  r.types[i].figures[f], quantiles));
        }
    }
    return t;
}

SummaryTable sizes(const Report &r, const std::vector<double> &quantiles) {
    SummaryTable t{"sizes", {"type", "smallest_bytes", "largest_bytes", "moved_bytes"}, {}};
    distribution_columns(t.columns, quantiles);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (const SizeTally &s : r.types[i].sizes) {
            if (s.count != 0) {
                t.rows.push_back(with_distribution(
                    cells(named(static_cast<TaskType>(i)), cell(s.smallest), cell(s.largest), cell(s.bytes)),
                    s.response_time, quantiles));
            }
        }
    }
    return t;
}

SummaryTable luns(const Report &r, const std::vector<double> &quantiles) {
    SummaryTable t{"luns", {"session", "lun", "type", "tasks", "moved_bytes", "not_good"}, {}};
    distribution_columns(t.columns, quantiles);
    for (const auto &[key, l] : r.luns) {
        for (std::size_t i = 0; i < task_type_count; ++i) {
            const LunTally::Part &p = l.parts[i];
            t.rows.push_back(with_distribution(cells(cell(l.session), to_string(Lun{l.lun}),
                                                     named(static_cast<TaskType>(i)), cell(p.count),
                                                     cell(p.bytes), cell(p.not_good)),
                                               p.response_time, quantiles));
        }
    }
    return t;
}

SummaryTable rates_table(const Report &r) {
    SummaryTable t{"rates",
                   {"session", "lun", "type", "tasks", "moved_bytes", "data_time_ns",
                    "data_time_uncertain_ns", "range_ns", "throughput", "average_throughput", "iops",
                    "average_iops", "outstanding", "wire_bytes", "wire_rate"},
                   {}};
    for (const RateRow &row : rate_rows(r)) {
        const Rates &x = row.rates;
        t.rows.push_back(cells(cell(row.session), row.lun ? Cell(to_string(Lun{*row.lun})) : Cell{},
                               std::string(row.type), cell(x.tasks), cell(x.bytes), cell(x.data_time),
                               cell(x.uncertain), cell(x.range), cell(x.throughput),
                               cell(x.average_throughput), cell(x.iops), cell(x.average_iops),
                               cell(x.outstanding), cell(x.wire_bytes), cell(x.wire_rate)));
    }
    return t;
}

SummaryTable wire_table(const Report &r) {
    const WireRates w = wire_rates(r);
    SummaryTable t{"wire_rates",
                   {"bytes_to_target", "bytes_to_initiator", "unseen_bytes", "wire_range_ns", "flow_time_ns",
                    "average_wire_rate", "flow_rate"},
                   {}};
    t.rows.push_back(cells(cell(w.bytes_to_target), cell(w.bytes_to_initiator), cell(w.unseen_bytes),
                           cell(w.range), cell(w.flow_time), cell(w.average_rate), cell(w.flow_rate)));
    return t;
}

SummaryTable lun_facts(const Report &r) {
    SummaryTable t{"lun_facts",
                   {"session", "lun", "block_length", "blocks", "device_type", "vendor", "product", "serial",
                    "designator"},
                   {}};
    for (const auto &[key, f] : r.lun_facts) {
        t.rows.push_back(cells(cell(f.session), to_string(Lun{f.lun}), cell(f.block_length), cell(f.blocks),
                               cell(f.device_type), cell(f.vendor), cell(f.product), cell(f.serial),
                               cell(f.designator)));
    }
    return t;
}

SummaryTable time_table(const Report &r) {
    SummaryTable t{"time_shares", {"kind", "count", "time_ns", "share"}, {}};
    for (const TimeShare &s : time_shares(r.time)) {
        const Cell count = s.kind ? cell(r.time.gaps[static_cast<std::size_t>(*s.kind)]) : Cell{};
        t.rows.push_back(cells(std::string(s.name), count, cell(s.time), cell(s.share)));
    }
    return t;
}

// Of all sessions together, then of each.
SummaryTable busy_table(const Report &r) {
    SummaryTable t{
        "busy_time", {"session", "active_ns", "busy_ns", "unasked_ns", "one_sided_ns", "busy_at_least"}, {}};
    const auto add = [&](Cell session, const ActiveTime &l) {
        const bool known = l.one_sided < l.active;
        t.rows.push_back(cells(std::move(session), cell(l.active), known ? cell(l.busy) : Cell{},
                               known ? cell(l.unasked) : Cell{}, cell(l.one_sided),
                               known ? cell(l.busy_at_least) : Cell{}));
    };
    add(Cell{}, r.time);
    for (const auto &[session, time] : r.session_time)
        add(cell(session), time);
    return t;
}

// Of all sessions together, of each session, of each LUN, and by type.
SummaryTable owner_table(const Report &r) {
    SummaryTable t{"owners", {"session", "lun", "type", "busy_ns"}, {}};
    for (const std::string_view owner : owner_names)
        t.columns.push_back(fmt::format("{}_ns", owner));
    t.columns.emplace_back("network_trouble_ns");
    const auto add = [&](Cell session, Cell lun, Cell type, const OwnerTimes &o) {
        t.rows.push_back(cells(std::move(session), std::move(lun), std::move(type), cell(o.sum())));
        for (const Duration d : o.parts)
            t.rows.back().push_back(cell(d));
        t.rows.back().push_back(cell(o.trouble));
    };
    add({}, {}, {}, r.time.owners);
    for (const auto &[session, time] : r.session_time)
        add(cell(session), {}, {}, time.owners);
    for (const auto &[key, lun] : r.luns)
        add(cell(lun.session), to_string(Lun{lun.lun}), {}, lun.owners);
    for (std::size_t i = 0; i < task_type_count; ++i)
        add({}, {}, named(static_cast<TaskType>(i)), r.type_owners[i]);
    return t;
}

SummaryTable phase_table(const Report &r) {
    SummaryTable t{"phase_shares", {"type", "phase", "time_ns"}, {}};
    for (std::size_t i = 0; i < task_type_count; ++i)
        for (const PhaseShare &s : phase_shares(r.types[i]))
            t.rows.push_back(cells(named(static_cast<TaskType>(i)), std::string(s.name), cell(s.time)));
    return t;
}

SummaryTable outcomes(const Report &r) {
    SummaryTable t{"outcomes", {"type", "outcome", "count"}, {}};
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (std::size_t o = 0; o < task_outcome_count; ++o) {
            t.rows.push_back(cells(named(static_cast<TaskType>(i)), named(static_cast<TaskOutcome>(o)),
                                   cell(r.types[i].outcomes[o])));
        }
    }
    return t;
}

SummaryTable anomalies(const Report &r) {
    SummaryTable t{"anomalies", {"anomaly", "count", "detail_sum", "first_frame"}, {}};
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        const AnomalyTally &a = r.anomalies[i];
        if (a.count != 0) {
            t.rows.push_back(cells(named(static_cast<AnomalyKind>(i)), cell(a.count), cell(a.detail_sum),
                                   a.first.front().frame == 0 ? Cell{} : cell(a.first.front().frame)));
        }
    }
    return t;
}

SummaryTable sessions(const Report &r) {
    SummaryTable t{"sessions",
                   {"session", "from_login", "initiator_name", "target_name", "target_portal_group",
                    "session_type", "isid", "tsih", "reinstates", "downtime_ns", "downtime_tasks"},
                   {}};
    for (const auto &[id, s] : r.sessions) {
        const auto down = r.downtimes.find(id);
        const bool known = down != r.downtimes.end();
        t.rows.push_back(cells(cell(id), cell(s.from_login), cell(s.initiator_name), cell(s.target_name),
                               cell(s.target_portal_group), cell(s.session_type),
                               s.from_login ? Cell(fmt::format("{:02x}", fmt::join(s.isid, ""))) : Cell{},
                               s.from_login ? cell(s.tsih) : Cell{}, cell(s.reinstates),
                               known ? cell(down->second.length) : Cell{},
                               known ? cell(down->second.tasks) : Cell{}));
    }
    return t;
}

SummaryTable tcp_directions(const Report &r) {
    SummaryTable t{"tcp_directions", {}, {}};
    for (const Column &c : tcp_direction_table().columns)
        t.columns.emplace_back(c.name);
    Scratch scratch;
    for (const TcpDirectionRow &d : r.tcp) {
        Row row;
        for (const Column &c : tcp_direction_table().columns)
            row.push_back(cell(c.get(&d, scratch)));
        t.rows.push_back(std::move(row));
    }
    return t;
}

void findings(const Report &r, std::vector<SummaryTable> &all) {
    SummaryTable found{"findings",
                       {"finding", "kind", "severity", "lost_time_ns", "share", "title", "sentence", "remedy",
                        "stream", "session", "lun"},
                       {}};
    SummaryTable evidence{"evidence", {"finding", "frame", "word"}, {}};
    SummaryTable ruled_out{"ruled_out", {"kind", "why_not"}, {}};
    if (r.findings) {
        std::uint64_t number = 0;
        for (const Finding &f : r.findings->findings) {
            found.rows.push_back(cells(cell(number), named(f.kind), named(f.severity), cell(f.lost_time),
                                       cell(f.share), cell(f.title), cell(f.sentence), cell(f.remedy),
                                       cell(f.stream), cell(f.session),
                                       f.lun ? Cell(to_string(Lun{*f.lun})) : Cell{}));
            for (const EvidenceFrame &e : f.evidence)
                evidence.rows.push_back(cells(cell(number), cell(e.frame), cell(e.word)));
            ++number;
        }
        for (const RuledOut &o : r.findings->ruled_out)
            ruled_out.rows.push_back(cells(named(o.kind), cell(o.why_not)));
    }
    all.push_back(std::move(found));
    all.push_back(std::move(evidence));
    all.push_back(std::move(ruled_out));
}

SummaryTable intervals(const Report &r) {
    SummaryTable t{"throughput_intervals",
                   {"session", "interval", "start_ns", "length_ns", "connections", "throughput", "mean",
                    "deviation", "deviation_ratio", "jain"},
                   {}};
    if (r.session_figures) {
        for (const ThroughputFigures &f : r.session_figures->throughput) {
            for (const ThroughputRow &row : f.rows) {
                t.rows.push_back(cells(cell(f.session), cell(row.interval),
                                       cell(f.first + f.interval * static_cast<std::int64_t>(row.interval)),
                                       cell(f.interval), cell(static_cast<std::uint64_t>(row.rate.members)),
                                       cell(row.rate.sum), cell(row.rate.mean), cell(row.rate.deviation),
                                       cell(row.rate.ratio), cell(row.rate.jain)));
            }
        }
    }
    return t;
}

SummaryTable rules(const Report &r) {
    SummaryTable t{"rules", {"rule", "section", "checked", "broken", "first_frame"}, {}};
    if (r.session_figures) {
        for (const RuleRow &row : r.session_figures->rules) {
            t.rows.push_back(cells(named(row.rule), std::string(section(row.rule)), cell(row.checked),
                                   cell(row.broken),
                                   row.first.empty() ? Cell{} : cell(row.first.front().frame)));
        }
    }
    return t;
}

} // namespace

std::vector<SummaryTable> summary_tables(const Report &r, const std::vector<double> &quantiles) {
    std::vector<SummaryTable> all;
    all.push_back(times(r, quantiles));
    all.push_back(sizes(r, quantiles));
    all.push_back(luns(r, quantiles));
    all.push_back(rates_table(r));
    all.push_back(wire_table(r));
    all.push_back(lun_facts(r));
    all.push_back(time_table(r));
    all.push_back(busy_table(r));
    all.push_back(owner_table(r));
    all.push_back(phase_table(r));
    all.push_back(outcomes(r));
    all.push_back(anomalies(r));
    all.push_back(sessions(r));
    all.push_back(tcp_directions(r));
    all.push_back(intervals(r));
    all.push_back(rules(r));
    findings(r, all);
    return all;
}

} // namespace iscsiscope
