// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/summary_tables.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/query/column.h"
#include "analyzer/report/tables/capture_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
Row row_of(Cells &&...each) {
    Row row;
    row.reserve(sizeof...(each));
    (row.push_back(Cell(std::forward<Cells>(each))), ...);
    return row;
}

SummaryColumn text(std::string name) {
    return {std::move(name), ValueType::text};
}
SummaryColumn whole(std::string name) {
    return {std::move(name), ValueType::integer};
}
SummaryColumn real(std::string name) {
    return {std::move(name), ValueType::number};
}
SummaryColumn flag(std::string name) {
    return {std::move(name), ValueType::boolean};
}
SummaryColumn since(std::string_view version, SummaryColumn c) {
    c.since = version;
    return c;
}

// Appends the columns of a distribution.
void distribution_columns(std::vector<SummaryColumn> &to, const std::vector<double> &quantiles) {
    for (const SummaryColumn &c :
         {whole("count"), whole("sum_ns"), whole("min_ns"), real("mean_ns"), whole("max_ns")})
        to.push_back(c);
    for (const double q : quantiles)
        to.push_back(whole(fmt::format("p{:g}_ns", q * 100)));
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
    SummaryTable t{"times", {text("type"), text("time")}, {}};
    distribution_columns(t.columns, quantiles);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (std::size_t f = 0; f < cycle_figure_count; ++f) {
            t.rows.push_back(
                with_distribution(row_of(named(static_cast<TaskType>(i)), named(static_cast<CycleFigure>(f))),
                                  r.types[i].figures[f], quantiles));
        }
    }
    return t;
}

SummaryTable sizes(const Report &r, const std::vector<double> &quantiles) {
    SummaryTable t{
        "sizes", {text("type"), whole("smallest_bytes"), whole("largest_bytes"), whole("moved_bytes")}, {}};
    distribution_columns(t.columns, quantiles);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (const SizeTally &s : r.types[i].sizes) {
            if (s.count != 0) {
                t.rows.push_back(with_distribution(
                    row_of(named(static_cast<TaskType>(i)), cell(s.smallest), cell(s.largest), cell(s.bytes)),
                    s.response_time, quantiles));
            }
        }
    }
    return t;
}

SummaryTable luns(const Report &r, const std::vector<double> &quantiles) {
    SummaryTable t{"luns",
                   {whole("session"), text("lun"), text("type"), whole("tasks"), whole("moved_bytes"),
                    whole("not_good")},
                   {}};
    distribution_columns(t.columns, quantiles);
    for (const auto &[key, l] : r.luns) {
        for (std::size_t i = 0; i < task_type_count; ++i) {
            const Tally &p = l.parts[i];
            t.rows.push_back(with_distribution(row_of(cell(l.session), to_string(Lun{l.lun}),
                                                      named(static_cast<TaskType>(i)), cell(p.count),
                                                      cell(p.bytes), cell(p.not_good)),
                                               p.response_time, quantiles));
        }
    }
    return t;
}

SummaryTable rates_table(const Report &r) {
    SummaryTable t{"rates",
                   {whole("session"), text("lun"), text("type"), whole("tasks"), whole("moved_bytes"),
                    whole("data_time_ns"), whole("data_time_uncertain_ns"), whole("range_ns"),
                    real("throughput"), real("average_throughput"), real("iops"), real("average_iops"),
                    real("outstanding"), whole("wire_bytes"), real("wire_rate")},
                   {}};
    for (const RateRow &row : rate_rows(r)) {
        const Rates &x = row.rates;
        t.rows.push_back(row_of(cell(row.session), row.lun ? Cell(to_string(Lun{*row.lun})) : Cell{},
                                std::string(row.type), cell(x.tasks), cell(x.bytes), cell(x.data_time),
                                cell(x.uncertain), cell(x.range), cell(x.throughput),
                                cell(x.average_throughput), cell(x.iops), cell(x.average_iops),
                                cell(x.outstanding), cell(x.wire_bytes), cell(x.wire_rate)));
    }
    return t;
}

SummaryTable wire_table(const Report &r) {
    const WireTally &w = r.wire;
    SummaryTable t{"wire_rates",
                   {whole("bytes_to_target"), whole("bytes_to_initiator"), whole("unseen_bytes"),
                    whole("wire_range_ns"), whole("flow_time_ns"), real("average_wire_rate"),
                    real("flow_rate")},
                   {}};
    t.rows.push_back(row_of(cell(w.to_target()), cell(w.to_initiator()), cell(w.unseen), cell(w.range()),
                            cell(w.flowing), cell(w.average_rate()), cell(w.flow_rate())));
    return t;
}

SummaryTable lun_facts(const Report &r) {
    SummaryTable t{"lun_facts",
                   {whole("session"), text("lun"), whole("block_length"), whole("blocks"),
                    whole("device_type"), text("vendor"), text("product"), text("serial"),
                    text("designator")},
                   {}};
    for (const auto &[key, f] : r.lun_facts) {
        t.rows.push_back(row_of(cell(f.session), to_string(Lun{f.lun}), cell(f.block_length), cell(f.blocks),
                                cell(f.device_type), cell(f.vendor), cell(f.product), cell(f.serial),
                                cell(f.designator)));
    }
    return t;
}

SummaryTable time_table(const Report &r) {
    SummaryTable t{"time_shares", {text("kind"), whole("count"), whole("time_ns"), real("share")}, {}};
    for (const TimeShare &s : time_shares(r.time)) {
        const Cell count = s.kind ? cell(r.time.gaps[static_cast<std::size_t>(*s.kind)]) : Cell{};
        t.rows.push_back(row_of(std::string(s.name), count, cell(s.time), cell(s.share)));
    }
    return t;
}

// Of all sessions together, then of each.
SummaryTable busy_table(const Report &r) {
    SummaryTable t{"busy_time",
                   {whole("session"), whole("active_ns"), whole("busy_ns"), whole("unasked_ns"),
                    whole("one_sided_ns"), flag("busy_at_least")},
                   {}};
    const auto add = [&](Cell session, const ActiveTime &l) {
        const bool known = l.one_sided < l.active;
        t.rows.push_back(row_of(std::move(session), cell(l.active), known ? cell(l.busy) : Cell{},
                                known ? cell(l.without_task) : Cell{}, cell(l.one_sided),
                                known ? cell(l.busy_at_least) : Cell{}));
    };
    add(Cell{}, r.time);
    for (const auto &[session, time] : r.session_time)
        add(cell(session), time);
    return t;
}

// Of all sessions together, of each session, of each LUN, and by type.
SummaryTable owner_table(const Report &r) {
    SummaryTable t{"owners", {whole("session"), text("lun"), text("type"), whole("busy_ns")}, {}};
    for (const std::string_view owner : owner_names)
        t.columns.push_back(whole(fmt::format("{}_ns", owner)));
    t.columns.push_back(whole("network_trouble_ns"));
    const auto add = [&](Cell session, Cell lun, Cell type, const OwnerTimes &o) {
        t.rows.push_back(row_of(std::move(session), std::move(lun), std::move(type), cell(o.sum())));
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
    SummaryTable t{"phase_shares", {text("type"), text("phase"), whole("time_ns")}, {}};
    for (std::size_t i = 0; i < task_type_count; ++i)
        for (const PhaseShare &s : phase_shares(r.types[i]))
            t.rows.push_back(row_of(named(static_cast<TaskType>(i)), std::string(s.name), cell(s.time)));
    return t;
}

SummaryTable outcomes(const Report &r) {
    SummaryTable t{"outcomes", {text("type"), text("outcome"), whole("count")}, {}};
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (std::size_t o = 0; o < task_outcome_count; ++o) {
            t.rows.push_back(row_of(named(static_cast<TaskType>(i)), named(static_cast<TaskOutcome>(o)),
                                    cell(r.types[i].outcomes[o])));
        }
    }
    return t;
}

SummaryTable anomalies(const Report &r) {
    SummaryTable t{
        "anomalies", {text("anomaly"), whole("count"), whole("detail_sum"), whole("first_frame")}, {}};
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        const AnomalyTally &a = r.anomalies[i];
        if (a.count != 0) {
            t.rows.push_back(row_of(named(static_cast<AnomalyKind>(i)), cell(a.count), cell(a.detail_sum),
                                    a.first.front().frame ? cell(*a.first.front().frame) : Cell{}));
        }
    }
    return t;
}

SummaryTable encapsulations(const Report &r) {
    SummaryTable t{"encapsulations", {text("encapsulation"), whole("packets")}, {}};
    for (const EncapsulationCount &e : r.capture.encapsulations)
        t.rows.push_back(row_of(e.path, cell(e.packets)));
    return t;
}

SummaryTable mirror_sessions(const Report &r) {
    SummaryTable t{"mirror_sessions",
                   {text("mirror"), whole("mirror_session"), whole("packets"), whole("dropped_by_mirror")},
                   {}};
    for (const MirrorSession &m : r.capture.mirrors)
        t.rows.push_back(row_of(to_text(m.source), cell(m.session), cell(m.packets), cell(m.dropped)));
    return t;
}

SummaryTable icmp_errors(const Report &r) {
    SummaryTable t{"icmp_errors",
                   {text("reason"), whole("type"), whole("code"), text("sender"), text("source"),
                    text("destination"), whole("mtu"), whole("largest_packet"), whole("messages"),
                    whole("first_frame"), whole("last_frame")},
                   {}};
    for (const IcmpError &e : r.capture.icmp_errors)
        t.rows.push_back(row_of(named(e.reason), cell(e.type), cell(e.code), to_text(e.sender),
                                to_text(e.source), to_text(e.destination), cell(e.mtu),
                                cell(e.largest_packet), cell(e.messages), cell(e.first_frame),
                                cell(e.last_frame)));
    return t;
}

SummaryTable not_read(const Report &r) {
    SummaryTable t{"not_read", {text("traffic"), whole("packets"), whole("connections")}, {}};
    for (const UnreadTraffic &u : r.capture.unread)
        t.rows.push_back(row_of(named(u.kind), cell(u.packets), cell(u.connections)));
    return t;
}

SummaryTable sessions(const Report &r) {
    SummaryTable t{"sessions",
                   {whole("session"), flag("from_login"), text("initiator_name"), text("target_name"),
                    text("target_portal_group"), text("session_type"), text("isid"), whole("tsih"),
                    whole("reinstates"), since("0.2", whole("downtime_ns")),
                    since("0.2", whole("downtime_tasks"))},
                   {}};
    for (const auto &[id, s] : r.sessions) {
        const auto down = r.downtimes.find(id);
        const bool known = down != r.downtimes.end();
        t.rows.push_back(row_of(cell(id), cell(s.from_login), cell(s.initiator_name), cell(s.target_name),
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
        t.columns.push_back({std::string(c.name), c.type, c.since});
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
                       {whole("finding"), text("kind"), text("severity"), whole("lost_time_ns"),
                        real("share"), text("title"), text("sentence"), text("where"), text("when"),
                        text("remedy"), whole("stream"), whole("session"), text("lun")},
                       {}};
    SummaryTable evidence{"evidence", {whole("finding"), whole("frame"), text("word")}, {}};
    SummaryTable parts{"finding_parts",
                       {whole("finding"), whole("start_ns"), whole("end_ns"), whole("frame"),
                        whole("lost_time_ns"), real("share")},
                       {}};
    SummaryTable ruled_out{"ruled_out", {text("kind"), text("why_not")}, {}};
    if (r.findings) {
        std::uint64_t number = 0;
        for (const Finding &f : r.findings->findings) {
            found.rows.push_back(row_of(cell(number), named(f.kind), named(f.severity), cell(f.lost_time),
                                        cell(f.share), cell(f.title), cell(f.sentence), cell(f.where),
                                        cell(f.when), cell(f.remedy), cell(f.stream), cell(f.session),
                                        f.lun ? Cell(to_string(Lun{*f.lun})) : Cell{}));
            for (const EvidenceFrame &e : f.evidence)
                evidence.rows.push_back(row_of(cell(number), cell(e.frame), cell(e.word)));
            for (const FindingInterval &s : f.times.parts)
                parts.rows.push_back(row_of(cell(number), cell(s.from), cell(s.until), cell(s.frame),
                                            cell(s.lost), cell(s.share)));
            ++number;
        }
        for (const RuledOut &o : r.findings->ruled_out)
            ruled_out.rows.push_back(row_of(named(o.kind), cell(o.why_not)));
    }
    all.push_back(std::move(found));
    all.push_back(std::move(evidence));
    all.push_back(std::move(parts));
    all.push_back(std::move(ruled_out));
}

SummaryTable intervals(const Report &r) {
    SummaryTable t{"throughput_intervals",
                   {whole("session"), whole("interval"), whole("start_ns"), whole("length_ns"),
                    whole("connections"), real("throughput"), real("mean"), real("deviation"),
                    real("deviation_ratio"), real("jain")},
                   {}};
    if (r.session_figures) {
        for (const ThroughputFigures &f : r.session_figures->throughput) {
            for (const ThroughputRow &row : f.rows) {
                t.rows.push_back(row_of(cell(f.session), cell(row.interval),
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
    SummaryTable t{"rules",
                   {text("rule"), text("section"), whole("checked"), whole("broken"), whole("first_frame")},
                   {}};
    if (r.session_figures) {
        for (const RuleRow &row : r.session_figures->conformance.rules) {
            t.rows.push_back(row_of(named(row.rule), std::string(section(row.rule)), cell(row.checked),
                                    cell(row.broken),
                                    row.first_frames.empty() ? Cell{} : cell(row.first_frames.front())));
        }
    }
    return t;
}

} // namespace

SummaryTable facts_table(const Report &r, const std::string &version) {
    const CaptureSummary &c = r.capture;
    const auto time = [](const std::optional<Time> &t) { return t ? Cell(to_ns(*t)) : Cell{}; };
    SummaryTable t{"report", {{"name", ValueType::text}, {"value", ValueType::unknown}}, {}};
    const auto add = [&t](const char *name, Cell value) {
        t.rows.emplace_back().emplace_back(std::string(name));
        t.rows.back().push_back(std::move(value));
    };
    add("tool", "iscsiscope " + version);
    add("file", c.path);
    add("sha256", r.sha256 ? Cell(*r.sha256) : Cell{});
    add("complete", std::int64_t{c.info.complete ? 1 : 0});
    add("packets", c.info.frames);
    add("bytes", c.info.bytes);
    add("cut_packets", c.info.cut_frames);
    add("first_time_ns", time(c.info.first_time));
    add("last_time_ns", time(c.info.last_time));
    add("tcp_connections", c.tcp_connections);
    add("iscsi_connections", c.coverage.connections);
    add("pdus", c.coverage.pdus);
    add("cut_bytes", c.coverage.cut_bytes);
    add("unseen_bytes", c.coverage.unseen_bytes);
    add("forgotten_connections", c.forgotten.connections);
    add("forgotten_sessions", c.forgotten.sessions);
    add("tasks", r.tasks());
    add("filter", r.filter.empty() ? Cell{} : Cell(r.filter));
    return t;
}

std::vector<SummaryTable> summary_tables(const Report &r, const std::vector<double> &quantiles) {
    std::vector<SummaryTable> all;
    all.push_back(capture_table(r));
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
    all.push_back(encapsulations(r));
    all.push_back(mirror_sessions(r));
    all.push_back(icmp_errors(r));
    all.push_back(not_read(r));
    all.push_back(sessions(r));
    all.push_back(tcp_directions(r));
    all.push_back(intervals(r));
    all.push_back(rules(r));
    findings(r, all);
    for (SummaryTable &t : all)
        for (const std::string_view later : {"rates", "wire_rates", "busy_time", "owners", "encapsulations",
                                             "mirror_sessions", "icmp_errors", "not_read"})
            if (t.name == later)
                for (SummaryColumn &c : t.columns)
                    c.since = "0.2";
    return all;
}

} // namespace iscsiscope
