# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's side of the shared folder. In: jobs/NAME.json, a run's description; the file `stop`. Out: out/NAME.json
with the run's outcome beside its captures, `ready` once the network stands. One run at a time; an error ends its run,
not the guest.

With `once` it carries out the job that is there and ends: a guest in virtual time must not wait in a loop for the next
one, for its clock would run away meanwhile."""

import json
import os
import sys
import time

import network
from run import carry_out


def main(share, once):
    for folder in ("jobs", "out"):
        os.makedirs(f"{share}/{folder}", exist_ok=True)
    network.build()
    wires = network.Network()
    wires.set_offloads(False)
    with open(share + "/ready", "w", encoding="utf-8") as file:
        file.write(os.uname().release + "\n")
    while not os.path.exists(share + "/stop"):
        jobs = sorted(name for name in os.listdir(share + "/jobs") if name.endswith(".json"))
        if once and not jobs:
            break
        if not jobs:
            time.sleep(0.1)
            continue
        path = f"{share}/jobs/{jobs[0]}"
        with open(path, encoding="utf-8") as file:
            description = json.load(file)
        os.unlink(path)
        result = carry_out(description, wires, share)
        temporary = f"{share}/out/{description['name']}.json.part"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
        os.rename(temporary, temporary[:-5])


main(sys.argv[1], sys.argv[2] == "1")
