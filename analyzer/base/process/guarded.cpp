// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/process/guarded.h"

#include <array>
#include <cstddef>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace iscsiscope {

void last_words(const char *program, const char *message) noexcept {
    std::array<char, 512> line{};
    std::size_t n = 0;
    for (const char *part : {program, ": ", message})
        for (; *part != '\0' && n + 1 < line.size(); ++part)
            line[n++] = static_cast<unsigned char>(*part) < 0x20 || *part == 0x7f ? '?' : *part;
    line[n++] = '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), n);
}

const char *reason_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return "there is not enough memory";
    } catch (const std::exception &e) {
        return e.what();
    } catch (...) {
        return "an unknown error";
    }
}

namespace {

constexpr std::size_t stack_size = 256 * 1024; // taken at once; as much again is left

[[gnu::noinline]] void touch_stack() noexcept {
    constexpr std::size_t page = 4096;
    [[maybe_unused]] volatile char stack[stack_size];
    for (std::size_t i = 0; i < stack_size; i += page)
        stack[i] = 0;
}

} // namespace

bool take_stack() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < 2 * stack_size)
        return false;
    touch_stack();
    return true;
}

} // namespace iscsiscope
