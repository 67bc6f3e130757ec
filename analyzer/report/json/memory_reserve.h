// SPDX-License-Identifier: GPL-2.0-or-later
// MemoryReserve: address space kept aside for code that does not withstand too little memory
// (json_library.h).
#pragma once

#include <cstddef>

namespace iscsiscope {

// While an object exists, an allocation of its thread that fails uses up the reserve and is tried again. What
// the code made is whole then, but there may be too little memory for anything else: check() says so, behind
// the code. If more fails than the reserve holds, std::bad_alloc is thrown where it happens. One object a
// thread at a time.
class MemoryReserve {
public:
    // Most bytes kept; fewer, or none, if there is no room for them. They are not touched until used.
    static constexpr std::size_t most = std::size_t{16} << 20;

    MemoryReserve();
    ~MemoryReserve();
    MemoryReserve(const MemoryReserve &) = delete;
    MemoryReserve &operator=(const MemoryReserve &) = delete;

    // Throws std::bad_alloc if the reserve was used up.
    void check() const;

private:
    static void use_up(); // the handler of operator new
    std::size_t size_ = most;
    void *block_ = nullptr;
    bool used_ = false;
};

} // namespace iscsiscope
