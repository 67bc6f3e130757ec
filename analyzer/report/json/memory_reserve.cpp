// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json/memory_reserve.h"

#include <new>
#include <sys/mman.h>

namespace iscsiscope {
namespace {

thread_local MemoryReserve *of_this_thread = nullptr;

} // namespace

MemoryReserve::MemoryReserve() {
    for (; size_ >= std::size_t{256} << 10; size_ /= 2) {
        void *block = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (block != MAP_FAILED) {
            block_ = block;
            break;
        }
    }
    of_this_thread = this;
    std::set_new_handler(use_up);
}

MemoryReserve::~MemoryReserve() {
    of_this_thread = nullptr;
    if (block_ != nullptr)
        ::munmap(block_, size_);
}

void MemoryReserve::check() const {
    if (used_)
        throw std::bad_alloc();
}

void MemoryReserve::use_up() {
    MemoryReserve *reserve = of_this_thread;
    if (reserve == nullptr || reserve->block_ == nullptr)
        throw std::bad_alloc();
    ::munmap(reserve->block_, reserve->size_);
    reserve->block_ = nullptr;
    reserve->used_ = true;
}

} // namespace iscsiscope
