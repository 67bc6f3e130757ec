// SPDX-License-Identifier: GPL-2.0-or-later
// TrackList arranges the tracks of the timeline: one a connection, those of a session below its header, those
// without tasks in a group of their own. What the user arranges (order, folds, hidden and pinned tracks,
// heights) stays when a later snapshot of the same capture is set. Without windows.
#pragma once

#include "gui/document/snapshot.h"

#include <QString>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace iscsiscope::gui {

enum class TrackOrder : std::uint8_t { number, name, activity, lostTime };
inline constexpr std::size_t trackOrderCount = 4;
QString trackOrderName(TrackOrder); // for menus

enum class TrackKind : std::uint8_t {
    connection,
    session, // header of a session of several connections
    idle,    // header of the connections without tasks
};

// Names a track in all snapshots of a capture: its kind, and the number of the connection or session.
using TrackId = std::pair<TrackKind, std::uint64_t>;

struct TrackRow {
    TrackId id;
    SessionId session;             // of a connection
    std::vector<StreamId> streams; // the connections that it stands for
    QString label, detail, toolTip;
    bool folded = false; // of headers
    bool pinned = false;
    bool inGroup = false; // below a header
    int height = 0;       // pixels, as the user set it; 0: automatic

    bool isHeader() const { return id.first != TrackKind::connection; }
};

// Where the rows are, in pixels.
struct TrackLayout {
    struct Place {
        double top = 0, height = 0; // top: of the pinned ones from the top, of the others before scrolling
    };
    std::vector<Place> places; // by row; the pinned ones come first
    double pinned = 0;         // height of the pinned rows, which do not scroll
    double total = 0;          // height of all rows
    double scrolled = 0;       // pixels above the picture
    std::size_t pinnedRows = 0;

    double top(std::size_t row) const { return places[row].top - (row < pinnedRows ? 0 : scrolled); }
    // Bars of cycles above, gaps below.
    double barsHeight(std::size_t row) const { return places[row].height * 0.7; }
    double gapsTop(std::size_t row) const { return places[row].height * 0.74; }
    double gapsHeight(std::size_t row) const { return places[row].height * 0.18; }
    // The row at a height of the picture; empty: none.
    std::optional<std::size_t> at(double y) const;
    // The row whose lower border is within some pixels of this height; empty: none.
    std::optional<std::size_t> borderAt(double y, double within) const;
};

class TrackList {
public:
    static constexpr int minHeight = 12, defaultMin = 18, maxHeight = 400, defaultMax = 64, headerHeight = 20;

    // Takes the connections of a capture. another: it is not the one before, and nothing of that is kept.
    void setSnapshot(const Snapshot &, bool another);

    const std::vector<TrackRow> &rows() const { return rows_; } // in order, the pinned ones first
    std::size_t connections() const { return facts_.size(); }
    std::size_t hiddenCount() const { return hidden_.size(); }
    // Connections that no row shows or stands for: hidden, or without the words to find.
    std::size_t missing() const;

    TrackOrder order() const { return order_; }
    void setOrder(TrackOrder);
    void setFolded(TrackId header, bool);
    void foldAll(bool);
    void setHidden(TrackId, bool); // a header's hides all below it
    void showAll();
    void showOnly(const std::vector<StreamId> &streams); // hides all others
    void setPinned(TrackId, bool);
    void setHeight(TrackId, int pixels);
    void resetHeight(TrackId);
    void resetHeights();
    // Only tracks whose words contain this; headers stay with what is below them. Empty: all.
    void setWanted(const QString &words);
    const QString &wanted() const { return wanted_; }

    std::optional<std::size_t> rowOf(TrackId) const;
    TrackLayout layout(int room, int scrolled) const;
    // Every connection, for a picture of all of them, in the order of the rows.
    std::vector<StreamId> allStreams() const;

private:
    struct Facts {
        StreamId stream;
        SessionId session;
        std::uint64_t bytes = 0;
        std::size_t tasks = 0;
        Duration idle{};
        QString label, detail, toolTip, sought;
    };
    struct Group { // tracks that are ordered as one
        std::optional<TrackId> header;
        std::vector<const Facts *> members;
    };
    void build();
    bool before(const Group &, const Group &) const;
    bool foundIn(const Facts &) const;
    TrackRow headerRow(const Group &) const;
    TrackRow connectionRow(const Facts &, bool inGroup) const;
    void finish(TrackRow &) const;

    std::vector<Facts> facts_; // by stream
    std::map<SessionId, QString> sessionNames_;
    TrackOrder order_ = TrackOrder::number;
    std::map<TrackId, bool> folded_;
    std::set<StreamId> hidden_; // streams
    std::set<TrackId> pinned_;
    std::map<TrackId, int> heights_;
    QString wanted_;
    std::vector<TrackRow> rows_;
};

} // namespace iscsiscope::gui
