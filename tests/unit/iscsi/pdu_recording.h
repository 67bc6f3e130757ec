// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps all that the iscsi room tells, and checks the order in which it tells it.
#pragma once

#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "analyzer/tcp/stream/tcp_engine.h"

#include <map>
#include <utility>
#include <vector>

struct PduRecording final : iscsiscope::PduSink, iscsiscope::AnomalySink {
    std::vector<iscsiscope::Pdu> pdus[2]; // by direction
    std::vector<iscsiscope::Pdu> headers[2];
    std::vector<iscsiscope::Login> logins;
    std::map<iscsiscope::AnomalyKind, int> anomalies;
    int connections = 0;
    // A PDU came without its header before it, or a segment does not say that it completed one.
    bool order_broken = false;
    std::map<iscsiscope::StreamId, bool> delivered; // a header or a PDU since the last segment

    void on_iscsi(const iscsiscope::Connection &, iscsiscope::Side) override { ++connections; }
    std::uint32_t on_header(const iscsiscope::Connection &c, const iscsiscope::Pdu &p) override {
        delivered[c.stream] = true;
        order_broken = order_broken || connections == 0;
        headers[index(p)].push_back(p);
        return 0;
    }
    void on_pdu(const iscsiscope::Connection &c, const iscsiscope::Pdu &p) override {
        delivered[c.stream] = true;
        const auto &h = headers[index(p)];
        order_broken = order_broken || h.empty() || h.back().offset != p.offset;
        pdus[index(p)].push_back(p);
    }
    void on_login(const iscsiscope::Connection &, const iscsiscope::Login &l) override {
        logins.push_back(l);
    }
    void on_sync_lost(const iscsiscope::Connection &, iscsiscope::PduDirection, std::uint64_t) override {}
    void on_segment(const iscsiscope::Connection &c, const iscsiscope::SegmentEvent &e) override {
        order_broken = order_broken || e.pdus != std::exchange(delivered[c.stream], false);
    }
    void on_close(const iscsiscope::Connection &, iscsiscope::CloseReason, iscsiscope::Time,
                  iscsiscope::FrameNumber) override {}
    void on_anomaly(const iscsiscope::Anomaly &a) override { ++anomalies[a.kind]; }

    static std::size_t index(const iscsiscope::Pdu &p) { return static_cast<std::size_t>(p.direction); }
};
