// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/timeline/track_list.h"

#include "gui/models/words.h"

#include <QCollator>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

QString trackText(const char *text, int n = -1) {
    return QCoreApplication::translate("Tracks", text, nullptr, n);
}

QString countOfConnections(std::size_t n) {
    return n == 1 ? trackText("1 connection") : trackText("%1 connections").arg(n);
}

} // namespace

QString trackOrderName(TrackOrder o) {
    switch (o) {
    case TrackOrder::number:
        return trackText("Order of appearance");
    case TrackOrder::name:
        return trackText("Name: initiator, then target");
    case TrackOrder::activity:
        return trackText("Activity: bytes of tasks, most first");
    case TrackOrder::lostTime:
        return trackText("Lost time: idle, most first");
    }
    return {};
}

std::optional<std::size_t> TrackLayout::at(double y) const {
    if (y < 0)
        return std::nullopt;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i >= pinnedRows && y < pinned)
            return std::nullopt;
        const double t = top(i);
        if (y >= t && y < t + places[i].height)
            return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> TrackLayout::borderAt(double y, double within) const {
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double bottom = top(i) + places[i].height;
        if (std::abs(bottom - y) <= within && (i < pinnedRows || bottom > pinned + within))
            return i;
    }
    return std::nullopt;
}

void TrackList::setSnapshot(const Snapshot &s, bool another) {
    if (another) {
        folded_.clear();
        hidden_.clear();
        pinned_.clear();
        heights_.clear();
        wanted_.clear();
    }
    facts_.clear();
    sessionNames_.clear();
    std::set<SessionId> sessions;
    for (const auto &[stream, c] : s.tables.streams)
        sessions.insert(c.session);
    for (const auto &[stream, c] : s.tables.streams) {
        Facts f;
        f.stream = stream;
        f.session = c.session;
        if (const auto lane = s.lanes->cycles.find(stream); lane != s.lanes->cycles.end()) {
            f.tasks = lane->second.size();
            f.bytes = lane->second.bytes();
        }
        if (const auto gaps = s.lanes->gaps.find(stream); gaps != s.lanes->gaps.end())
            f.idle = gaps->second.idle;
        f.label = sessions.size() > 1
                      ? trackText("session %1, conn %2").arg(c.session.number).arg(stream.number)
                      : trackText("connection %1").arg(stream.number);
        f.detail = connectionWords(stream, c.initiator, c.target);
        QStringList tip{trackText("Session %1, connection %2").arg(c.session.number).arg(f.detail)};
        QString names;
        if (const auto session = s.tables.sessions.find(c.session); session != s.tables.sessions.end()) {
            if (session->second.session_type == "Discovery")
                f.label = trackText("discovery, conn %1").arg(stream.number);
            names = QString::fromStdString(session->second.initiator_name) + ' ' +
                    QString::fromStdString(session->second.target_name);
            if (!session->second.initiator_name.empty())
                tip << trackText("Initiator %1").arg(QString::fromStdString(session->second.initiator_name));
            if (!session->second.target_name.empty())
                tip << trackText("Target %1").arg(QString::fromStdString(session->second.target_name));
        }
        tip << trackText("%1 tasks, %2 moved by them, idle for %3")
                   .arg(countWords(f.tasks), byteWords(f.bytes), durationWords(f.idle));
        f.toolTip = tip.join('\n');
        f.sought = f.label + ' ' + f.toolTip + ' ' + names;
        sessionNames_[c.session] = names;
        facts_.push_back(std::move(f));
    }
    build();
}

bool TrackList::foundIn(const Facts &f) const {
    return wanted_.isEmpty() || f.sought.contains(wanted_, Qt::CaseInsensitive);
}

bool TrackList::before(const Group &a, const Group &b) const {
    const auto bytes = [](const Group &g) {
        std::uint64_t sum = 0;
        for (const Facts *f : g.members)
            sum += f->bytes;
        return sum;
    };
    const auto idle = [](const Group &g) {
        Duration sum{};
        for (const Facts *f : g.members)
            sum += f->idle;
        return sum;
    };
    switch (order_) {
    case TrackOrder::activity:
        return bytes(a) > bytes(b);
    case TrackOrder::lostTime:
        return idle(a) > idle(b);
    case TrackOrder::name: {
        QCollator numbers;
        numbers.setNumericMode(true);
        // Behind "3: ", the number of the connection.
        const auto name = [](const Group &g) { return g.members.front()->detail.section(' ', 1); };
        return numbers.compare(name(a), name(b)) < 0;
    }
    case TrackOrder::number:
        break;
    }
    return std::pair(a.members.front()->session, a.members.front()->stream) <
           std::pair(b.members.front()->session, b.members.front()->stream);
}

void TrackList::finish(TrackRow &row) const {
    row.pinned = pinned_.contains(row.id);
    const auto height = heights_.find(row.id);
    row.height = height == heights_.end() ? 0 : height->second;
}

TrackRow TrackList::headerRow(const Group &g) const {
    TrackRow row;
    row.id = *g.header;
    for (const Facts *f : g.members)
        row.streams.push_back(f->stream);
    const auto folded = folded_.find(row.id);
    row.folded = folded == folded_.end() ? row.id.first == TrackKind::idle : folded->second;
    const QString count = countOfConnections(g.members.size());
    std::uint64_t bytes = 0, tasks = 0;
    for (const Facts *f : g.members) {
        bytes += f->bytes;
        tasks += f->tasks;
    }
    if (row.id.first == TrackKind::idle) {
        row.label = trackText("without tasks: %1").arg(g.members.size());
        row.toolTip = trackText("%1 without a task in the capture").arg(count);
    } else {
        row.session = SessionId{row.id.second};
        row.label = trackText("session %1 (%2 conn)").arg(row.id.second).arg(g.members.size());
        row.toolTip = trackText("Session %1 with %2: %3 tasks, %4 moved by them")
                          .arg(row.id.second)
                          .arg(count, countWords(tasks), byteWords(bytes));
        const auto names = sessionNames_.find(row.session);
        if (names != sessionNames_.end() && !names->second.trimmed().isEmpty())
            row.toolTip += '\n' + names->second;
    }
    row.toolTip +=
        '\n' + trackText("The height of a bar is the share of these connections with a task open.\n"
                         "Click the name to fold or unfold.");
    finish(row);
    return row;
}

TrackRow TrackList::connectionRow(const Facts &f, bool inGroup) const {
    TrackRow row;
    row.id = {TrackKind::connection, f.stream.number};
    row.session = f.session;
    row.streams = {f.stream};
    row.label = inGroup ? trackText("connection %1").arg(f.stream.number) : f.label;
    row.detail = f.detail.section(' ', 1);
    row.toolTip = f.toolTip;
    row.inGroup = inGroup;
    finish(row);
    return row;
}

void TrackList::build() {
    std::map<SessionId, Group> sessions;
    Group idle;
    idle.header = TrackId{TrackKind::idle, 0};
    std::size_t withTasks = 0;
    for (const Facts &f : facts_)
        withTasks += f.tasks > 0 ? 1 : 0;
    for (const Facts &f : facts_) {
        if (hidden_.contains(f.stream) || !foundIn(f))
            continue;
        if (f.tasks == 0 && withTasks > 0)
            idle.members.push_back(&f);
        else
            sessions[f.session].members.push_back(&f);
    }
    std::vector<Group> groups;
    for (auto &[session, g] : sessions) {
        if (g.members.size() > 1)
            g.header = TrackId{TrackKind::session, session.number};
        groups.push_back(std::move(g));
    }
    const auto order = [this](const Group &a, const Group &b) { return before(a, b); };
    std::stable_sort(groups.begin(), groups.end(), order);
    if (!idle.members.empty())
        groups.push_back(std::move(idle));
    std::vector<TrackRow> pinned, others;
    const auto add = [&](TrackRow row) { (row.pinned ? pinned : others).push_back(std::move(row)); };
    for (Group &g : groups) {
        bool folded = false;
        if (g.header) {
            TrackRow row = headerRow(g);
            folded = row.folded && (wanted_.isEmpty() || row.id.first != TrackKind::idle);
            row.folded = folded;
            add(std::move(row));
        }
        std::stable_sort(g.members.begin(), g.members.end(), [this](const Facts *a, const Facts *b) {
            return before(Group{{}, {a}}, Group{{}, {b}});
        });
        for (const Facts *f : g.members) {
            TrackRow row = connectionRow(*f, g.header && g.header->first == TrackKind::session);
            if (!folded || row.pinned)
                add(std::move(row));
        }
    }
    for (TrackRow &row : pinned)
        row.inGroup = false;
    rows_ = std::move(pinned);
    rows_.insert(rows_.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
}

std::size_t TrackList::missing() const {
    return static_cast<std::size_t>(std::count_if(
        facts_.begin(), facts_.end(),
        [this](const Facts &f) { return hidden_.contains(f.stream) || !foundIn(f); }));
}

void TrackList::setOrder(TrackOrder o) {
    order_ = o;
    build();
}

void TrackList::setFolded(TrackId header, bool folded) {
    folded_[header] = folded;
    build();
}

void TrackList::foldAll(bool folded) {
    std::set<SessionId> sessions;
    for (const Facts &f : facts_)
        folded_[{TrackKind::session, f.session.number}] = folded;
    folded_[{TrackKind::idle, 0}] = folded;
    build();
}

void TrackList::setHidden(TrackId id, bool hidden) {
    std::vector<StreamId> streams{id.second};
    if (const auto row = rowOf(id))
        streams = rows_[*row].streams;
    for (const StreamId stream : streams)
        if (hidden)
            hidden_.insert(stream);
        else
            hidden_.erase(stream);
    build();
}

void TrackList::showAll() {
    hidden_.clear();
    build();
}

void TrackList::showOnly(const std::vector<StreamId> &streams) {
    hidden_.clear();
    for (const Facts &f : facts_)
        if (std::find(streams.begin(), streams.end(), f.stream) == streams.end())
            hidden_.insert(f.stream);
    build();
}

void TrackList::resetHeight(TrackId id) {
    heights_.erase(id);
    build();
}

void TrackList::resetHeights() {
    heights_.clear();
    build();
}

void TrackList::setPinned(TrackId id, bool pinned) {
    if (pinned)
        pinned_.insert(id);
    else
        pinned_.erase(id);
    build();
}

void TrackList::setHeight(TrackId id, int pixels) {
    heights_[id] = std::clamp(pixels, minHeight, maxHeight);
    build();
}

void TrackList::setWanted(const QString &words) {
    wanted_ = words.trimmed();
    build();
}

std::optional<std::size_t> TrackList::rowOf(TrackId id) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (rows_[i].id == id)
            return i;
    return std::nullopt;
}

TrackLayout TrackList::layout(int room, int scrolled) const {
    TrackLayout l;
    double set = 0;
    std::size_t automatic = 0;
    for (const TrackRow &row : rows_)
        if (row.height > 0 || row.isHeader())
            set += row.height > 0 ? row.height : headerHeight;
        else
            ++automatic;
    // Whole pixels, so that lanes alike look alike.
    const double each = automatic == 0
                            ? 0
                            : std::clamp(std::floor((room - set) / static_cast<double>(automatic)),
                                         static_cast<double>(defaultMin), static_cast<double>(defaultMax));
    for (const TrackRow &row : rows_) {
        const double height = row.height > 0 ? row.height : row.isHeader() ? headerHeight : each;
        l.places.push_back({l.total, height});
        l.total += height;
        if (row.pinned) {
            l.pinned = l.total;
            ++l.pinnedRows;
        }
    }
    l.scrolled = std::clamp(static_cast<double>(scrolled), 0.0, std::max(l.total - room, 0.0));
    return l;
}

std::vector<StreamId> TrackList::allStreams() const {
    std::vector<const Facts *> all;
    for (const Facts &f : facts_)
        all.push_back(&f);
    std::stable_sort(all.begin(), all.end(), [this](const Facts *a, const Facts *b) {
        return before(Group{{}, {a}}, Group{{}, {b}});
    });
    std::vector<StreamId> streams;
    for (const Facts *f : all)
        streams.push_back(f->stream);
    return streams;
}

} // namespace iscsiscope::gui
