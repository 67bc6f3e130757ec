// SPDX-License-Identifier: GPL-2.0-or-later
// LadderModel holds the packets of one connection within an interval. It reads them from the file again, so
// that memory does not grow with the packets of a capture.
#pragma once

#include "gui/document/document.h"

#include <QObject>

namespace iscsiscope::gui {

struct LadderPacket {
    FrameNumber frame = 0;
    std::int64_t time = 0; // ns since 1970, at the capture point
    bool toTarget = true;
    bool repeat = false;       // a retransmission
    std::uint32_t payload = 0; // bytes
    std::uint8_t flags = 0;    // TcpFlag
    QString pdus;              // names of the PDUs that begin in it; empty: none
    // Estimated times at its sender and its receiver: half their round trip to the capture point is applied.
    std::int64_t sent = 0, arrived = 0;
};

struct LadderPage {
    std::uint64_t stream = 0;
    Interval interval;
    QString initiator, target;
    std::vector<LadderPacket> packets;
    bool changed = false;        // the file is not what was read any more: no packets
    bool more = false;           // packets beyond mostLadderPackets were left out
    bool delaysKnown = false;    // else sent and arrived are drawn with a nominal slant
    std::vector<GapRecord> gaps; // that overlap
};

inline constexpr std::size_t mostLadderPackets = 2000;

class LadderModel : public QObject {
    Q_OBJECT
public:
    explicit LadderModel(Document &, QObject *parent = nullptr);
    // Reads the packets of the stream in the interval; changed() is emitted when they are there.
    void show(std::uint64_t stream, Interval);
    bool pending() const { return job_.running(); }
    const LadderPage &page() const { return page_; }

signals:
    void changed();

private:
    Document &document_;
    LatestJob job_;
    LadderPage page_;
};

// Reads the packets; for a worker thread.
LadderPage readLadder(const Snapshot &, std::uint64_t stream, Interval, const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
