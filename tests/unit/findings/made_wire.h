// SPDX-License-Identifier: GPL-2.0-or-later
// Segments made by hand through the whole engine to the findings: handshakes, and PDUs with their text.
#pragma once

#include "analyzer/cycles/engine.h"
#include "analyzer/findings/findings_input.h"
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/text/text_keys.h"
#include "analyzer/pipeline/sink_fan.h"
#include "analyzer/sessions/session_analysis.h"
#include "findings/manner_checked.h"

#include <chrono>
#include <string>
#include <vector>

namespace iscsiscope::made {

using namespace std::chrono_literals;

inline Endpoint host(std::uint8_t last, std::uint16_t port) {
    IpAddress a;
    a.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
    return {a, port};
}

class Wire {
public:
    struct Way {
        Endpoint from, to;
        std::uint32_t sent = 0, received = 0; // bytes of the stream so far, the SYN included
    };

    explicit Wire(EngineOptions options = {}) : engine_(fan_, std::move(options)) {}

    FrameNumber segment(Duration when, const Way &w, std::uint8_t flags,
                        std::span<const std::byte> data = {}) {
        Segment s;
        s.frame = ++frames_;
        s.time = Time{std::chrono::seconds{1'000'000}} + when;
        s.source = w.from;
        s.destination = w.to;
        s.sequence = w.sent;
        s.acknowledgment = w.received;
        s.flags = flags;
        s.window = 65535;
        s.payload = data;
        s.payload_length = static_cast<std::uint32_t>(data.size());
        engine_.feed(s);
        return s.frame;
    }
    FrameNumber syn(Duration when, const Endpoint &from, const Endpoint &to) {
        return segment(when, {from, to}, tcp_syn);
    }
    FrameNumber refuse(Duration when, const Endpoint &from, const Endpoint &by) {
        return segment(when, {by, from, 0, 1}, tcp_rst | tcp_ack);
    }
    // SYN/ACK and ACK; the SYN has been sent.
    void accept(Duration when, const Endpoint &from, const Endpoint &by) {
        segment(when, {by, from, 0, 1}, tcp_syn | tcp_ack);
        segment(when + 1us, {from, by, 1, 1}, tcp_ack);
    }
    FrameNumber pdu(Duration when, Way &w, Way &back, const HeaderBytes &header,
                    const std::vector<KeyValue> &text) {
        return pdu_with(when, w, back, header, build_text(text));
    }
    FrameNumber pdu_with(Duration when, Way &w, Way &back, const HeaderBytes &header,
                         std::vector<std::byte> data) {
        std::vector<std::byte> bytes(header.begin(), header.end());
        bytes[5] = std::byte(data.size() >> 16), bytes[6] = std::byte(data.size() >> 8 & 0xff);
        bytes[7] = std::byte(data.size() & 0xff);
        data.resize((data.size() + 3) / 4 * 4);
        bytes.insert(bytes.end(), data.begin(), data.end());
        const FrameNumber frame = segment(when, w, tcp_ack | tcp_psh, bytes);
        w.sent += static_cast<std::uint32_t>(bytes.size());
        back.received = w.sent;
        return frame;
    }
    // A connection with one login request, 1 ms after the SYN, and its answer 1 ms later. Returns both ways.
    std::pair<Way, Way> login(Duration when, const Endpoint &from, const Endpoint &to,
                              std::uint8_t status_class, std::uint8_t status_detail,
                              const std::string &redirect = {}) {
        syn(when, from, to);
        accept(when + 500us, from, to);
        Way out{from, to, 1, 1}, back{to, from, 1, 1};
        LoginRequest request;
        request.transit = true;
        request.current_stage = LoginStage::operational;
        request.next_stage = LoginStage::full_feature;
        pdu(when + 1ms, out, back, request.encode(),
            {{"InitiatorName", "iqn.2000-01.test:i"}, {"TargetName", "iqn.2000-01.test:t"}});
        LoginResponse answer;
        answer.current_stage = LoginStage::operational;
        answer.transit = status_class == 0;
        answer.next_stage = status_class == 0 ? LoginStage::full_feature : LoginStage::security;
        answer.tsih = status_class == 0 ? 1 : 0;
        answer.status_class = status_class;
        answer.status_detail = status_detail;
        std::vector<KeyValue> text;
        if (!redirect.empty())
            text.push_back({"TargetAddress", redirect});
        pdu(when + 2ms, back, out, answer.encode(), text);
        return {out, back};
    }
    FindingsResult result() {
        engine_.finish();
        const Facts facts = facts_.take();
        const SessionFigures sessions = sessions_.take();
        FindingsInput in;
        in.facts = &facts;
        in.sessions = &sessions;
        in.capture.coverage = engine_.coverage();
        return manner_checked(find_causes(in));
    }

private:
    FactCollector facts_;
    SessionAnalysis sessions_;
    SinkFan fan_{{&facts_, &sessions_}};
    Engine engine_;
    FrameNumber frames_ = 0;
};

inline std::string why_not(const FindingsResult &r, FindingKind kind) {
    for (const RuledOut &out : r.ruled_out)
        if (out.kind == kind)
            return out.why_not;
    return "";
}

inline double figure(const Finding &f, std::string_view name) {
    for (const Figure &x : f.figures)
        if (x.name == name)
            return x.value;
    return -1;
}

} // namespace iscsiscope::made
