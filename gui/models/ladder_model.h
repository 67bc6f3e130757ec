// SPDX-License-Identifier: GPL-2.0-or-later
// LadderModel holds the packets of one connection within an interval. It reads them from the file again, so
// that memory does not grow with the packets of a capture.
#pragma once

#include "gui/document/document.h"

#include <QObject>

namespace iscsiscope::gui {

struct LadderPacket {
    FrameNumber frame = 0;
    Time time; // at the capture point
    bool toTarget = true;
    bool repeat = false;                // a retransmission
    std::uint32_t payload = 0;          // bytes
    std::uint8_t flags = 0;             // TcpFlag
    QString pdus;                       // what begins in it, "READ(10) LBA 2048, 64 KiB"; empty: no PDU does
    QString continues;                  // the PDU that began before and goes on in it; empty: none
    std::vector<CycleId> cycles, begun; // whose PDUs have bytes in it; whose PDUs begin in it
    // Estimated times at its sender and its receiver: half their round trip to the capture point is applied.
    Time sent, arrived;
};

struct LadderPage {
    StreamId stream;
    Interval interval;
    QString initiator, target;         // addresses
    QString initiatorName, targetName; // iSCSI names; empty: not known
    std::vector<LadderPacket> packets;
    bool changed = false;        // the file is not what was read any more: no packets
    bool more = false;           // packets beyond maxLadderPackets were left out
    bool delaysKnown = false;    // else sent and arrived are drawn with a nominal slant
    std::vector<GapRecord> gaps; // that overlap
};

inline constexpr std::size_t maxLadderPackets = 2000;

class LadderModel : public QObject {
    Q_OBJECT
public:
    explicit LadderModel(Document &, QObject *parent = nullptr);
    // Reads the packets of the stream in the interval; changed() is emitted when they are there.
    void show(StreamId stream, Interval);
    bool pending() const { return job_.running(); }
    const LadderPage &page() const { return page_; }

signals:
    void changed();

private:
    Document &document_;
    LatestJob job_;
    LadderPage page_;
};

// Whether the packet has bytes of the cycle.
bool carries(const LadderPacket &, CycleId cycle);
// Whether a PDU of the cycle begins in it, so that its label is the cycle's.
bool beginsOf(const LadderPacket &, CycleId cycle);
// Describes the packet in lines of words: frame, PDUs, bytes, time since `origin`, cycles, retransmission.
QString packetWords(const LadderPacket &, Time origin);

// Reads the packets; for a worker thread.
LadderPage readLadder(const Snapshot &, StreamId stream, Interval, const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
