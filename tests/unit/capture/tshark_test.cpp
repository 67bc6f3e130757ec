// SPDX-License-Identifier: GPL-2.0-or-later
// Every frame of every real capture against tshark: number, time to the nanosecond, and each TCP
// field that both read.
#include "catch.h"

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"
#include "files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

using namespace iscsiscope;

namespace {

std::filesystem::path captures_folder() {
    const char *given = std::getenv("ISCSISCOPE_CAPTURES");
    return given != nullptr ? std::filesystem::path(given)
                            : std::filesystem::path(ISCSISCOPE_SOURCE_DIR) / ".." / "shared" / "captures";
}

bool is_capture(const std::string &name) {
    return name.find(".pcap") != std::string::npos && !name.ends_with(".json");
}

const char *const fields =
    " -e frame.number -e frame.time_epoch -e frame.len -e frame.cap_len -e ip.src -e ip.dst"
    " -e ip.id -e ip.ttl -e ip.dsfield.ecn"
    " -e tcp.srcport -e tcp.dstport -e tcp.seq_raw -e tcp.ack_raw -e tcp.flags"
    " -e tcp.window_size_value -e tcp.len -e tcp.options.timestamp.tsval"
    " -e tcp.options.timestamp.tsecr -e tcp.options.mss_val -e tcp.options.wscale.shift"
    " -e tcp.options.sack.count -e tcp.options.sack_le";

// The line that tshark prints for the frame.
std::string line_of(const Frame &frame, const Segment *segment, const std::string &not_tcp) {
    char text[512];
    auto put = [&, at = std::size_t{0}](auto format, auto... values) mutable {
        at += static_cast<std::size_t>(std::snprintf(text + at, sizeof text - at, format, values...));
    };
    const std::int64_t ns = to_ns(frame.time);
    put("%llu\t%lld.%09lld\t%u\t%zu", static_cast<unsigned long long>(frame.number),
        static_cast<long long>(ns / 1'000'000'000), static_cast<long long>(ns % 1'000'000'000),
        frame.original_length, frame.bytes.size());
    if (segment == nullptr)
        return text + not_tcp;
    const Segment &s = *segment;
    put("\t%s\t%s\t0x%04x\t%u\t%u\t%u\t%u\t%u\t%u\t0x%04x\t%u\t%u", to_text(s.source.address).c_str(),
        to_text(s.destination.address).c_str(), s.ip_id, s.ip_ttl, s.ip_ecn, s.source.port,
        s.destination.port, s.sequence, s.acknowledgment, s.flags, s.window, s.payload_length);
    const TcpOptions &o = s.options;
    o.has_timestamps ? put("\t%u\t%u", o.timestamp_value, o.timestamp_echo) : put("%s", "\t\t");
    o.has_mss ? put("\t%u", o.mss) : put("%s", "\t");
    o.has_window_scale ? put("\t%u", o.window_scale) : put("%s", "\t");
    o.sack_count != 0 ? put("\t%u", o.sack_count) : put("%s", "\t");
    for (int i = 0; i < std::max<int>(o.sack_count, 1); ++i) {
        put("%s", i == 0 ? "\t" : ",");
        if (i < o.sack_count)
            put("%u", o.sack[static_cast<std::size_t>(i)].left);
    }
    return text;
}

struct Totals {
    std::uint64_t frames = 0, segments = 0, different = 0;
};

void compare(const std::filesystem::path &path, Totals &totals) {
    // iSCSI is left to its own tests; here it would only cost time.
    const std::string command =
        "tshark -r '" + path.string() +
        "' -n --disable-protocol iscsi -o tcp.relative_sequence_numbers:FALSE -T fields" + fields +
        " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE *)> tshark(popen(command.c_str(), "r"), pclose);
    REQUIRE(tshark != nullptr);
    capture_test::Anomalies anomalies;
    const auto reader = std::move(CaptureReader::open(path.string(), anomalies).value());
    FrameDecoder decoder(anomalies);
    Frame frame;
    Segment segment;
    char theirs[1024];
    while (reader->next(frame)) {
        ++totals.frames;
        REQUIRE(std::fgets(theirs, sizeof theirs, tshark.get()) != nullptr);
        std::string their_line = theirs;
        their_line.erase(std::find(their_line.begin(), their_line.end(), '\n'), their_line.end());
        const bool is_tcp = decoder.decode(frame, segment);
        totals.segments += is_tcp ? 1 : 0;
        // Without TCP: whatever tshark has in its IP columns, but nothing in those of TCP.
        std::string not_tcp;
        if (!is_tcp) {
            std::size_t column = 0;
            for (int i = 0; i < 4; ++i)
                column = their_line.find('\t', column) + 1;
            std::size_t end = column;
            for (int i = 0; i < 5; ++i)
                end = their_line.find('\t', end) + 1;
            not_tcp = '\t' + their_line.substr(column, end - column) + std::string(12, '\t');
        }
        const std::string our_line = line_of(frame, is_tcp ? &segment : nullptr, not_tcp);
        if (our_line != their_line) {
            ++totals.different;
            UNSCOPED_INFO(path.filename() << "\n ours   " << our_line << "\n tshark " << their_line);
        }
        REQUIRE(totals.different == 0);
    }
    CHECK(std::fgets(theirs, sizeof theirs, tshark.get()) == nullptr);
    CHECK(reader->info().complete);
    CHECK(anomalies.all.empty());
}

} // namespace

TEST_CASE("all real captures give the frames and segments that tshark sees") {
    const auto folder = captures_folder();
    if (!std::filesystem::is_directory(folder)) {
        std::cout << "skipped: no captures in " << folder << "\n";
        return;
    }
    if (std::system("command -v tshark >/dev/null 2>&1") != 0) {
        std::cout << "skipped: tshark is not installed\n";
        return;
    }
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        if (is_capture(entry.path().filename().string()))
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    REQUIRE_FALSE(paths.empty());
    Totals totals;
    for (const auto &path : paths)
        compare(path, totals);
    std::cout << "capture against tshark: " << paths.size() << " files, " << totals.frames << " frames, "
              << totals.segments << " segments, " << totals.different << " different\n";
}
