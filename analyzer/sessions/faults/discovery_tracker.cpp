// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/faults/discovery_tracker.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/iscsi/text/text_keys.h"

#include <algorithm>

namespace iscsiscope {
namespace {

bool is_cut(const Pdu &pdu) {
    return pdu.data.size() < pdu.data_length;
}

} // namespace

DiscoveryTracker::State *DiscoveryTracker::begun(const ConnectionFace &face) {
    State *s = find_or_add(connections_, face.stream, max_connections);
    if (s != nullptr) {
        s->figures.stream = face.stream;
        s->figures.initiator = face.initiator_end();
        s->figures.target = face.target_end();
    }
    return s;
}

void DiscoveryTracker::login(const LoginRecord &r) {
    if (!r.login->accepted || r.login->session_type != "Discovery")
        return;
    if (State *s = begun(*r.connection)) {
        s->figures.login = r.login;
        s->figures.discovery = true;
    }
}

void DiscoveryTracker::request(const PduRecord &r) {
    const Pdu &pdu = r.pdu;
    const auto pairs = parse_text(pdu.data);
    const std::string *asked = find_value(pairs, "SendTargets");
    const auto at = connections_.find(r.connection->stream);
    const bool known = at != connections_.end();
    // A discovery session has no other use of Text Requests (RFC 7143 section 4.3): one whose text is not in
    // the file asks for targets too. One without text asks for the rest of an answer.
    if (asked == nullptr && !(known && (is_cut(pdu) || at->second.figures.answer_begun)))
        return;
    State *s = known ? &at->second : begun(*r.connection);
    if (s == nullptr)
        return;
    DiscoveryFigures &f = s->figures;
    f.discovery = f.discovery || (asked != nullptr && *asked == "All");
    if (f.open_since && f.answer_begun && asked == nullptr)
        return;
    ++f.requests;
    f.first_request = f.first_request ? f.first_request : OptionalFrame(pdu.frame);
    f.open_since = pdu.delivered;
    f.open_request = pdu.frame;
    f.answer_begun = false;
    f.until_logout.reset();
    s->targets = 0;
    s->cut = false;
}

void DiscoveryTracker::answer(State &s, const Pdu &pdu) {
    DiscoveryFigures &f = s.figures;
    if (!f.open_since)
        return;
    const auto pairs = parse_text(pdu.data);
    s.targets +=
        static_cast<std::uint64_t>(std::ranges::count(pairs, std::string_view("TargetName"), &KeyValue::key));
    s.cut = s.cut || is_cut(pdu) || pdu.unseen_bytes > 0;
    f.answer_begun = true;
    if (!pdu.view().final())
        return;
    ++f.answers;
    f.targets += s.targets;
    f.first_answer = f.first_answer ? f.first_answer : OptionalFrame(pdu.delivered_frame);
    f.slowest = std::max(f.slowest, pdu.delivered - *f.open_since);
    if (s.targets == 0 && !s.cut && !f.empty_answer)
        f.empty_answer = pdu.delivered_frame;
    f.open_since.reset();
    f.answer_begun = false;
}

void DiscoveryTracker::pdu(const PduRecord &r) {
    const Opcode opcode = r.pdu.view().opcode();
    if (opcode == Opcode::text_request) {
        request(r);
        return;
    }
    if (opcode != Opcode::text_response && opcode != Opcode::reject && opcode != Opcode::logout_request)
        return;
    const auto at = connections_.find(r.connection->stream);
    if (at == connections_.end())
        return;
    DiscoveryFigures &f = at->second.figures;
    if (opcode == Opcode::text_response) {
        answer(at->second, r.pdu);
    } else if (opcode == Opcode::logout_request) {
        f.logged_out = true;
        if (f.open_since)
            f.until_logout = r.pdu.delivered - *f.open_since;
    } else if (f.open_since) {
        f.rejected = f.rejected ? f.rejected : OptionalFrame(r.pdu.delivered_frame);
        f.reason = f.reason ? f.reason : std::optional(r.pdu.view().response());
        f.open_since.reset();
    }
}

std::vector<DiscoveryFigures> DiscoveryTracker::take() const {
    std::vector<DiscoveryFigures> all;
    for (const auto &[stream, s] : connections_)
        all.push_back(s.figures);
    return all;
}

} // namespace iscsiscope
