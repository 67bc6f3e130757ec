// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/storage/store.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace iscsiscope::testbed {
namespace {

class MemoryStore final : public Store {
public:
    MemoryStore(std::byte *base, std::uint64_t size) : base_(base), size_(size) {}
    ~MemoryStore() override { ::munmap(base_, size_); }
    MemoryStore(const MemoryStore &) = delete;
    MemoryStore &operator=(const MemoryStore &) = delete;

    std::uint64_t size() const override { return size_; }

    bool read(std::uint64_t offset, std::span<std::byte> to) override {
        std::copy_n(base_ + offset, to.size(), to.begin());
        return true;
    }

    bool write(std::uint64_t offset, std::span<const std::byte> from) override {
        std::copy(from.begin(), from.end(), base_ + offset);
        return true;
    }

    bool discard(std::uint64_t offset, std::uint64_t length) override {
        // Whole pages go back to the system; their ragged ends are cleared.
        const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        const std::uint64_t end = offset + length;
        const std::uint64_t first = std::min((offset + page - 1) / page * page, end);
        const std::uint64_t last = std::max(end / page * page, first);
        std::memset(base_ + offset, 0, first - offset);
        if (last > first && ::madvise(base_ + first, last - first, MADV_DONTNEED) != 0)
            std::memset(base_ + first, 0, last - first);
        std::memset(base_ + last, 0, end - last);
        return true;
    }

    bool flush() override { return true; }

private:
    std::byte *base_;
    std::uint64_t size_;
};

} // namespace

Result<std::unique_ptr<Store>> make_memory_store(std::uint64_t size) {
    void *base =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return Failure{fmt::format("cannot map {} bytes of memory: {}", size, std::strerror(errno))};
    return std::unique_ptr<Store>(std::make_unique<MemoryStore>(static_cast<std::byte *>(base), size));
}

} // namespace iscsiscope::testbed
