// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/carriers/namespaces.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

namespace iscsiscope::testbed::shim {
namespace {

Failure failed(const std::string &what) {
    return {fmt::format("{}: {}", what, std::strerror(errno))};
}

Status write_file(const std::string &path, const std::string &text) {
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return failed("writing '" + text + "' to " + path);
    return {};
}

std::string sysctl_path(const std::string &name) {
    std::string path = name;
    std::replace(path.begin(), path.end(), '.', '/');
    return "/proc/sys/" + path;
}

Failure forbidden(const char *step, int error) {
    return {fmt::format(
        "this system does not let an ordinary user make a private network ({}: {}).\n"
        "Any one of these allows it:\n"
        "  - run as root\n"
        "  - Ubuntu 24.04 and later: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n"
        "  - Debian 10 and earlier:  sysctl -w kernel.unprivileged_userns_clone=1\n"
        "  - elsewhere, if it is 0:  sysctl -w user.max_user_namespaces=15000 (and user.max_net_namespaces)\n"
        "  - in a container: start it with --privileged, or with --cap-add SYS_ADMIN --cap-add NET_ADMIN "
        "--security-opt seccomp=unconfined --security-opt apparmor=unconfined",
        step, std::strerror(error))};
}

Status enter_user_namespace() {
    const uid_t uid = ::geteuid();
    const gid_t gid = ::getegid();
    if (::unshare(CLONE_NEWUSER) != 0)
        return forbidden("user namespace", errno);
    // Root inside is the user outside: files made inside belong to the user. Without setgroups
    // denied an ordinary user may not map a group (user_namespaces(7)).
    for (const auto &[path, text] : {std::pair<std::string, std::string>{"/proc/self/setgroups", "deny"},
                                     {"/proc/self/uid_map", fmt::format("0 {} 1", uid)},
                                     {"/proc/self/gid_map", fmt::format("0 {} 1", gid)}})
        if (const Status failure = write_file(path, text))
            return forbidden(failure->message.c_str(), errno);
    return {};
}

} // namespace

Result<NetNamespace> NetNamespace::current() {
    FileDescriptor fd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!fd.valid())
        return failed("opening the network namespace");
    return NetNamespace(std::move(fd));
}

Result<NetNamespace> NetNamespace::create() {
    Result<NetNamespace> here = current();
    if (!here.ok())
        return here;
    if (::unshare(CLONE_NEWNET) != 0)
        return failed("making a network namespace");
    Result<NetNamespace> made = current();
    if (::setns(here.value().fd(), CLONE_NEWNET) != 0)
        return failed("returning to the shim's network namespace");
    return made;
}

Status NetNamespace::inside(const std::function<Status()> &work) const {
    Result<NetNamespace> here = current();
    if (!here.ok())
        return here.failure();
    if (::setns(fd(), CLONE_NEWNET) != 0)
        return failed("entering a host's network namespace");
    Status status = work();
    if (::setns(here.value().fd(), CLONE_NEWNET) != 0)
        return failed("returning to the shim's network namespace");
    return status;
}

Status enter_private_network(bool force_user) {
    if (!force_user && ::geteuid() == 0 && ::unshare(CLONE_NEWNET) == 0)
        return {};
    if (Status failure = enter_user_namespace())
        return failure;
    if (::unshare(CLONE_NEWNET) != 0)
        return forbidden("network namespace", errno);
    return {};
}

Status write_sysctl(const std::string &name, const std::string &value) {
    return write_file(sysctl_path(name), value);
}

bool sysctl_exists(const std::string &name) {
    return ::access(sysctl_path(name).c_str(), F_OK) == 0;
}

} // namespace iscsiscope::testbed::shim
