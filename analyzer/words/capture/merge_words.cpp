// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/capture/merge_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/pipeline/merge/merged_connections.h"
#include "analyzer/pipeline/read_capture.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string name_of(const CaptureSummary &c, std::size_t file) {
    const std::string &path = c.files[file].path;
    const std::string name = path == "-" ? "standard input" : human::path(path);
    const auto same =
        std::count_if(c.files.begin(), c.files.end(), [&](const CaptureFile &f) { return f.path == path; });
    return same == 1 ? name : fmt::format("{} (file {})", name, file + 1);
}

// The path as a shell takes it.
std::string quoted(const std::string &path) {
    const bool plain = !path.empty() && std::all_of(path.begin(), path.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_./+=:@%,-").find(c) != std::string_view::npos;
    });
    if (plain)
        return path;
    std::string s = "'";
    for (const char c : human::path(path))
        s += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return s + "'";
}

Duration length(Duration d) {
    return d < Duration{} ? -d : d;
}

} // namespace

std::string frame_number_words(const CaptureSummary &c) {
    if (!c.merged)
        return {};
    if (!c.merged->as_mergecap)
        return "Frame numbers are not those that mergecap gives, since a step was taken out of a clock's "
               "times";
    std::string files;
    for (const CaptureFile &f : c.files)
        files += " " + quoted(f.path);
    std::string words = fmt::format("Frame numbers are those of `mergecap -w merged.pcapng{}`", files);
    if (c.merged->mergecap_ends && *c.merged->mergecap_ends < c.info.frames) {
        words += fmt::format(", which ends after frame {}: there a file is cut short or damaged",
                             *c.merged->mergecap_ends);
    }
    return words;
}

std::vector<std::string> merge_remarks(const CaptureSummary &c) {
    std::vector<std::string> all;
    if (!c.merged)
        return all;
    for (const ClockBehind &k : c.merged->clocks) {
        all.push_back(fmt::format(
            "The clock of {} is at least {} behind that of {}: {} before the data that they acknowledge, the "
            "first in frame {}. Times from a packet of the one to a packet of the other are wrong by that "
            "much",
            name_of(c, k.file), human::duration(k.least), name_of(c, k.other),
            human::plural(k.seen, "acknowledgment comes", "acknowledgments come"), k.first_frame));
    }
    const auto &files = c.merged->files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const MergedFile &f = files[i];
        if (f.steps > 0) {
            all.push_back(fmt::format(
                "The clock of {} steps back {}, by {} at most, first before frame {}. Its times after a "
                "step continue at the frame before",
                name_of(c, i), human::plural(f.steps, "time", "times"), human::duration(f.longest_step),
                human::frame(f.first_step)));
        }
        const bool apart =
            f.first && std::all_of(
                           files.begin(), files.end(),
                           [&](const MergedFile &o) {
                               return &o == &f || !o.first || *o.last < *f.first || *f.last < *o.first;
                           });
        const auto with_frames = std::count_if(
            files.begin(), files.end(), [](const MergedFile &o) { return o.first.has_value(); });
        const bool explained = std::any_of(c.merged->clocks.begin(), c.merged->clocks.end(),
                                           [&](const ClockBehind &k) { return k.file == i || k.other == i; });
        if (apart && with_frames > 1 && !explained) {
            all.push_back(fmt::format("{} overlaps no other file in time: for the parts of a ring buffer use "
                                      "--join; else its clock differs from the others",
                                      name_of(c, i)));
        }
    }
    return all;
}

std::vector<std::string> same_packet_words(const CaptureSummary &c) {
    std::vector<std::string> all;
    if (!c.merged)
        return all;
    for (const SamePackets &s : c.merged->same) {
        const std::string a = name_of(c, s.file), b = name_of(c, s.other);
        std::string words = fmt::format("{} and {} hold the same packets", a, b);
        const bool two_places = s.apart && *s.apart >= MergedConnections::tolerance;
        if (two_places) {
            words += fmt::format(", captured at two places {} apart: `compare {} {} --ends` shows what lies "
                                 "between",
                                 human::duration(*s.apart), quoted(c.files[s.file].path),
                                 quoted(c.files[s.other].path));
        }
        if (length(s.later) >= MergedConnections::tolerance) {
            words +=
                fmt::format("{} {} stamps them {} {} than {}", two_places ? ";" : ":", b,
                            human::duration(length(s.later)), s.later < Duration{} ? "earlier" : "later", a);
        }
        all.push_back(std::move(words));
    }
    for (std::size_t i = 0; i < c.merged->files.size(); ++i) {
        const MergedFile &f = c.merged->files[i];
        if (f.left_out > 0) {
            all.push_back(
                fmt::format("Of {}, {} of {} are left out: their connections are taken from another "
                            "file, so that no packet counts twice",
                            name_of(c, i), human::count(f.left_out),
                            human::plural(f.segments, "TCP segment", "TCP segments")));
        }
    }
    return all;
}

} // namespace iscsiscope
