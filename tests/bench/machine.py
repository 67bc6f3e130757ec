# SPDX-License-Identifier: GPL-2.0-or-later
"""What else the machine did while programs were measured."""

import os
import time

QUIET = 0.1  # processors that other programs may keep busy on a machine that is called quiet


def busy_seconds():
    """CPU seconds of all programs since the machine's start, with those that a hypervisor took away."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, interrupt, soft, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + interrupt + soft + steal) / os.sysconf("SC_CLK_TCK")


def waited_seconds():
    """Seconds in which some program waited for a processor (pressure stall information); None where it is off."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return int(file.readline().rpartition("total=")[2]) / 1e6
    except (OSError, ValueError):
        return None


class Watch:
    """Watches from its making until `words` are asked for."""

    def __init__(self):
        self.begin, self.busy, self.waited = time.monotonic(), busy_seconds(), waited_seconds()
        self.load = os.getloadavg()[0]

    def others(self, own):
        """Processors that other programs than those measured kept busy; own: CPU seconds of the measured ones."""
        seconds = max(time.monotonic() - self.begin, 1e-3)
        return max((busy_seconds() - self.busy - own) / seconds, 0.0)

    def words(self, own):
        others, seconds = self.others(own), max(time.monotonic() - self.begin, 1e-3)
        text = (f"machine: {'quiet' if others <= QUIET else 'NOT quiet'}: other programs kept {others:.2f} of "
                f"{os.cpu_count()} processors busy; load {self.load:.2f} before, {os.getloadavg()[0]:.2f} after")
        if self.waited is not None:
            text += f"; {100 * (waited_seconds() - self.waited) / seconds:.0f} % of the time a program waited for one"
        return text
