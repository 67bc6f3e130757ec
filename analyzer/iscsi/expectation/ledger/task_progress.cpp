// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/task_progress.h"

#include <algorithm>
#include <tuple>

namespace iscsiscope {

namespace {

namespace hf = header_field;

} // namespace

void TaskProgress::note_command(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    has_command = true;
    command = pdu.offset + basic_header_size;
    if (pdu.knows(hf::lun))
        lun = static_cast<std::uint64_t>(h.lun());
    reads = h.read_bit();
    writes = h.write_bit();
    if (pdu.knows(hf::expected_length))
        expected = h.expected_data_transfer_length();
    out_bytes = asked_to = pdu.data_length;
}

void TaskProgress::take_command(const TaskProgress &from) {
    has_command = true;
    lun = from.lun;
    reads = from.reads;
    writes = from.writes;
    expected = from.expected;
    command = from.command;
    out_bytes += from.out_bytes;
    asked_to = std::max(asked_to, from.asked_to);
}

std::uint32_t TaskProgress::note_data_in(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    in_bytes = (pdu.knows(hf::buffer_offset) ? h.buffer_offset() : in_bytes) + pdu.data_length;
    in_pdus = (pdu.knows(hf::data_sn) ? h.data_sn().value : in_pdus) + 1;
    const std::uint32_t sequence = in_sequence + pdu.data_length;
    in_sequence = h.final() ? 0 : sequence;
    return sequence;
}

void TaskProgress::note_burst_data(DataBurst &burst, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (!burst.ttt)
        burst.ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
    burst.sent += pdu.data_length;
    burst.next_data_sn = (pdu.knows(hf::data_sn) ? h.data_sn().value : burst.next_data_sn) + 1;
    if (!h.final())
        return;
    if (!burst.length) // the R2T did not show how much it asked for
        asked_to = std::max(asked_to, burst.offset + burst.sent);
    bursts.erase(bursts.begin() + (&burst - bursts.data()));
}

bool TaskProgress::asks_unknown_length() const {
    return std::any_of(
        bursts.begin(), bursts.end(), [](const DataBurst &b) { return b.ttt != reserved_ttt && !b.length; });
}

bool same_state(const DataBurst &a, const DataBurst &b) {
    const auto counts = [](const DataBurst &x) {
        return std::tie(x.ttt, x.offset, x.length, x.sent, x.next_data_sn, x.serial);
    };
    return counts(a) == counts(b);
}

bool same_state(const TaskProgress &a, const TaskProgress &b) {
    const auto counts = [](const TaskProgress &x) {
        return std::tie(x.itt, x.lun, x.tagless, x.has_command, x.reads, x.writes, x.expected, x.in_bytes,
                        x.in_pdus, x.in_sequence, x.out_bytes, x.asked_to, x.r2ts, x.sure, x.doubtful);
    };
    return counts(a) == counts(b) &&
           std::equal(a.bursts.begin(), a.bursts.end(), b.bursts.begin(), b.bursts.end(),
                      [](const DataBurst &x, const DataBurst &y) { return same_state(x, y); });
}

} // namespace iscsiscope
