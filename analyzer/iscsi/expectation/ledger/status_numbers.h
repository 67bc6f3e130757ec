// SPDX-License-Identifier: GPL-2.0-or-later
// StatusNumbers: the StatSN of a connection's target. In: its headers. Out: the next number, if the next
// answer is sure to have it. States: no number seen yet; sure of the next one; unsure, since an answer may
// have been missed after the last number.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class StatusNumbers {
public:
    void note(const Pdu &pdu) {
        const HeaderView h = pdu.view();
        if (h.consumes_stat_sn()) {
            sure_ = pdu.knows(header_field::stat_sn);
            if (sure_)
                next_ = h.stat_sn().value + 1;
        }
        if (h.opcode() == Opcode::r2t && header_field::stat_sn.in(pdu.in_file))
            note_r2t(h.stat_sn().value);
    }
    // Answers may have been missed.
    void lost() { sure_ = false; }
    // None while one may have been missed.
    std::optional<std::uint32_t> next() const { return sure_ ? next_ : std::nullopt; }
    // The number behind the last one seen, whatever was missed since.
    std::optional<std::uint32_t> behind_last() const { return next_; }
    // R2Ts carry the next StatSN (RFC 7143 section 11.8.3); some targets leave the field zero.
    bool in_r2ts() const { return in_r2ts_; }

private:
    void note_r2t(std::uint32_t number) {
        if (sure_ && next_) {
            in_r2ts_ = number == *next_;
        } else if (in_r2ts_) {
            next_ = number;
            sure_ = true;
        }
    }

    std::optional<std::uint32_t> next_;
    bool sure_ = false; // none was missed since the last one
    bool in_r2ts_ = false;
};

} // namespace iscsiscope
