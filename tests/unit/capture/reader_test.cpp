// SPDX-License-Identifier: GPL-2.0-or-later
// pcap files, and what both formats have in common: cuts, hostile lengths, times that go back.
#include "catch.h"
#include "files.h"
#include "packets.h"

#include "analyzer/capture/files/memory_source.h"
#include "analyzer/capture/files/open_capture.h"

#include <rapidcheck.h>

using namespace capture_test;
using iscsiscope::AnomalyKind;

namespace {

constexpr std::uint32_t microseconds = 0xa1b2c3d4, nanoseconds = 0xa1b23c4d, modified = 0xa1b2cd34;

// Sizes of the records' bytes in the sample files; 3 is not a multiple of pcapng's padding.
const std::vector<Bytes> sample_frames{pattern(60, 1), pattern(3, 2), {}, pattern(200, 3)};

// Image of a file with sample_frames, and where each of its records or blocks ends.
struct Sample {
    Bytes image;
    std::vector<std::size_t> ends;       // of everything behind which a cut goes unnoticed
    std::vector<std::size_t> frame_ends; // of those that are frames
};

Sample pcap_sample() {
    Sample sample{pcap_header(), {}, {}};
    sample.ends.push_back(sample.image.size());
    std::uint32_t second = 100;
    for (const Bytes &bytes : sample_frames) {
        sample.image = sample.image + pcap_record(Order::little, second++, 5, bytes);
        sample.ends.push_back(sample.image.size());
        sample.frame_ends.push_back(sample.image.size());
    }
    return sample;
}

Sample pcapng_sample() {
    Sample sample{};
    const auto add = [&](const Bytes &more, bool is_frame) {
        sample.image = sample.image + more;
        sample.ends.push_back(sample.image.size());
        if (is_frame)
            sample.frame_ends.push_back(sample.image.size());
    };
    add(section(Order::little, option(Order::little, 1, pattern(5))), false);
    add(interface(Order::little, 1), false);
    std::uint64_t time = 1000;
    for (const Bytes &bytes : sample_frames)
        add(packet(Order::little, 0, time++, bytes), true);
    add(block(Order::little, 0x0bad, pattern(40)), false); // a Custom Block
    add(section(Order::big), false);
    add(interface(Order::big, 101), false);
    add(packet(Order::big, 0, time, pattern(50)), true);
    return sample;
}

void check_every_cut(const Sample &sample, std::size_t header) {
    const ReadFile whole = read_image(sample.image);
    REQUIRE(whole.open_error.empty());
    REQUIRE(whole.frames.size() == sample.frame_ends.size());
    REQUIRE(whole.info.complete);
    for (std::size_t size = 0; size < sample.image.size(); ++size) {
        const ReadFile cut = read_image(slice(sample.image, 0, size));
        INFO("cut at " << size);
        if (size < header) {
            REQUIRE_FALSE(cut.open_error.empty());
            continue;
        }
        REQUIRE(cut.open_error.empty());
        const auto frames = static_cast<std::size_t>(
            std::upper_bound(sample.frame_ends.begin(), sample.frame_ends.end(), size) -
            sample.frame_ends.begin());
        REQUIRE(cut.frames == std::vector<ReadFrame>(whole.frames.begin(),
                                                     whole.frames.begin() + static_cast<long>(frames)));
        const bool unnoticed = std::find(sample.ends.begin(), sample.ends.end(), size) != sample.ends.end();
        REQUIRE(cut.info.complete == unnoticed);
        REQUIRE(cut.anomalies.all.size() == (unnoticed ? 0 : 1));
        REQUIRE(cut.anomalies.count(AnomalyKind::file_cut_short) == (unnoticed ? 0 : 1));
        REQUIRE(cut.info.frames == frames);
    }
}

} // namespace

TEST_CASE("pcap in either byte order and every resolution") {
    const auto order = GENERATE(Order::little, Order::big);
    const auto magic = GENERATE(microseconds, nanoseconds, modified);
    const std::size_t extra = magic == modified ? 8 : 0;
    const Bytes image = pcap_header({.order = order, .magic = magic, .snap_length = 100, .link_type = 113}) +
                        pcap_record(order, 4'290'000'000, 123'456, pattern(60), {}, extra) +
                        pcap_record(order, 4'294'967'295, 999'999, pattern(100, 1), 1514, extra);
    const ReadFile file = read_image(image);
    CHECK(file.open_error.empty());
    CHECK(file.anomalies.all.empty());
    const std::int64_t unit = magic == nanoseconds ? 1 : 1000;
    REQUIRE(file.frames == std::vector<ReadFrame>{
                               {1, 4'290'000'000'000'000'000 + 123'456 * unit, 113, 60, pattern(60)},
                               {2, 4'294'967'295'000'000'000 + 999'999 * unit, 113, 1514, pattern(100, 1)}});
    CHECK(file.info.format == "pcap");
    CHECK(file.info.compression == "none");
    CHECK(file.info.time_precision_digits == (unit == 1 ? 9 : 6));
    REQUIRE(file.info.interfaces.size() == 1);
    CHECK(file.info.interfaces[0].snap_length == 100);
    CHECK(file.info.frames == 2);
    CHECK(file.info.bytes == 1574);
    CHECK(file.info.captured_bytes == 160);
    CHECK(file.info.cut_frames == 1);
    CHECK(to_ns(file.info.first_time.value()) == file.frames[0].time_ns);
    CHECK(to_ns(file.info.last_time.value()) == file.frames[1].time_ns);
    CHECK(file.info.complete);
}

TEST_CASE("pcap link types hide behind the length of the frame check sequence") {
    CHECK(read_image(pcap_header({.link_type = 0x24000001})).info.interfaces.at(0).link_type == 1);
}

TEST_CASE("pcap of early writers has the lengths the other way round") {
    const auto [minor, swapped] = GENERATE(table<std::uint16_t, bool>({{2, true}, {3, true}, {4, false}}));
    // As a writer of 2.4 would say it: captured 60, original 1514; swapped: captured 1514, original 60.
    const Bytes bytes = pattern(60);
    const Bytes record = swapped ? Writer(Order::little).u64(0).u32(1514).u32(60).bytes(bytes).done()
                                 : pcap_record(Order::little, 0, 0, bytes, 1514);
    const ReadFile file = read_image(pcap_header({.minor = minor}) + record);
    REQUIRE(file.frames.size() == 1);
    CHECK(file.frames[0].original_length == 1514);
    CHECK(file.frames[0].bytes == bytes);
}

TEST_CASE("a pcap file cut at any byte gives every frame before the cut") {
    check_every_cut(pcap_sample(), 24);
}
TEST_CASE("a pcapng file cut at any byte gives every frame before the cut") {
    check_every_cut(pcapng_sample(), 28);
}

TEST_CASE("how the bytes come does not matter") {
    // Frames larger than the first buffer, so that it has to grow.
    Bytes large = pcap_header();
    for (const std::size_t size : {700'000U, 1U, 300'000U, 100U, 262'144U, 0U, 262'128U, 900'000U})
        large = large + pcap_record(Order::little, 1, 1, pattern(size, static_cast<unsigned>(size)));
    const ReadFile expected = read_image(large);
    REQUIRE(expected.frames.size() == 8);
    CHECK(expected.frames[7].bytes == pattern(900'000, 900'000));
    for (const std::size_t chunk : {1'000U, 65'536U, 262'143U})
        CHECK(read_image(large, chunk).frames == expected.frames);
    for (const Sample &sample : {pcap_sample(), pcapng_sample()}) {
        const auto frames = read_image(sample.image).frames;
        CHECK(rc::check("any chunk size", [&] {
            RC_ASSERT(read_image(sample.image, *rc::gen::inRange<std::size_t>(1, 80)).frames == frames);
        }));
    }
}

// Counts how often it is asked for more.
class Counted final : public iscsiscope::ByteSource {
public:
    Counted(const Bytes &image, std::size_t chunk, std::size_t &asked)
        : bytes_(image, chunk), asked_(asked) {}
    std::size_t read(std::byte *to, std::size_t room) override {
        ++asked_;
        return bytes_.read(to, room);
    }
    End end() const override { return bytes_.end(); }
    std::uint64_t file_bytes_read() const override { return bytes_.file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return std::nullopt; }

private:
    iscsiscope::MemorySource bytes_;
    std::size_t &asked_;
};

TEST_CASE("a reader that has the next frame does not ask for more") {
    for (const Sample &sample : {pcap_sample(), pcapng_sample()})
        for (std::size_t chunk = 1; chunk <= sample.image.size(); ++chunk) {
            std::size_t asked = 0, had = 0, frames = 0;
            iscsiscope::IgnoredAnomalies ignored;
            const auto reader =
                std::move(iscsiscope::open_capture(std::make_unique<Counted>(sample.image, chunk, asked),
                                                   "image", ignored)
                              .value());
            iscsiscope::Frame frame;
            for (;; ++frames) {
                const bool has = reader->has_next();
                const std::size_t before = asked;
                if (!reader->next(frame)) {
                    CHECK_FALSE(has);
                    break;
                }
                if (has) {
                    ++had;
                    CHECK(asked == before);
                }
            }
            CHECK(frames == sample.frame_ends.size());
            if (chunk == sample.image.size()) // but for those behind other blocks
                CHECK(had >= sample_frames.size() - 1);
        }
}

TEST_CASE("a pcap record that cannot be ends the file as damaged") {
    const Bytes good = pcap_header() + pcap_record(Order::little, 1, 1, pattern(60));
    for (const std::uint32_t length : {0xffffffffU, 0x80000000U, (8U << 20) + 1}) {
        const ReadFile file =
            read_image(good + Writer(Order::little).u64(0).u32(length).u32(60).bytes(pattern(500)).done());
        CHECK(file.frames.size() == 1);
        CHECK(file.anomalies.count(AnomalyKind::file_damaged) == 1);
        CHECK(file.anomalies.all.size() == 1);
        CHECK(file.anomalies.all[0].frame == 1);
        CHECK_FALSE(file.info.complete);
    }
    // A length that may be, but is not there.
    const ReadFile file = read_image(good + Writer(Order::little).u64(0).u32(8U << 20).u32(60).done());
    CHECK(file.frames.size() == 1);
    CHECK(file.anomalies.count(AnomalyKind::file_cut_short) == 1);
}

TEST_CASE("time stamps that go back are counted, and delivered as they are") {
    Bytes image = pcap_header();
    for (const std::uint32_t second : {10U, 20U, 15U, 16U, 5U, 30U})
        image = image + pcap_record(Order::little, second, 0, pattern(60));
    const ReadFile file = read_image(image);
    REQUIRE(file.frames.size() == 6);
    REQUIRE(file.anomalies.all.size() == 2);
    CHECK(file.anomalies.count(AnomalyKind::time_went_back) == 2);
    CHECK(file.anomalies.all[0].frame == 3);
    CHECK(file.anomalies.all[0].detail == 5'000'000'000);
    CHECK(file.anomalies.all[1].frame == 5);
    CHECK(file.frames[4].time_ns == 5'000'000'000);
    CHECK(to_ns(file.info.first_time.value()) == 5'000'000'000);
    CHECK(to_ns(file.info.last_time.value()) == 30'000'000'000);
    CHECK(file.info.complete);
}

TEST_CASE("every kind of anomaly has its own name and a sentence") {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < iscsiscope::anomaly_kind_count; ++i) {
        const auto kind = static_cast<AnomalyKind>(i);
        CHECK(explanation(kind).ends_with('.'));
        CHECK(name(kind).find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
        names.push_back(name(kind));
    }
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(name(AnomalyKind::command_sn_gap) == "command_sn_gap");
    CHECK(name(static_cast<AnomalyKind>(200)) == "unknown");
}
