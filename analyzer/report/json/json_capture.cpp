// SPDX-License-Identifier: GPL-2.0-or-later
// What the capture holds, and how much of it was read.
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/report/wording.h"

namespace iscsiscope {
namespace {

Json merge_json(const CaptureSummary &c) {
    if (!c.merged)
        return nullptr;
    Json j;
    j["frame_numbers_as_mergecap"] = c.merged->as_mergecap;
    Json &files = j["merged_files"] = Json::array();
    for (std::size_t i = 0; i < c.merged->files.size(); ++i) {
        const MergedFile &f = c.merged->files[i];
        files.push_back({{"file", c.files[i].path},
                         {"packets", f.frames},
                         {"tcp_segments", f.segments},
                         {"copied_segments", f.copies},
                         {"left_out_segments", f.left_out},
                         {"clock_steps", f.steps},
                         {"longest_step_ns", to_ns(f.longest_step)}});
    }
    Json &clocks = j["clocks"] = Json::array();
    for (const ClockBehind &k : c.merged->clocks) {
        clocks.push_back({{"file", c.files[k.file].path},
                          {"behind", c.files[k.other].path},
                          {"at_least_ns", to_ns(k.least)},
                          {"early_acks", k.seen},
                          {"first_frame", k.first_frame}});
    }
    Json &same = j["same_packets"] = Json::array();
    for (const SamePackets &s : c.merged->same) {
        same.push_back({{"file", c.files[s.file].path},
                        {"other_file", c.files[s.other].path},
                        {"apart_ns", s.apart ? Json(to_ns(*s.apart)) : Json(nullptr)},
                        {"later_ns", to_ns(s.later)}});
    }
    return j;
}

} // namespace

Json range_json(const Report &r) {
    if (r.range.everything())
        return nullptr;
    return {{"from", r.range.begin() == Time::min() ? Json(nullptr) : Json(to_ns(r.range.begin()))},
            {"to", r.range.end() == Time::max() ? Json(nullptr) : Json(to_ns(r.range.end()))},
            {"packets", r.capture.range_frames},
            {"bytes", r.capture.range_bytes}};
}

Json capture_json(const Report &r) {
    const CaptureSummary &c = r.capture;
    Json j;
    j["file"] = c.path;
    Json &files = j["files"] = Json::array();
    for (const CaptureFile &f : c.files) {
        files.push_back({{"file", f.path},
                         {"first_frame", f.first_frame == 0 ? Json(nullptr) : Json(f.first_frame)},
                         {"complete", f.complete}});
    }
    j["merge"] = merge_json(c);
    j["sha256"] = optional_json(r.sha256);
    j["format"] = c.info.format;
    j["compression"] = c.info.compression;
    j["complete"] = c.info.complete;
    j["packets"] = c.info.frames;
    j["bytes"] = c.info.bytes;
    j["captured_bytes"] = c.info.captured_bytes;
    j["first_time"] = time_json(c.info.first_time);
    j["last_time"] = time_json(c.info.last_time);
    j["time_precision"] = c.info.time_precision_digits;
    std::vector<std::uint32_t> link_types;
    const std::uint32_t snap = snap_length(c.info);
    for (const CaptureInterface &i : c.info.interfaces)
        if (std::find(link_types.begin(), link_types.end(), i.link_type) == link_types.end())
            link_types.push_back(i.link_type);
    j["link_types"] = link_types;
    j["dropped_by_capture"] = optional_json(dropped_packets(c.info));
    j["snap_length"] = snap == 0 ? Json(nullptr) : Json(snap);
    j["cut_packets"] = c.info.cut_frames;
    j["comment"] = text_json(c.info.comment);
    j["protocols"] = {{"tcp", c.protocols.tcp},           {"udp", c.protocols.udp},
                      {"icmp", c.protocols.icmp},         {"arp", c.protocols.arp},
                      {"other_ip", c.protocols.other_ip}, {"other", c.protocols.other}};
    Json &encapsulations = j["encapsulations"] = Json::array();
    for (const EncapsulationCount &e : c.encapsulations)
        encapsulations.push_back({{"encapsulation", e.path}, {"packets", e.packets}});
    j["dropped_by_mirror"] = optional_json(dropped_by_mirror(c));
    Json &mirrors = j["mirror_sessions"] = Json::array();
    for (const MirrorSession &m : c.mirrors)
        mirrors.push_back({{"mirror", to_text(m.source)},
                           {"mirror_session", m.session},
                           {"packets", m.packets},
                           {"dropped_by_mirror", m.dropped}});
    Json &not_read = j["not_read"] = Json::array();
    for (const UnreadTraffic &u : c.unread)
        not_read.push_back({{"traffic", std::string(name(u.kind))},
                            {"packets", u.packets},
                            {"connections", optional_json(u.connections)}});
    j["tcp_connections"] = c.tcp_connections;
    Json &ports = j["tcp_ports"] = Json::array();
    for (const PortSurvey::Entry &e : c.ports)
        ports.push_back({{"port", e.port}, {"segments", e.segments}});
    j["range"] = range_json(r);
    j["filter"] = text_json(r.filter);
    return j;
}

Json coverage_json(const Report &r) {
    const IscsiCoverage &c = r.capture.coverage;
    Json j;
    j["connections"] = c.connections;
    j["iscsi_bytes"] = c.stream_bytes;
    j["cut_bytes"] = c.cut_bytes;
    j["unseen_bytes"] = c.unseen_bytes;
    j["skipped_bytes"] = c.skipped_bytes;
    j["pdus"] = c.pdus;
    j["inferred_pdus"] = c.inferred_pdus;
    j["unfinished_pdus"] = c.unfinished_pdus;
    j["resyncs"] = c.resyncs;
    const TaskTotals tasks = task_totals(r);
    j["tasks"] = tasks.count;
    j["complete_tasks"] = tasks.complete;
    Json &anomalies = j["anomalies"] = Json::object();
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        const AnomalyTally &a = r.anomalies[i];
        if (a.count == 0)
            continue;
        const auto kind = static_cast<AnomalyKind>(i);
        Json first = Json::array();
        for (const Anomaly &x : a.first) {
            first.push_back({{"frame", x.frame == 0 ? Json(nullptr) : Json(x.frame)},
                             {"stream", optional_json(x.stream)},
                             {"detail", x.detail}});
        }
        anomalies[std::string(name(kind))] = {{"count", a.count},
                                              {"detail_sum", a.detail_sum},
                                              {"meaning", explanation(kind)},
                                              {"first", first}};
    }
    return j;
}

} // namespace iscsiscope
