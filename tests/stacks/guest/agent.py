# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's side of the shared folder. In: jobs/NAME.json, a run's description; the file `stop`. Out: out/NAME.json
with the run's outcome beside its captures, `ready` once the network stands. One run at a time; an error ends its run,
not the guest."""

import json
import os
import sys
import time

import network
from run import carry_out


def main(share):
    for folder in ("jobs", "out"):
        os.makedirs(f"{share}/{folder}", exist_ok=True)
    network.build()
    wires = network.Network()
    wires.set_offloads(False)
    with open(share + "/ready", "w", encoding="utf-8") as file:
        file.write(os.uname().release + "\n")
    while not os.path.exists(share + "/stop"):
        jobs = sorted(name for name in os.listdir(share + "/jobs") if name.endswith(".json"))
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


main(sys.argv[1])
