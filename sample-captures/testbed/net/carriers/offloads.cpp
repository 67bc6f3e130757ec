// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/carriers/rtnetlink.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace iscsiscope::testbed::shim {

Status turn_offloads_off(const std::string &device) {
    struct Offload {
        std::uint32_t set;
        std::uint32_t get;
        const char *name;
    };
    constexpr Offload offloads[] = {{ETHTOOL_STSO, ETHTOOL_GTSO, "TCP segmentation"},
                                    {ETHTOOL_SGSO, ETHTOOL_GGSO, "generic segmentation"},
                                    {ETHTOOL_SGRO, ETHTOOL_GGRO, "generic receive"},
                                    {ETHTOOL_SSG, ETHTOOL_GSG, "scatter-gather"},
                                    {ETHTOOL_STXCSUM, ETHTOOL_GTXCSUM, "transmit checksum"}};
    const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    for (const Offload &offload : offloads) {
        ethtool_value value{offload.set, 0};
        ifreq request{};
        device.copy(request.ifr_name, IFNAMSIZ - 1);
        request.ifr_data = reinterpret_cast<char *>(&value);
        // Refused where the device does not have it: what counts is that it is off.
        ::ioctl(socket.get(), SIOCETHTOOL, &request);
        value = {offload.get, 0};
        if (::ioctl(socket.get(), SIOCETHTOOL, &request) == 0 && value.data != 0)
            return Failure{fmt::format("{} offload of {} cannot be turned off", offload.name, device)};
    }
    return {};
}

} // namespace iscsiscope::testbed::shim
