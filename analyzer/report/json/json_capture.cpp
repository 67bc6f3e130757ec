// SPDX-License-Identifier: GPL-2.0-or-later
// What the capture holds, and how much of it was read.
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/kind_words.h"

#include <algorithm>

namespace iscsiscope {
namespace {

void write_merge(JsonWriter &w, const CaptureSummary &c) {
    if (!c.merged) {
        w.add("merge", nullptr);
        return;
    }
    w.open_object("merge");
    w.add("frame_numbers_as_mergecap", c.merged->as_mergecap);
    w.open_array("merged_files");
    for (std::size_t i = 0; i < c.merged->files.size(); ++i) {
        const MergedFile &f = c.merged->files[i];
        w.open_object();
        w.add("file", c.files[i].path);
        w.add("packets", f.frames);
        w.add("tcp_segments", f.segments);
        w.add("copied_segments", f.copies);
        w.add("left_out_segments", f.left_out);
        w.add("clock_steps", f.steps);
        w.add("longest_step_ns", f.longest_step);
        w.close();
    }
    w.close();
    w.open_array("clocks");
    for (const ClockBehind &k : c.merged->clocks) {
        w.open_object();
        w.add("file", c.files[k.file].path);
        w.add("behind", c.files[k.other].path);
        w.add("at_least_ns", k.least);
        w.add("early_acks", k.seen);
        w.add("first_frame", k.first_frame);
        w.close();
    }
    w.close();
    w.open_array("same_packets");
    for (const SamePackets &s : c.merged->same) {
        w.open_object();
        w.add("file", c.files[s.file].path);
        w.add("other_file", c.files[s.other].path);
        w.add("apart_ns", s.apart);
        w.add("later_ns", s.later);
        w.close();
    }
    w.close();
    w.close();
}

void write_order(JsonWriter &w, const OrderSummary &o) {
    w.open_object("order");
    w.add("late_in_file", o.out_of_order);
    w.add("latest_by_ns", o.furthest);
    w.add("clock_steps", o.step_count);
    w.open_array("steps");
    for (const ClockStep &s : o.steps) {
        w.open_object();
        w.add("frame", s.frame);
        w.add("by_ns", s.by);
        w.close();
    }
    w.close();
    w.open_array("interfaces");
    for (const InterfaceClock &k : o.interfaces) {
        w.open_object();
        w.add("interface", k.interface + 1);
        w.add("reference", k.reference + 1);
        w.add("ahead_ns", k.ahead);
        w.add("uncertainty_ns", k.uncertainty);
        w.close();
    }
    w.close();
    w.add("clock_resolution_ns", o.resolution);
    w.close();
}

void write_traffic(JsonWriter &w, const CaptureSummary &c) {
    w.open_object("protocols");
    w.add("tcp", c.protocols.tcp);
    w.add("udp", c.protocols.udp);
    w.add("icmp", c.protocols.icmp);
    w.add("arp", c.protocols.arp);
    w.add("other_ip", c.protocols.other_ip);
    w.add("other", c.protocols.other);
    w.close();
    w.open_array("encapsulations");
    for (const EncapsulationCount &e : c.encapsulations) {
        w.open_object();
        w.add("encapsulation", e.path);
        w.add("packets", e.packets);
        w.close();
    }
    w.close();
    w.add("dropped_by_mirror", dropped_by_mirror(c));
    w.open_array("mirror_sessions");
    for (const MirrorSession &m : c.mirrors) {
        w.open_object();
        w.add("mirror", to_text(m.source));
        w.add("mirror_session", m.session);
        w.add("packets", m.packets);
        w.add("dropped_by_mirror", m.dropped);
        w.close();
    }
    w.close();
    w.open_array("icmp_errors");
    for (const IcmpError &e : c.icmp_errors) {
        w.open_object();
        w.add("reason", name(e.reason));
        w.add("type", e.type);
        w.add("code", e.code);
        w.add("sender", to_text(e.sender));
        w.add("source", to_text(e.source));
        w.add("destination", to_text(e.destination));
        w.add("mtu", e.mtu);
        w.add("largest_packet", e.largest_packet);
        w.add("messages", e.messages);
        w.add("first_frame", e.first_frame);
        w.add("last_frame", e.last_frame);
        w.close();
    }
    w.close();
    w.open_array("not_read");
    for (const UnreadTraffic &u : c.unread) {
        w.open_object();
        w.add("traffic", name(u.kind));
        w.add("packets", u.packets);
        w.add("connections", u.connections);
        w.close();
    }
    w.close();
    w.add("tcp_connections", c.tcp_connections);
    w.open_array("tcp_ports");
    for (const PortSurvey::Entry &e : c.ports) {
        w.open_object();
        w.add("port", e.port);
        w.add("segments", e.segments);
        w.close();
    }
    w.close();
}

} // namespace

void write_range(JsonWriter &w, std::string_view key, const Report &r) {
    if (r.range.everything()) {
        w.add(key, nullptr);
        return;
    }
    w.open_object(key);
    w.add("from", known_if(r.range.begin() != Time::min(), r.range.begin()));
    w.add("to", known_if(r.range.end() != Time::max(), r.range.end()));
    w.add("packets", r.capture.range_frames);
    w.add("bytes", r.capture.range_bytes);
    w.close();
}

void write_capture(JsonWriter &w, std::string_view key, const Report &r) {
    const CaptureSummary &c = r.capture;
    w.open_object(key);
    w.add("file", c.path);
    w.open_array("files");
    for (const CaptureFile &f : c.files) {
        w.open_object();
        w.add("file", f.path);
        w.add("first_frame", std::optional(f.first_frame));
        w.add("complete", f.complete);
        w.close();
    }
    w.close();
    write_merge(w, c);
    write_order(w, c.order);
    w.add("sha256", r.sha256);
    w.add("format", c.info.format);
    w.add("compression", c.info.compression);
    w.add("complete", c.info.complete);
    w.add("packets", c.info.frames);
    w.add("bytes", c.info.bytes);
    w.add("captured_bytes", c.info.captured_bytes);
    w.add("first_time", c.info.first_time);
    w.add("last_time", c.info.last_time);
    w.add("time_precision", c.info.time_precision_digits);
    std::vector<std::uint32_t> link_types;
    const std::uint32_t snap = snap_length(c.info);
    for (const CaptureInterface &i : c.info.interfaces)
        if (std::find(link_types.begin(), link_types.end(), i.link_type) == link_types.end())
            link_types.push_back(i.link_type);
    w.add("link_types", link_types);
    w.add("dropped_by_capture", dropped_packets(c.info));
    w.add("snap_length", known_if(snap != 0, snap));
    w.add("cut_packets", c.info.cut_frames);
    w.add("comment", known_text(c.info.comment));
    write_traffic(w, c);
    write_range(w, "range", r);
    w.add("filter", known_text(r.filter));
    w.close();
}

void write_coverage(JsonWriter &w, std::string_view key, const Report &r) {
    const IscsiCoverage &c = r.capture.coverage;
    w.open_object(key);
    w.add("connections", c.connections);
    w.add("iscsi_bytes", c.stream_bytes);
    w.add("cut_bytes", c.cut_bytes);
    w.add("unseen_bytes", c.unseen_bytes);
    w.add("skipped_bytes", c.skipped_bytes);
    w.add("pdus", c.pdus);
    w.add("inferred_pdus", c.inferred_pdus);
    w.add("unfinished_pdus", c.unfinished_pdus);
    w.add("resyncs", c.resyncs);
    const TaskSums tasks = task_totals(r);
    w.add("tasks", tasks.count);
    w.add("complete_tasks", tasks.complete);
    w.open_object("anomalies");
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        const AnomalyTally &a = r.anomalies[i];
        if (a.count == 0)
            continue;
        const auto kind = static_cast<AnomalyKind>(i);
        w.open_object(name(kind));
        w.add("count", a.count);
        w.add("detail_sum", a.detail_sum);
        w.add("meaning", explanation(kind));
        w.open_array("first");
        for (const Anomaly &x : a.first) {
            w.open_object();
            w.add("frame", std::optional(x.frame));
            w.add("stream", x.stream);
            w.add("detail", x.detail);
            w.close();
        }
        w.close();
        w.close();
    }
    w.close();
    w.close();
}

void write_left_out(JsonWriter &w, std::string_view key, const Report &r) {
    w.open_object(key);
    w.add("sessions", r.sessions_left_out);
    w.add("connections", r.connections_left_out);
    w.add("tasks_by_lun", r.lun_tasks_left_out);
    if (const ForgottenState &f = r.capture.forgotten; f.any()) {
        w.add("forgotten_connections", f.connections);
        w.add("forgotten_sessions", f.sessions);
    }
    w.close();
}

} // namespace iscsiscope
