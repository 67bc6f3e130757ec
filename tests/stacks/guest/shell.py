# SPDX-License-Identifier: GPL-2.0-or-later
"""Running programs inside the guest, in one of its network namespaces. In: argument lists, the name of a namespace
("" is the first one, in which the kernel's initiator lives). Out: the text a program printed; RuntimeError with that
text where it failed. The namespace is entered in the child, so no `ip netns exec` is started in between (starting
programs is what costs time under user-mode Linux)."""

import ctypes
import os
import subprocess

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
HOME = os.open("/proc/self/ns/net", os.O_RDONLY)


def enter(namespace):
    """Moves the calling thread into a namespace made by `ip netns add`, or back into the first one."""
    handle = os.open(f"/run/netns/{namespace}", os.O_RDONLY) if namespace else HOME
    failed = LIBC.setns(handle, CLONE_NEWNET)
    if namespace:
        os.close(handle)
    if failed:
        raise OSError(ctypes.get_errno(), f"setns {namespace}")


class inside:
    """with inside("target"): files of /proc/sys/net and sockets are those of that namespace."""

    def __init__(self, namespace):
        self.namespace = namespace

    def __enter__(self):
        if self.namespace:
            enter(self.namespace)

    def __exit__(self, *_):
        if self.namespace:
            enter("")


def start(arguments, namespace="", environment=None, output=subprocess.DEVNULL, folder=None, text_in=None):
    """Starts a program and returns its Popen. text_in: what its standard input holds."""
    return subprocess.Popen(arguments, stdout=output, stderr=subprocess.STDOUT,
                            stdin=subprocess.PIPE if text_in else subprocess.DEVNULL, cwd=folder,
                            env={**os.environ, **(environment or {})},
                            preexec_fn=(lambda: enter(namespace)) if namespace else None)


def run(arguments, namespace="", check=True, timeout=60, environment=None, text_in=None):
    """Runs a program to its end. A list, or a string that is split at spaces. Returns its output."""
    if isinstance(arguments, str):
        arguments = arguments.split()
    process = start(arguments, namespace, environment, subprocess.PIPE, text_in=text_in)
    try:
        text = process.communicate(text_in.encode() if text_in else None, timeout=timeout)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        text = process.communicate()[0].decode(errors="replace") + f"\n(stopped after {timeout} s)"
        process.returncode = process.returncode or 1
    if check and process.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit {process.returncode}\n{text[-800:]}")
    return text


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(value))


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().strip()
