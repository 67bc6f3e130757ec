// SPDX-License-Identifier: GPL-2.0-or-later
// A source that is read ahead in a thread gives what it gives alone.
#include "catch.h"

#include "analyzer/capture/bytes/read_ahead_source.h"

#include <algorithm>
#include <new>
#include <random>
#include <vector>

using iscsiscope::ByteSource;
using iscsiscope::ReadAheadSource;
using iscsiscope::UnpackBound;

namespace {

// Gives `total` bytes in reads of random length, then ends as told.
class Given final : public ByteSource {
public:
    Given(std::size_t total, unsigned seed, End end, UnpackBound bound, bool fails)
        : total_(total), random_(seed), end_(end), bound_(bound), fails_(fails) {}

    std::size_t read(std::byte *to, std::size_t room) override {
        if (given_ == total_ && fails_)
            throw std::bad_alloc();
        const std::size_t most = std::min(room, total_ - given_);
        const std::size_t count = most == 0 ? 0 : 1 + random_() % most;
        for (std::size_t i = 0; i < count; ++i)
            to[i] = static_cast<std::byte>((given_ + i) * 2654435761U >> 13U);
        given_ += count;
        return count;
    }
    End end() const override { return end_; }
    UnpackBound bound_reached() const override { return given_ == total_ ? bound_ : UnpackBound::none; }
    std::uint64_t file_bytes_read() const override { return given_ / 3; }
    std::optional<std::uint64_t> file_size() const override { return total_ / 3; }

private:
    std::size_t total_;
    std::size_t given_ = 0;
    std::minstd_rand random_;
    End end_;
    UnpackBound bound_;
    bool fails_;
};

std::vector<std::byte> drained(ByteSource &source, unsigned seed, bool &failed) {
    std::minstd_rand random(seed);
    std::vector<std::byte> all;
    std::vector<std::byte> some(300'000);
    failed = false;
    try {
        for (;;) {
            const std::size_t count = source.read(some.data(), 1 + random() % some.size());
            if (count == 0)
                break;
            all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
        }
    } catch (const std::bad_alloc &) {
        failed = true;
    }
    return all;
}

} // namespace

TEST_CASE("a source that is read ahead gives the same bytes, end, bound and exception") {
    const std::size_t total = GENERATE(0U, 1U, 262'144U, 262'145U, 5'000'000U);
    const bool fails = GENERATE(false, true);
    for (unsigned seed = 1; seed <= 5; ++seed) {
        Given plain(total, seed, ByteSource::End::cut, UnpackBound::ratio, fails);
        ReadAheadSource ahead(
            std::make_unique<Given>(total, seed + 7, ByteSource::End::cut, UnpackBound::ratio, fails));
        bool plain_failed = false;
        bool ahead_failed = false;
        CHECK(drained(plain, seed, plain_failed) == drained(ahead, seed + 3, ahead_failed));
        CHECK(plain_failed == ahead_failed);
        CHECK(ahead.end() == ByteSource::End::cut);
        CHECK(ahead.bound_reached() == plain.bound_reached());
        CHECK(ahead.file_bytes_read() == plain.file_bytes_read());
        CHECK(ahead.file_size() == plain.file_size());
        if (!fails) {
            std::byte one{};
            CHECK(ahead.read(&one, 1) == 0); // the end stays
        }
    }
}

TEST_CASE("a source that is read ahead may go at any time") {
    std::vector<std::byte> some(1000);
    for (std::size_t reads = 0; reads < 50; ++reads) {
        ReadAheadSource ahead(
            std::make_unique<Given>(5'000'000, 1, ByteSource::End::whole, UnpackBound::none, false));
        for (std::size_t i = 0; i < reads; ++i)
            REQUIRE(ahead.read(some.data(), some.size()) > 0);
    }
}
