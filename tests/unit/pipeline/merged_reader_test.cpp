// SPDX-License-Identifier: GPL-2.0-or-later
// The order, numbers and times of files merged by time (analyzer/pipeline/merge/merged_reader.h).
#include "catch.h"

#include "analyzer/pipeline/merge/merged_reader.h"
#include "files.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace iscsiscope;
using namespace capture_test;

namespace {

constexpr std::uint32_t begin_s = 1'700'000'000;

// A file that exists as long as the object.
class TemporaryFile {
public:
    explicit TemporaryFile(const Bytes &content) {
        const int descriptor = ::mkstemp(path_.data());
        REQUIRE(descriptor >= 0);
        ::close(descriptor);
        std::ofstream out(path_, std::ios::binary);
        out.write(reinterpret_cast<const char *>(content.data()),
                  static_cast<std::streamsize>(content.size()));
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    const std::string &path() const { return path_; }

private:
    std::string path_ = "/tmp/iscsiscope-merge-XXXXXX";
};

struct Stamp {
    std::uint32_t s = 0, ns = 0;
    char name = 0; // the frame's only byte
};

Bytes pcap(const std::vector<Stamp> &frames) {
    Bytes image = pcap_header();
    for (const Stamp &f : frames)
        image =
            image + pcap_record(Order::little, begin_s + f.s, f.ns, Bytes(1, static_cast<std::byte>(f.name)));
    return image;
}

Bytes pcapng(const std::vector<Stamp> &frames) { // in microseconds
    Bytes image = section(Order::little) + interface(Order::little, 113, 64);
    for (const Stamp &f : frames) {
        const std::uint64_t units = std::uint64_t{begin_s + f.s} * 1'000'000 + f.ns / 1000;
        image = image + packet(Order::little, 0, units, Bytes(1, static_cast<std::byte>(f.name)), 9);
    }
    return image;
}

struct Read {
    std::string names;
    std::vector<std::int64_t> times; // ns since begin_s
    std::vector<std::uint32_t> link_types;
    bool numbered = true; // 1, 2, 3 ...
    Anomalies anomalies;
    MergeSummary summary;
    CaptureInfo info;
    std::vector<FrameNumber> first;
};

Read read(const std::vector<Bytes> &images) {
    std::vector<std::unique_ptr<TemporaryFile>> files;
    std::vector<std::string> paths;
    for (const Bytes &image : images) {
        files.push_back(std::make_unique<TemporaryFile>(image));
        paths.push_back(files.back()->path());
    }
    Read r;
    const auto opened = MergedReader::open(paths, r.anomalies);
    REQUIRE(opened.ok());
    MergedReader &reader = *opened.value();
    Frame f;
    while (reader.next(f)) {
        r.names += static_cast<char>(f.bytes[0]);
        r.times.push_back(to_ns(f.time) - std::int64_t{begin_s} * 1'000'000'000);
        r.link_types.push_back(f.link_type);
        r.numbered = r.numbered && f.number == r.names.size();
        REQUIRE(reader.info().frames == f.number);
    }
    CHECK(!reader.next(f));
    r.summary = reader.summary();
    r.info = reader.info();
    for (std::size_t i = 0; i < paths.size(); ++i)
        r.first.push_back(reader.first_frame(i));
    return r;
}

} // namespace

TEST_CASE("frames of several files come in the order of their times, equal ones from the last file first",
          "[merge]") {
    // As mergecap 4.0 orders them: the reference of this test.
    const Bytes a = pcap({{0, 1, 'a'}, {0, 5, 'b'}, {0, 5, 'c'}, {1, 0, 'd'}, {0, 7, 'e'}, {2, 0, 'f'}});
    const Bytes b = pcap({{0, 1, 'A'}, {0, 5, 'B'}, {0, 6, 'C'}, {0, 9, 'D'}, {1, 0, 'E'}});
    const Read ab = read({a, b}), ba = read({b, a});
    CHECK(ab.names == "AaBbcCDEdef");
    CHECK(ba.names == "aAbcBCDdeEf");
    CHECK((ab.numbered && ba.numbered));
    CHECK((ab.summary.as_mergecap && ba.summary.as_mergecap)); // e is out of order, which is no step
    REQUIRE(ab.anomalies.count(AnomalyKind::time_went_back) == 1);
    CHECK(ab.anomalies.all[0].frame == 10);
    CHECK(ab.first == std::vector<FrameNumber>{2, 1});
    CHECK(ab.summary.files[0].frames == 6);
    CHECK(ab.summary.files[0].last_frame == 11);
    CHECK(ab.info.frames == 11);
}

TEST_CASE("files of different formats keep their link types and resolutions", "[merge]") {
    const Read r =
        read({pcap({{0, 1500, 'a'}, {0, 2500, 'b'}}), pcapng({{0, 1000, 'A'}, {0, 2000, 'B'}}), pcap({})});
    CHECK(r.names == "AaBb");
    CHECK(r.times == std::vector<std::int64_t>{1000, 1500, 2000, 2500});
    CHECK(r.link_types == std::vector<std::uint32_t>{113, 1, 113, 1});
    CHECK(r.info.format == "several formats");
    CHECK(r.info.time_precision_digits == 9);
    CHECK(r.info.interfaces.size() == 3);
    CHECK(r.info.cut_frames == 2);
    CHECK(r.first == std::vector<FrameNumber>{2, 1, 0});
}

TEST_CASE("a step back of one clock holds up no other file", "[merge]") {
    // The second file steps back by an hour behind C, and forward again behind F.
    const Read r = read(
        {pcap({{3600, 0, 'a'}, {3601, 0, 'b'}, {3602, 0, 'c'}, {3603, 0, 'd'}, {3604, 0, 'e'}}),
         pcap({{3600, 1, 'A'}, {3601, 1, 'B'}, {1, 1, 'C'}, {2, 1, 'D'}, {3603, 1, 'E'}, {3604, 1, 'F'}})});
    CHECK(r.names == "aAbBCcDdEeF");
    CHECK(!r.summary.as_mergecap);
    CHECK(r.summary.files[0].steps == 0);
    CHECK(r.summary.files[1].steps == 1);
    CHECK(r.summary.files[1].longest_step == std::chrono::seconds(3600));
    CHECK(r.summary.files[1].first_step == 5);
    CHECK(r.times[4] == 3'601'000'000'001); // continues at the frame before
    CHECK(r.times.back() == 3'604'000'000'001);
}

TEST_CASE("what is wrong with a file has the number of a merged frame", "[merge]") {
    Bytes cut = pcap({{0, 2, 'A'}, {0, 4, 'B'}, {0, 6, 'C'}});
    cut.resize(cut.size() - 1);
    const Read r = read({pcap({{0, 1, 'a'}, {0, 3, 'b'}, {0, 5, 'c'}, {0, 7, 'd'}}), cut});
    CHECK(r.names == "aAbBcd");
    REQUIRE(r.anomalies.all.size() == 1);
    CHECK(r.anomalies.all[0].kind == AnomalyKind::file_cut_short);
    CHECK(r.anomalies.all[0].frame == 4); // the last one of the cut file
    CHECK(r.summary.mergecap_ends == FrameNumber{4});
    CHECK(!r.info.complete);
}

TEST_CASE("more files than bits are refused", "[merge]") {
    const TemporaryFile file(pcap({}));
    Anomalies anomalies;
    const std::vector<std::string> paths(MergedReader::max_files + 1, file.path());
    CHECK_FALSE(MergedReader::open(paths, anomalies).ok());
}

TEST_CASE("a clock that goes back and forth adds nothing up", "[merge]") {
    FileClock clock;
    const auto at = [](int s) { return time_from_ns(std::int64_t{s} * 1'000'000'000); };
    for (int i = 0; i < 100; ++i) {
        const Time high = clock.time_of(at(10'000 + i));
        CHECK(high == at(10'000 + i));
        const Time low = clock.time_of(at(i)); // the frames of an interface whose clock is behind
        CHECK(low >= at(10'000 + i));
        CHECK(low <= at(10'000 + i + 1));
    }
}
