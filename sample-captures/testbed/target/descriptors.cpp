// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>

namespace iscsiscope::testbed {
namespace {

constexpr std::size_t in_reserve = 16; // for files, and for connections that are being turned away
constexpr std::size_t most = 2048;

std::size_t open_now() {
    std::error_code error;
    std::size_t count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error))
        ++count;
    return count;
}

int spare() {
    return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace

std::size_t max_open_connections() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return most;
    const std::size_t taken = open_now() + in_reserve;
    const auto all = static_cast<std::size_t>(limit.rlim_cur);
    return all <= taken ? 1 : std::min(all - taken, most);
}

ReserveDescriptor::ReserveDescriptor() : reserve_(spare()) {}

bool ReserveDescriptor::turn_away(int listener) {
    reserve_.reset();
    const int taken = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (taken >= 0)
        ::close(taken);
    reserve_ = shim::FileDescriptor(spare());
    return taken >= 0;
}

} // namespace iscsiscope::testbed
