// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/reading.h"

#include "analyzer/iscsi/expectation/completion.h"
#include "analyzer/iscsi/expectation/continuation.h"

#include <algorithm>

namespace iscsiscope {

namespace {

constexpr std::uint32_t keeps = 512; // of a data segment: sense and small answers

bool same_extent(const Pdu &a, const Pdu &b) {
    return a.offset == b.offset && a.end_offset == b.end_offset && a.view().opcode() == b.view().opcode();
}

const ReadPdu *find(const std::vector<ReadPdu> &pdus, std::uint64_t offset) {
    const auto it = std::lower_bound(pdus.begin(), pdus.end(), offset,
                                     [](const ReadPdu &p, std::uint64_t o) { return p.pdu.offset < o; });
    return it != pdus.end() && it->pdu.offset == offset ? &*it : nullptr;
}

} // namespace

std::uint32_t Reading::header(Pdu &pdu) {
    if (!pdu.inferred && pdu.knows(header_field::initiator_task_tag)) {
        const Following right = follows(ledger.state(), pdu);
        confirmed = confirmed || right == Following::yes;
        refuted = refuted || right == Following::no;
        if (right != Following::no)
            anchor = pdu.offset + 1;
    } else if (header_field::initiator_task_tag.in(pdu.in_file) &&
               ledger.state().tasks.find(static_cast<std::uint32_t>(pdu.view().initiator_task_tag())) !=
                   nullptr) {
        sure = pdu.offset; // it begins where it should, and has the tag; where it ends the file does not show
        anchor = pdu.offset + 1;
    }
    complete(ledger.state(), pdu);
    ledger.note(pdu);
    pdus.push_back({.pdu = pdu, .complete = false, .data = {}, .ahs = {pdu.ahs.begin(), pdu.ahs.end()}});
    return std::min(pdu.data_length, keeps);
}

void Reading::pdu(const Pdu &pdu) {
    ReadPdu &p = pdus.back();
    p.pdu = pdu;
    p.complete = true;
    p.data.assign(pdu.data.begin(), pdu.data.end());
}

bool Reading::same_state(const Reading &other) const {
    return framer.pdu().offset == other.framer.pdu().offset && confirmed == other.confirmed &&
           anchor == other.anchor &&
           iscsiscope::same_state(ledger.state(), other.ledger.state(), framer.direction());
}

void Reading::keep_common(const Reading &other, std::uint64_t before, bool likelier) {
    const auto doubt = [this](const Pdu &p) {
        if (p.inferred && p.knows(header_field::initiator_task_tag))
            doubtful.push_back(static_cast<std::uint32_t>(p.view().initiator_task_tag()));
    };
    const auto has = [](const std::vector<ReadPdu> &list, const Pdu &p) {
        const ReadPdu *found = find(list, p.offset);
        return found != nullptr && same_extent(found->pdu, p);
    };
    common_from = std::max(common_from, other.common_from);
    doubtful.insert(doubtful.end(), other.doubtful.begin(), other.doubtful.end());
    for (const ReadPdu &p : other.pdus)
        if (p.pdu.offset < before && !has(pdus, p.pdu)) {
            doubt(p.pdu);
            common_from = std::max(common_from, p.pdu.offset + 1);
        }
    std::erase_if(pdus, [&](ReadPdu &p) {
        if (p.pdu.offset >= before)
            return false;
        if (!has(other.pdus, p.pdu)) {
            doubt(p.pdu);
            common_from = std::max(common_from, p.pdu.offset + 1);
            return true;
        }
        const ReadPdu &same = *find(other.pdus, p.pdu.offset);
        for (std::size_t i = 0; i < basic_header_size && !likelier; ++i)
            if (p.pdu.header[i] != same.pdu.header[i])
                p.pdu.known &= ~(HeaderMask{1} << i);
        return false;
    });
    std::sort(doubtful.begin(), doubtful.end());
    doubtful.erase(std::unique(doubtful.begin(), doubtful.end()), doubtful.end());
}

} // namespace iscsiscope
