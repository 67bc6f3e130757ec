// SPDX-License-Identifier: GPL-2.0-or-later
// The content of the capture, and how much of it could be read.
#include "analyzer/base/number_format.h"
#include "analyzer/base/text/utf8.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/findings/rules/icmp_words.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/capture_words.h"
#include "analyzer/words/capture/merge_words.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/capture/unread_words.h"
#include "analyzer/words/order_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

std::string interfaces(const CaptureInfo &info) {
    std::vector<std::string> parts;
    for (const CaptureInterface &i : info.interfaces) {
        const std::string_view words = link_type_words(i.link_type);
        std::string part = words.empty() ? fmt::format("link type {}", i.link_type) : std::string(words);
        if (!i.name.empty())
            part += fmt::format(" ({})", human::name(i.name));
        if (std::find(parts.begin(), parts.end(), part) == parts.end())
            parts.push_back(part);
        if (parts.size() == 6) {
            parts.emplace_back("...");
            break;
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string format_words(const CaptureInfo &info) {
    std::string s = info.format;
    if (info.compression != "none")
        s += ", " + info.compression;
    return s + (info.time_precision_digits > 6 ? "" : ", microsecond times");
}

// Returns how many packets were cut, and the snap length if there is one.
std::string cut_words(const CaptureInfo &info) {
    const std::uint32_t snap = snap_length(info);
    const bool limits = snap > 0 && snap < 65535;
    return fmt::format("{} of {} packets are shorter in the file than they were{}",
                       human::count(info.cut_frames), human::count(info.frames),
                       limits ? fmt::format(" (snap length {} bytes)", human::count(snap)) : "");
}

void protocols_item(Page &page, const ProtocolCounts &p) {
    std::vector<std::string> parts;
    for (const auto &[n, words] :
         {std::pair{p.tcp, "TCP"}, std::pair{p.udp, "UDP"}, std::pair{p.icmp, "ICMP"},
          std::pair{p.arp, "ARP"}, std::pair{p.other_ip, "other IP"}, std::pair{p.other, "not IP"}})
        if (n != 0)
            parts.push_back(fmt::format("{} {}", human::count(n), words));
    if (!parts.empty())
        page.item("Packets are", fmt::format("{}", fmt::join(parts, ", ")));
}

// What is around the packets, and how much came of what a mirror sent.
void encapsulation_items(Page &page, const CaptureSummary &c) {
    constexpr std::size_t most = 4;
    std::vector<std::string> parts;
    for (const EncapsulationCount &e : c.encapsulations) {
        if (parts.size() == most) {
            parts.push_back(fmt::format("{} more", c.encapsulations.size() - most));
            break;
        }
        parts.push_back(fmt::format("{} ({})", e.path, human::plural(e.packets, "packet", "packets")));
    }
    if (!parts.empty())
        page.item("Encapsulation", fmt::format("{}", fmt::join(parts, ", ")));
    if (const auto dropped = dropped_by_mirror(c); dropped) {
        page.item("Mirror",
                  fmt::format("dropped {} of {}, by the sequence numbers of ERSPAN{}", human::count(*dropped),
                              human::plural(mirrored_packets(c) + *dropped, "packet", "packets"),
                              *dropped == 0 ? "" : ": the network did not lose them"),
                  *dropped == 0 ? Tone::plain : Tone::bad);
    }
}

// What ICMP says of the packets of iSCSI.
void icmp_items(Page &page, const CaptureSummary &c) {
    constexpr std::size_t most = 3;
    const std::vector<IcmpError> sums = summed(c.icmp_errors);
    for (std::size_t i = 0; i < std::min(sums.size(), most); ++i) {
        const IcmpError &e = sums[i];
        page.item("ICMP",
                  fmt::format("{} ({}, first frame {}; about packets from {} to {})", icmp_words(e),
                              human::plural(e.messages, "message", "messages"), e.first_frame,
                              to_text(e.source.address), to_text(e.destination.address)),
                  Tone::notice);
    }
    if (sums.size() > most)
        page.item("", fmt::format("... and {} more", sums.size() - most));
}

void unread_items(Page &page, const Report &r) {
    for (const UnreadTraffic &u : r.capture.unread)
        page.item("Not read", fmt::format("{}. {}", unread_words(u), unread_reason(u)), Tone::notice);
}

// What was forgotten so that memory stays bounded.
void forgotten_item(Page &page, const ForgottenState &f) {
    if (f.connections != 0) {
        page.item(
            "Forgotten",
            fmt::format("{} while open, those idle longest first, to bound memory: what came later on one "
                        "counts as another connection",
                        human::plural(f.connections, "connection", "connections")),
            Tone::notice);
    }
    if (f.sessions != 0) {
        page.item(
            "Forgotten",
            fmt::format("{} that had ended, the oldest first, to bound memory: a login that reinstated one "
                        "counts as a new session",
                        human::plural(f.sessions, "session", "sessions")),
            Tone::notice);
    }
}

// How sure times and counts are in a capture that was cut.
std::string what_a_cut_costs(const IscsiCoverage &c) {
    if (c.inferred_pdus != 0)
        return fmt::format("; of {} a header or tag was cut, and is inferred from the PDUs around it",
                           human::plural(c.inferred_pdus, "PDU", "PDUs"));
    return c.skipped_bytes == 0 ? ", times and counts exact" : "";
}

void coverage_items(Page &page, const Report &r) {
    const IscsiCoverage &c = r.capture.coverage;
    std::string found =
        fmt::format("{} on {} of {}, {}", human::plural(c.pdus, "PDU", "PDUs"), c.connections,
                    human::plural(r.capture.tcp_connections, "TCP connection", "TCP connections"),
                    human::bytes(c.stream_bytes));
    if (c.unfinished_pdus != 0)
        found += fmt::format("; {} begun whose end is not in the capture", human::count(c.unfinished_pdus));
    page.item("iSCSI", of_whole_capture(r, found));
    const TaskSums tasks = task_totals(r);
    const bool whole = tasks.complete == tasks.count;
    page.item("Commands",
              whole ? fmt::format("{}, seen whole", human::count(tasks.count))
                    : fmt::format("{}, of which {} ({}) seen whole", human::count(tasks.count),
                                  human::count(tasks.complete), human::share(coverage_shares(r).complete)),
              whole ? Tone::plain : Tone::notice);
    const CoverageShares share = coverage_shares(r);
    if (c.cut_bytes != 0) {
        page.item("Cut",
                  fmt::format("{} ({}) by the snap length: contents and digests unknown{}",
                              human::bytes(c.cut_bytes), human::share(share.cut), what_a_cut_costs(c)),
                  Tone::notice);
    }
    if (c.unseen_bytes != 0) {
        page.item(
            "Unseen",
            fmt::format("{} ({}) passed but no packet in the file holds them: tasks they belong to count "
                        "as incomplete",
                        human::bytes(c.unseen_bytes), human::share(share.unseen)),
            Tone::bad);
    }
    if (c.lost_bytes != 0) {
        page.item("Lost",
                  fmt::format("{} are in no packet of the file and were never acknowledged: lost before the "
                              "point of capture",
                              human::bytes(c.lost_bytes)),
                  Tone::notice);
    }
    if (c.skipped_bytes != 0) {
        page.item("Skipped",
                  fmt::format("{} ({}) while looking for the next PDU; found again {}",
                              human::bytes(c.skipped_bytes), human::share(share.skipped),
                              human::plural(c.resyncs, "time", "times")),
                  Tone::notice);
    }
    forgotten_item(page, r.capture.forgotten);
}

// The files that were joined or merged, and what follows for a merged capture.
void files_item(Page &page, const CaptureSummary &c) {
    for (std::size_t i = 0; i < std::min<std::size_t>(c.files.size(), 8); ++i) {
        const CaptureFile &f = c.files[i];
        const std::string name = f.path == "-" ? "standard input" : human::path(f.path);
        std::string words = f.first_frame ? fmt::format("{}: from frame {}", name, *f.first_frame)
                                          : fmt::format("{}: no packet", name);
        if (c.merged && f.first_frame)
            words += fmt::format(", {}", human::plural(c.merged->files[i].frames, "packet", "packets"));
        page.item(i == 0 ? c.merged ? "Merged of" : "Joined of" : "", words);
    }
    if (c.files.size() > 8)
        page.item("", fmt::format("... and {} more", c.files.size() - 8));
    if (c.merged)
        page.item("", frame_number_words(c));
    for (const std::string &words : same_packet_words(c))
        page.item("", words, Tone::notice);
    for (const std::string &words : merge_remarks(c))
        page.item("", words, Tone::bad);
}

} // namespace

void capture_section(Page &page, const Report &r) {
    const CaptureInfo &info = r.capture.info;
    page.heading("CAPTURE");
    page.item("File", r.capture.path == "-" ? "standard input" : human::path(r.capture.path));
    files_item(page, r.capture);
    if (r.sha256)
        page.item("SHA-256", *r.sha256);
    if (!info.comment.empty()) {
        std::string comment =
            std::string(utf8_prefix(info.comment, 300)) + (info.comment.size() > 300 ? " ..." : "");
        std::replace(comment.begin(), comment.end(), '\n', ' ');
        page.item("Comment", human::name(comment));
    }
    if (info.first_time && info.last_time) {
        page.item("Time", fmt::format("{}, {} long", human::instant(*info.first_time),
                                      human::duration(*info.last_time - *info.first_time)));
    }
    page.item("Packets", fmt::format("{}, {} on the wire; {}; {}", human::count(info.frames),
                                     human::bytes(info.bytes), interfaces(info), format_words(info)));
    if (info.cut_frames != 0)
        page.item("", cut_words(info), Tone::notice);
    if (const auto n = dropped_packets(info); n && *n != 0) {
        page.item("Dropped", fmt::format("{} by the capturing host", human::plural(*n, "packet", "packets")),
                  Tone::bad);
    }
    encapsulation_items(page, r.capture);
    for (const OrderRemark &remark : order_remarks(r.capture))
        page.item(remark.about, remark.words, Tone::notice);
    if (!info.complete) {
        page.item("Incomplete",
                  fmt::format("the file {}: this report is of what could be read",
                              info.unpack_bound != UnpackBound::none
                                  ? "unpacks to more than the bounds of unpacking allow"
                                  : "is cut short or damaged"),
                  Tone::bad);
    }
    if (!r.range.everything())
        page.item("Range", range_words(r), Tone::notice);
    if (!r.filter.empty()) {
        page.item("Filter",
                  fmt::format("only tasks with {}, and their time; packets, logins and models are of all",
                              human::name(r.filter)),
                  Tone::notice);
    }
    if (r.capture.coverage.connections != 0) {
        coverage_items(page, r);
        icmp_items(page, r.capture);
        unread_items(page, r);
    } else {
        protocols_item(page, r.capture.protocols);
        icmp_items(page, r.capture);
        forgotten_item(page, r.capture.forgotten);
    }
}

bool portal_failed(const Report &r) {
    return r.findings && r.findings->find(FindingKind::portal_unreachable) != nullptr;
}

void no_iscsi_section(Page &page, const Report &r) {
    const CaptureSummary &c = r.capture;
    page.heading(c.unread.empty() ? "NO iSCSI IN THIS CAPTURE" : "NO iSCSI THAT CAN BE READ");
    for (const UnreadTraffic &u : c.unread)
        page.line(fmt::format("This is {}. {}", unread_words(u), unread_reason(u)), 2, Tone::strong);
    if (!c.unread.empty())
        page.blank();
    if (c.info.frames == 0) {
        page.line("There is no packet in it.");
    } else if (c.protocols.tcp == 0) {
        page.line("There is no TCP in it that could be read.");
    } else {
        page.line(fmt::format("{} with {} were searched for iSCSI headers on every port; none was found.",
                              human::plural(c.tcp_connections, "TCP connection", "TCP connections"),
                              human::plural(c.protocols.tcp, "segment", "segments")));
        TextTable t({">TCP port", ">segments", ">share", "<usually"});
        for (const PortSurvey::Entry &e : c.ports) {
            t.row({std::to_string(e.port), human::count(e.segments), human::share(port_share(c, e)),
                   std::string(port_words(e.port))});
        }
        if (!t.empty()) {
            page.blank();
            page.table(t);
        }
    }
    if (anomaly_count(r) != 0) {
        page.blank();
        anomalies_part(page, r);
    }
    if (portal_failed(r)) {
        page.blank();
        page.line("Connection attempts to an iSCSI portal failed: see the finding above.");
        const auto &figures = r.findings->find(FindingKind::portal_unreachable)->figures;
        if (std::none_of(figures.begin(), figures.end(),
                         [](const Figure &f) { return f.name == "attempts_accepted" && f.value > 0; }))
            return;
    }
    const bool on_port = std::any_of(c.ports.begin(), c.ports.end(),
                                     [](const auto &e) { return e.port == 3260 || e.port == 860; });
    if (on_port && c.unread.empty()) {
        page.blank();
        page.line("Port 3260 or 860 is there, but no PDU header could be recognised: the capture may hold no "
                  "data in one direction or none at all, packets cut in front of the iSCSI header, or "
                  "encrypted traffic (IPsec, TLS).");
    }
    page.blank();
    page.line("How to take a good capture, at the initiator (or at the target, or on a mirror port):");
    page.blank();
    page.line("tcpdump -i eth0 -s 0 -B 65536 -w iscsi.pcap 'tcp port 3260'", 6, Tone::strong);
    page.blank();
    page.line("· -i: the interface that carries the storage traffic; all of them with -i any");
    page.line(
        "· -s 0 keeps whole packets: the header of a PDU may stand anywhere in one; -s 256 saves room,");
    page.line("  but loses the headers that stand further back, and with them commands or answers");
    page.line("· 'tcp port 3260 or icmp or icmp6' also has what routers say of packets that do not arrive");
    page.line("· on a VLAN trunk write '(tcp port 3260) or (vlan and tcp port 3260)'");
    page.line("· start it before the initiator logs in, and let the slow operation happen while it runs");
    page.line("· another port? Leave the filter out: iSCSI is found by content, or name it with --port N");
}

} // namespace iscsiscope
