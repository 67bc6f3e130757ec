// SPDX-License-Identifier: GPL-2.0-or-later
// Where captures come from: packed files, standard input, and files that are none.
#include "catch.h"
#include "files.h"
#include "packets.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

using namespace capture_test;
using iscsiscope::AnomalyKind;

namespace {

Bytes gzip(const Bytes &plain) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    Bytes packed(deflateBound(&stream, plain.size()) + 64);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

Bytes zstd(const Bytes &plain) {
    Bytes packed(ZSTD_compressBound(plain.size()));
    const std::size_t size = ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3);
    REQUIRE(ZSTD_isError(size) == 0);
    packed.resize(size);
    return packed;
}

Bytes capture(int frames) {
    Bytes image = pcap_header();
    for (int i = 0; i < frames; ++i) {
        const Bytes record =
            pcap_record(Order::little, static_cast<std::uint32_t>(i), 0,
                        pattern(100 + static_cast<std::size_t>(i) % 37, static_cast<unsigned>(i)));
        image.insert(image.end(), record.begin(), record.end());
    }
    return image;
}

bool is_prefix(const std::vector<ReadFrame> &part, const std::vector<ReadFrame> &whole) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

bool says(const std::string &sentence, std::string_view part) {
    INFO(sentence);
    return sentence.find(part) != std::string::npos;
}

class TemporaryFile {
public:
    explicit TemporaryFile(const Bytes &bytes) {
        std::string name = (std::filesystem::temp_directory_path() / "iscsiscope-test-XXXXXX").string();
        const int descriptor = ::mkstemp(name.data());
        REQUIRE(descriptor >= 0);
        REQUIRE(::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
        ::close(descriptor);
        path = name;
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
    std::string path;
};

// A pipe in the place of standard input while it lives, with a thread that fills it.
class PipedInput {
public:
    explicit PipedInput(Bytes bytes) : saved_(::dup(STDIN_FILENO)) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
        writer_ = std::thread([bytes = std::move(bytes), end = ends[1]] {
            for (std::size_t done = 0; done < bytes.size();) {
                const std::size_t part = std::min<std::size_t>(bytes.size() - done, 777);
                const ssize_t count = ::write(end, bytes.data() + done, part);
                if (count <= 0)
                    break;
                done += static_cast<std::size_t>(count);
            }
            ::close(end);
        });
    }
    ~PipedInput() {
        writer_.join();
        ::dup2(saved_, STDIN_FILENO);
        ::close(saved_);
    }

private:
    int saved_;
    std::thread writer_;
};

} // namespace

TEST_CASE("packed captures read as plain ones") {
    const Bytes image = capture(5000);
    const auto frames = read_image(image).frames;
    REQUIRE(frames.size() == 5000);
    const Bytes first = slice(image, 0, 300'001);
    const Bytes rest = slice(image, 300'001, image.size());
    const Bytes skippable = Writer(Order::little).u32(0x184d2a53).u32(10).zeros(10).done();
    struct Row {
        std::string compression;
        Bytes packed;
    };
    for (const Row &row :
         {Row{"gzip", gzip(image)}, Row{"gzip", gzip(first) + gzip(rest)},
          Row{"gzip", gzip(first) + gzip({}) + gzip(rest) + Bytes(512)}, Row{"zstd", zstd(image)},
          Row{"zstd", zstd(first) + skippable + zstd(rest)}, Row{"zstd", skippable + zstd(image)}}) {
        for (const std::size_t chunk : {std::size_t{1}, std::size_t{1000}, SIZE_MAX}) {
            const ReadFile file = read_image(row.packed, chunk);
            CHECK(file.info.compression == row.compression);
            CHECK(file.frames == frames);
            CHECK(file.info.complete);
            CHECK(file.anomalies.all.empty());
        }
    }
}

TEST_CASE("packed captures cut at any byte or damaged give a prefix and say so") {
    const Bytes image = capture(20);
    const auto frames = read_image(image).frames;
    for (const Bytes &packed : {gzip(image), zstd(image)}) {
        for (std::size_t size = 1; size < packed.size(); ++size) {
            INFO("cut at " << size << " of " << packed.size());
            const ReadFile cut = read_image(slice(packed, 0, size));
            REQUIRE(is_prefix(cut.frames, frames));
            REQUIRE((cut.open_error.empty()
                         ? cut.anomalies.count(AnomalyKind::file_cut_short) == 1 && !cut.info.complete
                         : cut.frames.empty()));
        }
        for (std::size_t at = 0; at < packed.size(); ++at) {
            Bytes damaged = packed;
            damaged[at] ^= std::byte{0x10};
            (void)read_image(damaged); // not all damage can be seen, but none may crash
        }
    }
    // What was unpacked before the cut is delivered.
    const Bytes large = capture(5000);
    const auto large_frames = read_image(large).frames;
    for (const Bytes &packed : {gzip(large), zstd(large)}) {
        const ReadFile cut = read_image(slice(packed, 0, packed.size() / 2));
        CHECK(cut.frames.size() > 1000);
        CHECK(is_prefix(cut.frames, large_frames));
    }
    // A second member that is cut before it gives a byte: all frames are there, the file is not whole.
    for (const Bytes &packed :
         {gzip(image) + slice(gzip(image), 0, 12), zstd(image) + slice(zstd(image), 0, 12)}) {
        const ReadFile cut = read_image(packed);
        CHECK(cut.frames == frames);
        CHECK(cut.anomalies.count(AnomalyKind::file_cut_short) == 1);
        CHECK_FALSE(cut.info.complete);
    }
    // gzip checks its contents at its end: frames come, and then the verdict.
    Bytes damaged = gzip(image);
    damaged[damaged.size() - 8] ^= std::byte{1}; // CRC-32
    const ReadFile file = read_image(damaged);
    CHECK(file.frames == frames);
    CHECK(file.anomalies.count(AnomalyKind::file_damaged) == 1);
    CHECK_FALSE(file.info.complete);
}

TEST_CASE("unpacking ends at its bounds of ratio and time, and says which") {
    using iscsiscope::UnpackBound;
    using iscsiscope::UnpackBounds;
    Bytes image = capture(10); // and behind it frames of zeros, which take almost no space
    for (int i = 0; i < 300; ++i) {
        const Bytes record = pcap_record(Order::little, 10, 0, Bytes(60'000));
        image.insert(image.end(), record.begin(), record.end());
    }
    const auto frames = read_image(image).frames;
    for (const Bytes &packed : {gzip(image), zstd(image)}) {
        REQUIRE(image.size() > 100 * packed.size());
        for (const std::size_t chunk : {std::size_t{100}, SIZE_MAX}) {
            const ReadFile bounded = read_image(packed, chunk, {.ratio = 20, .free_bytes = 1 << 20});
            CHECK(bounded.info.unpack_bound == UnpackBound::ratio);
            CHECK_FALSE(bounded.info.complete);
            CHECK(bounded.anomalies.count(AnomalyKind::unpacking_stopped) == 1);
            CHECK(is_prefix(bounded.frames, frames));
            CHECK(bounded.frames.size() > 10); // what the ratio does not count
            CHECK(bounded.frames.size() < 100);
            for (const UnpackBounds &wide : {UnpackBounds{}, UnpackBounds{.ratio = 20, .free_bytes = 1 << 28},
                                             UnpackBounds{.ratio = 1e5, .free_bytes = 0}}) {
                const ReadFile whole = read_image(packed, chunk, wide);
                CHECK(whole.frames == frames);
                CHECK(whole.info.complete);
                CHECK(whole.info.unpack_bound == UnpackBound::none);
            }
        }
        const ReadFile slow = read_image(packed, 100, {.time = std::chrono::nanoseconds{1}});
        CHECK(says(slow.open_error, "--unpack-time raises the bound"));
    }
    CHECK(read_image(image, SIZE_MAX, {.ratio = 1e-9, .free_bytes = 0, .time = {}}).frames == frames);
}

TEST_CASE("a capture by path or through a pipe") {
    const Bytes image = capture(3000);
    const auto frames = read_image(image).frames;
    for (const Bytes &bytes : {image, gzip(image), zstd(image)}) {
        const TemporaryFile file(bytes);
        CHECK(read_path(file.path).frames == frames);
        const PipedInput input(bytes);
        CHECK(read_path("-").frames == frames);
    }
}

TEST_CASE("progress is in bytes of the file") {
    const Bytes packed = gzip(capture(3000));
    const TemporaryFile file(packed);
    Anomalies anomalies;
    const auto reader = std::move(iscsiscope::CaptureReader::open(file.path, anomalies).value());
    CHECK(reader->file_size() == packed.size());
    std::uint64_t before = 0;
    iscsiscope::Frame frame;
    while (reader->next(frame)) {
        REQUIRE(reader->file_bytes_read() >= before);
        before = reader->file_bytes_read();
    }
    CHECK(before == packed.size());
    const PipedInput input(packed);
    CHECK_FALSE(iscsiscope::CaptureReader::open("-", anomalies).value()->file_size().has_value());
}

TEST_CASE("what is no capture is refused with a sentence that names it") {
    const auto error = [](const std::string &bytes) {
        return read_image(Writer().text(bytes).done()).open_error;
    };
    CHECK(error("") == "image: is empty, not a capture file");
    CHECK(says(error("#!/bin/sh\necho hello\n"), "looks like text"));
    CHECK(says(error("PK\x03\x04 and so on"), "zip archive"));
    CHECK(says(error("\xfd"
                     "7zXZ and so on"),
               "xz data"));
    CHECK(says(error("\x01\x02\x03"), "not a pcap or pcapng capture"));
    CHECK(says(error("\x1f\x8b"), "gzip data in which there is nothing"));
    CHECK(says(read_image(gzip(Writer().text("hello, world").done())).open_error,
               "gzip data in which there is text"));
    CHECK(says(read_image(zstd(Bytes{})).open_error, "zstd data in which there is nothing"));
    CHECK(says(read_image(slice(pcap_header(), 0, 23)).open_error, "cut inside its file header"));
    CHECK(says(read_image(slice(section(Order::big), 0, 27)).open_error, "cut inside its section header"));
    Bytes version_9 = pcap_header();
    version_9[4] = std::byte{9};
    CHECK(says(read_image(version_9).open_error, "version 9.4"));
    Bytes section_9 = section(Order::big);
    section_9[13] = std::byte{9};
    CHECK(says(read_image(section_9).open_error, "version 9"));

    CHECK(read_path("/no/such/file").open_error == "/no/such/file: there is no such file");
    CHECK(says(read_path("/").open_error, "/: is a directory"));
    if (::geteuid() != 0) {
        const TemporaryFile file(capture(1));
        std::filesystem::permissions(file.path, std::filesystem::perms::none);
        CHECK(says(read_path(file.path).open_error, "no permission"));
    }
}
