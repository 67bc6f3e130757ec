// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/session_tree_model.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "gui/models/histogram_times.h"
#include "gui/models/time_split.h"
#include "gui/models/words.h"

#include <cmath>

namespace iscsiscope::gui {

SessionTreeModel::SessionTreeModel(Document &document, QObject *parent)
    : QAbstractItemModel(parent), document_(document) {
    connect(&document, &Document::matchesChanged, this, &SessionTreeModel::refresh);
    connect(&document, &Document::figuresChanged, this, [this] {
        if (!document_.figuresPending())
            rebuild();
    });
}

void SessionTreeModel::refresh() {
    const Interval interval = document_.range().value_or(document_.snapshot()->whole);
    job_.run(
        this,
        [snapshot = document_.snapshot(), rows = document_.matches(), interval](
            const std::atomic<bool> &stop) { return TreeFigures::build(*snapshot, *rows, interval, stop); },
        [this](const std::shared_ptr<const TreeFigures> &f) {
            figures_ = f;
            rebuild();
        });
}

int SessionTreeModel::add(int parent, Node n) {
    const int id = static_cast<int>(nodes_.size());
    auto &siblings = parent < 0 ? roots_ : nodes_[static_cast<std::size_t>(parent)].children;
    n.parent = parent;
    n.place = static_cast<int>(siblings.size());
    siblings.push_back(id);
    nodes_.push_back(std::move(n));
    return id;
}

void SessionTreeModel::rebuild() {
    beginResetModel();
    nodes_.clear();
    roots_.clear();
    snapshot_ = document_.snapshot();
    report_ = document_.figures();
    std::map<StreamId, const ConnectionRecord *> records;
    for (const ConnectionRecord &c : report_->connections)
        records[c.stream] = &c;
    std::map<StreamId, std::uint64_t> sentAgain; // by stream
    for (const TcpDirectionRow &d : report_->tcp)
        sentAgain[d.figures->stream] += d.figures->retransmitted();
    const auto tallyOf = [](const auto &map, const auto &key) -> const TreeTally * {
        const auto at = map.find(key);
        return at != map.end() ? &at->second : nullptr;
    };
    struct SessionSums {
        int node = 0;
        ActiveTime life;
        std::uint64_t sentAgain = 0;
    };
    std::map<SessionId, SessionSums> sessions;
    for (const auto &[stream, open] : snapshot_->tables.streams) {
        auto at = sessions.find(open.session);
        if (at == sessions.end()) {
            Node n;
            const auto record = snapshot_->tables.sessions.find(open.session);
            const std::string target =
                record != snapshot_->tables.sessions.end() ? record->second.target_name : "";
            const std::string by =
                record != snapshot_->tables.sessions.end() ? record->second.initiator_name : "";
            n.name = tr("Session %1").arg(open.session.number);
            if (record != snapshot_->tables.sessions.end() && record->second.session_type == "Discovery")
                n.name += tr(": discovery of targets, without tasks");
            else if (!target.empty())
                n.name += ": " + QString::fromStdString(human::name(target));
            n.toolTip = by.empty() ? tr("The login is not in the capture.")
                                   : tr("Initiator %1").arg(QString::fromStdString(human::name(by)));
            n.filter = QString("session == %1").arg(open.session.number);
            n.session = open.session;
            n.tally = figures_ ? tallyOf(figures_->sessions, open.session) : nullptr;
            at = sessions.try_emplace(open.session).first;
            at->second.node = add(-1, std::move(n));
        }
        Node c;
        c.name = connectionWords(stream, open.initiator, open.target);
        c.filter = QString("stream == %1").arg(stream.number);
        c.tally = figures_ ? tallyOf(figures_->streams, stream) : nullptr;
        if (const auto record = records.find(stream); record != records.end()) {
            const ConnectionRecord &r = *record->second;
            ActiveTime life;
            life.add(r);
            c.idle = idle_ratio(life);
            c.busy = busyWords(life);
            at->second.life.add(r);
        }
        c.session = open.session;
        c.sentAgain = sentAgain[stream];
        at->second.sentAgain += c.sentAgain;
        const int connection = add(at->second.node, std::move(c));
        if (figures_) {
            for (auto l = figures_->luns.lower_bound({stream, 0});
                 l != figures_->luns.end() && l->first.first == stream; ++l) {
                Node n;
                n.name = tr("LUN %1").arg(QString::fromStdString(to_string(Lun{l->first.second})));
                const auto facts = snapshot_->tables.luns.find({open.session, l->first.second});
                if (facts != snapshot_->tables.luns.end() && !facts->second.product.empty()) {
                    n.name += QString(" (%1 %2)")
                                  .arg(QString::fromStdString(human::name(facts->second.vendor)).trimmed(),
                                       QString::fromStdString(human::name(facts->second.product)).trimmed());
                }
                n.filter = QString("stream == %1 and lun == %2")
                               .arg(stream.number)
                               .arg(QString::fromStdString(to_string(Lun{l->first.second})));
                n.session = open.session;
                n.tally = &l->second;
                add(connection, std::move(n));
            }
        }
    }
    for (const auto &[number, s] : sessions) {
        Node &n = nodes_[static_cast<std::size_t>(s.node)];
        n.idle = idle_ratio(s.life);
        n.busy = busyWords(s.life);
        n.sentAgain = s.sentAgain;
    }
    endResetModel();
}

const SessionTreeModel::Node *SessionTreeModel::node(const QModelIndex &i) const {
    return i.isValid() ? &nodes_[i.internalId()] : nullptr;
}

QModelIndex SessionTreeModel::index(int row, int column, const QModelIndex &parent) const {
    const Node *above = node(parent);
    const auto &list = above != nullptr ? above->children : roots_;
    if (row < 0 || row >= static_cast<int>(list.size()) || column < 0 || column >= ColumnCount)
        return {};
    return createIndex(row, column, static_cast<quintptr>(list[static_cast<std::size_t>(row)]));
}

QModelIndex SessionTreeModel::parent(const QModelIndex &i) const {
    const Node *n = node(i);
    if (n == nullptr || n->parent < 0)
        return {};
    return createIndex(nodes_[static_cast<std::size_t>(n->parent)].place, 0,
                       static_cast<quintptr>(n->parent));
}

int SessionTreeModel::rowCount(const QModelIndex &parent) const {
    if (parent.column() > 0)
        return 0;
    const Node *n = node(parent);
    return static_cast<int>(n != nullptr ? n->children.size() : roots_.size());
}

int SessionTreeModel::columnCount(const QModelIndex &) const {
    return ColumnCount;
}

QVariant SessionTreeModel::data(const QModelIndex &i, int role) const {
    const Node *n = node(i);
    if (n == nullptr)
        return {};
    if (role == Qt::ToolTipRole && i.column() == Idle && !n->busy.isEmpty())
        return n->busy;
    if (role == Qt::ToolTipRole)
        return n->toolTip.isEmpty() ? n->name : n->toolTip;
    if (role == FilterRole)
        return n->filter;
    if (role == Qt::TextAlignmentRole && i.column() != Name)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    const bool raw = role == RawRole;
    if (role == SparkRole && i.column() == Spark && n->tally != nullptr) {
        QVariantList list;
        for (const std::uint64_t b : n->tally->spark)
            list << static_cast<double>(b);
        return list;
    }
    if (role != Qt::DisplayRole && !raw)
        return {};
    const TreeTally *t = n->tally;
    const Rates rate = t != nullptr ? rates(*report_, n->session, t->data.count, t->data.bytes) : Rates{};
    const auto quantile = [&](double q) -> QVariant {
        const auto v = asDuration(t != nullptr ? t->response_time.quantile(q) : std::nullopt);
        if (raw)
            return v ? QVariant(static_cast<qlonglong>(to_ns(*v))) : QVariant();
        return durationWords(v);
    };
    switch (i.column()) {
    case Name:
        return n->name;
    case Tasks:
        return raw ? QVariant(static_cast<qulonglong>(t != nullptr ? t->count : 0))
                   : countWords(t != nullptr ? t->count : 0);
    case Bytes:
        return raw ? QVariant(static_cast<qulonglong>(t != nullptr ? t->bytes : 0))
                   : byteWords(t != nullptr ? t->bytes : 0);
    case Iops:
        if (raw)
            return rate.iops ? QVariant(*rate.iops) : QVariant();
        return rate.iops ? countWords(static_cast<std::uint64_t>(std::llround(*rate.iops))) : QString("-");
    case Rate:
        if (raw)
            return rate.throughput ? QVariant(*rate.throughput) : QVariant();
        return rate.throughput ? rateWords(*rate.throughput) : QString("-");
    case Median:
        return quantile(0.5);
    case P99:
        return quantile(0.99);
    case Idle:
        return n->idle ? (raw ? QVariant(*n->idle) : QVariant(shareWords(*n->idle)))
                       : QVariant(n->children.empty() ? "" : "-");
    case SentAgain:
        if (n->parent >= 0 && nodes_[static_cast<std::size_t>(n->parent)].parent >= 0)
            return {};
        return raw ? QVariant(static_cast<qulonglong>(n->sentAgain)) : QVariant(countWords(n->sentAgain));
    default:
        return {};
    }
}

QVariant SessionTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    if (role == Qt::DisplayRole) {
        return QStringList{tr("Session, connection, LUN"),
                           tr("Tasks"),
                           tr("Bytes"),
                           tr("IOPS"),
                           tr("Throughput"),
                           tr("p50"),
                           tr("p99"),
                           tr("Idle"),
                           tr("Sent again"),
                           tr("Over time")}
            .value(section);
    }
    return QStringList{
        tr("Session, connection, LUN"),
        meaningOf("report.tasks"),
        meaningOf("bytes"),
        meaningOf("iops") + '\n' + tr("Of Reads and Writes, over the data time of the session."),
        meaningOf("throughput") + '\n' + tr("Of Reads and Writes, over the data time of the session."),
        responseTimeMeaning("p50"),
        responseTimeMeaning("p99"),
        meaningOf("idle.share"),
        meaningOf("retransmission") + '\n' +
            tr("Of whole connections with cycles in the range and the filters, which do not limit them "
               "further."),
        tr("Bytes over time")}
        .value(section);
}

} // namespace iscsiscope::gui
