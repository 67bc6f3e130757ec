# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing is wrong, in many ways: sizes, depths, directions, addresses, digests, other programs."""

from catalogue.fault import KERNEL, LIBISCSI, QEMU, fault, of
from catalogue.loss import ALL
from catalogue.plan import NAME, SECRET, KiB, MiB
from catalogue.session import RUST, AUTHENTICATED

CLEAN = {"strengths": ("clean",)}


@fault("plain_work", "ordinary reads and writes", [], ALL, loops=("closed", "paced"), **CLEAN)
def plain_work(plan):
    plan.way(0.05, 50)
    rw = "read" if plan.stack[0] == "libiscsi" else plan.pick("direction", "read", "write", "randread", "randwrite")
    blocks = (512, 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB) + ((MiB, 4 * MiB) if plan.delay < 1 else ())
    block = plan.pick("block", *blocks)
    sessions = plan.pick("sessions", 1, 1, 2, 4) if plan.stack == ("open-iscsi", "lio") and block < MiB else 1
    if sessions > 1:
        plan.d["target"]["names"] = [f"{NAME}{i}" for i in range(sessions)]
        plan.d["initiator"]["sessions"] = [{"name": name} for name in plan.d["target"]["names"]]
    depth = plan.pick("depth", *(d for d in (1, 2, 4, 8) if d == 1 or d * block <= 256 * KiB))
    for session in range(sessions):
        plan.io(rw, block, depth, seconds=1.5 / sessions, most=8 * MiB if block >= MiB else 2 * MiB / sessions, session=session)


@fault("digests", "header and data digests, CRC32C", [], of(KERNEL, "lio", "tgtd", "istgt") + RUST, **CLEAN)
def digests(plan):
    plan.way(0.2, 5)
    plan.keys(HeaderDigest="CRC32C", DataDigest="CRC32C")
    if plan.stack[1] == "tgtd":
        plan.d["target"]["parameters"] = {"HeaderDigest": "CRC32C", "DataDigest": "CRC32C"}
    plan.d["initiator"]["digests"] = True
    plan.io(plan.pick("direction", "randread", "randwrite"), plan.pick("block", 4 * KiB, 32 * KiB), 2, seconds=1)
    plan.d["work"][0]["rust"] = "read10_write10_read10_plain_pool"


@fault("two_programs", "the conformance tests of libiscsi: their CHECK CONDITIONs belong to them", [],
       of(LIBISCSI, "lio", "tgtd", "istgt"), **CLEAN, allowed_when_clean=["command_errors", "queue_depth"])
def two_programs(plan):
    plan.way(0.2, 3)
    tests = plan.pick("tests", "SCSI.Inquiry.Standard", "SCSI.TestUnitReady.Simple", "SCSI.ReadCapacity10.Simple",
                      "iSCSI.iSCSIResiduals.Read10Residuals", "SCSI.Read10.Simple")
    plan.d["work"] = [{"rw": "read", "block": 4 * KiB, "depth": 1, "ios": 1, "tests": tests}]
    plan.d["errors_belong"] = True


@fault("discovery", "discovery, then login with CHAP and the right secret, then a few reads", [],
       of(KERNEL, "lio", "tgtd"), **CLEAN)
def discovery(plan):
    plan.way(0.2, 5)
    plan.d["target"]["chap"] = plan.d["initiator"]["chap"] = SECRET
    plan.d["initiator"]["discovers"] = True
    plan.io("randread", 4 * KiB, 2, seconds=1)


@fault("java", "jSCSI's initiator writes and reads blocks in turn", [], (("jscsi", "jscsi"),), **CLEAN)
def java(plan):
    plan.way(0.2, 5, plain=True)
    plan.d["work"] = [{"rw": "write", "block": plan.pick("block", 4 * KiB, 16 * KiB), "depth": 1, "ios": 25}]


@fault("rust", "iscsi-client-rs writes and reads, asks for capacity and LUNs", [], RUST, **CLEAN,
       allowed_when_clean=["command_errors", "queue_depth"])
def rust(plan):
    plan.way(0.2, 5)
    plan.d["errors_belong"] = True
    plan.d["work"] = [{"rw": "read", "rust": plan.pick("test", "read10_write10_read10_plain_pool", "login_and_tur",
                                                         "read_capacity_then_write10_plain login_tur_report_luns_pool")}]
