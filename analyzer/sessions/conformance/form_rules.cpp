// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/form_rules.h"

namespace iscsiscope {
namespace {

struct Form {
    bool final = false;    // the F bit is always set
    bool numbered = false; // a request with a CmdSN may be immediate
    bool no_data = false;  // no data segment
};

// RFC 7143 sections 11.3 to 11.19.
constexpr Form form_of(Opcode o) {
    switch (o) {
    case Opcode::nop_out:
        return {true, true, false};
    case Opcode::scsi_command:
    case Opcode::text_request:
    case Opcode::login_request:
        return {false, true, false};
    case Opcode::task_management_request:
    case Opcode::logout_request:
        return {true, true, true};
    case Opcode::snack_request:
    case Opcode::task_management_response:
    case Opcode::logout_response:
    case Opcode::r2t:
        return {true, false, true};
    case Opcode::nop_in:
    case Opcode::scsi_response:
    case Opcode::async_message:
    case Opcode::reject:
        return {true, false, false};
    default:
        return {};
    }
}

constexpr auto forms = [] {
    std::array<Form, 64> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = form_of(static_cast<Opcode>(i));
    return all;
}();

} // namespace

void FormRules::pdu(const Occasion &o) {
    const auto i = static_cast<std::size_t>(o.view.opcode());
    const Form &form = forms[i];
    if ((form.final && !o.view.final()) || (o.view.immediate() && !form.numbered) ||
        (o.pdu.ahs_length != 0 && o.view.opcode() != Opcode::scsi_command) ||
        (form.no_data && o.pdu.data_length != 0))
        odd(o);
    else
        ++pdus_[i];
    if (o.pdu.header_digest != DigestState::none || o.pdu.data_digest != DigestState::none)
        digests(o);
}

void FormRules::odd(const Occasion &o) {
    const Form &form = forms[static_cast<std::size_t>(o.view.opcode())];
    if (form.final)
        counts_.test(Rule::final_bit, !o.view.final(), o);
    if (!form.numbered)
        counts_.test(Rule::immediate_bit, o.view.immediate(), o);
    if (o.view.opcode() != Opcode::scsi_command)
        counts_.test(Rule::additional_header, o.pdu.ahs_length != 0, o);
    if (form.no_data)
        counts_.test(Rule::no_data_segment, o.pdu.data_length != 0, o);
}

void FormRules::digests(const Occasion &o) {
    const auto check = [&](Rule rule, DigestState state) {
        if (state != DigestState::ok && state != DigestState::bad)
            return;
        counts_.kept(rule);
        if (state == DigestState::bad) // what the other end does because of it is digest_error's
            counts_.broken_at(rule, known_frame(o.pdu.frame));
    };
    check(Rule::header_digest, o.pdu.header_digest);
    check(Rule::data_digest, o.pdu.data_digest);
}

void FormRules::finish() {
    for (std::size_t i = 0; i < pdus_.size(); ++i) {
        const Form &form = forms[i];
        counts_.kept(Rule::final_bit, form.final ? pdus_[i] : 0);
        counts_.kept(Rule::immediate_bit, form.numbered ? 0 : pdus_[i]);
        counts_.kept(Rule::additional_header, static_cast<Opcode>(i) == Opcode::scsi_command ? 0 : pdus_[i]);
        counts_.kept(Rule::no_data_segment, form.no_data ? pdus_[i] : 0);
    }
    pdus_ = {};
}

} // namespace iscsiscope
