// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/codec/pdu/plausible.h"
#include "analyzer/iscsi/expectation/sync_context.h"
#include "catch.h"

using namespace iscsiscope;

// jSCSI's target leaves StatSN 0 in its R2Ts, so the initiator's Data-Out have ExpStatSN 0.
TEST_CASE("a Data-Out without numbers continues the R2T that it answers", "[iscsi]") {
    R2t r2t;
    r2t.initiator_task_tag = InitiatorTaskTag{0x1e};
    r2t.target_transfer_tag = TargetTransferTag{0};
    r2t.exp_cmd_sn = CmdSn{0x1e};
    r2t.max_cmd_sn = CmdSn{0x1e};
    r2t.buffer_offset = 8192;
    r2t.desired_data_transfer_length = 24576;
    DataOut out;
    out.data_segment_length = 8192;
    out.initiator_task_tag = r2t.initiator_task_tag;
    out.target_transfer_tag = r2t.target_transfer_tag;
    out.buffer_offset = 8192;

    SyncContext context;
    const auto matches = [&](const DataOut &d) {
        const HeaderBytes h = d.encode();
        return context.matches(HeaderView(h));
    };
    const auto note = [&](const R2t &r) {
        const HeaderBytes h = r.encode();
        context.note(HeaderView(h));
    };
    CHECK_FALSE(matches(out)); // no R2T yet
    note(r2t);
    CHECK(matches(out));
    out.buffer_offset = 24576; // its last piece
    CHECK(matches(out));
    out.data_segment_length = 8196; // beyond what the R2T asked for
    CHECK_FALSE(matches(out));
    out.data_segment_length = 8192;
    out.buffer_offset = 4096; // before it
    CHECK_FALSE(matches(out));
    out.buffer_offset = 8192;
    out.initiator_task_tag = InitiatorTaskTag{0x1f};
    CHECK_FALSE(matches(out));
    out.initiator_task_tag = r2t.initiator_task_tag;
    out.target_transfer_tag = TargetTransferTag{1};
    CHECK_FALSE(matches(out));
    out.target_transfer_tag = r2t.target_transfer_tag;

    // It is no header to look for in the middle of data, but one that RFC 7143 allows.
    const HeaderBytes h = out.encode();
    CHECK_FALSE(plausible_header(HeaderView(h), PduDirection::to_target));
    CHECK(allowed_header(HeaderView(h), PduDirection::to_target));
    CHECK_FALSE(allowed_header(HeaderView(h), PduDirection::to_initiator));

    for (std::uint32_t tag = 1; tag < 4; ++tag) { // three more R2Ts, and the first one is still open
        r2t.target_transfer_tag = TargetTransferTag{tag};
        note(r2t);
    }
    CHECK(matches(out));
    r2t.target_transfer_tag = TargetTransferTag{4};
    note(r2t);
    CHECK_FALSE(matches(out)); // four are kept
}
