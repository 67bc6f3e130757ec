// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/experiment/testbed_view.h"

#include "gui/models/words.h"
#include "gui/views/theme.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QTemporaryDir>
#include <qcustomplot.h>

namespace iscsiscope::gui {

TestbedView::TestbedView(QWidget *parent)
    : QWidget(parent), scenario_(new QComboBox), folder_(new QLineEdit), run_(new QPushButton(tr("Run"))),
      cancel_(new QPushButton(tr("Cancel"))), bar_(new QProgressBar), status_(new QLabel),
      throughput_(new QCustomPlot), windows_(new QCustomPlot), drops_(new QCustomPlot) {
    auto *form = new QFormLayout;
    scenario_->setObjectName("scenario");
    scenario_->setAccessibleName(tr("Scenario"));
    scenario_->addItem(tr("as the fields below say"));
    form->addRow(tr("Scenario"), scenario_);
    for (const FieldInfo &info : testbedFields()) {
        QWidget *editor = nullptr;
        if (info.choices.isEmpty()) {
            auto *line = new QLineEdit(info.preset);
            connect(line, &QLineEdit::textChanged, this, [this, f = info.field] { check(f); });
            editor = line;
        } else {
            auto *box = new QComboBox;
            box->addItems(info.choices);
            box->setCurrentText(info.preset);
            editor = box;
        }
        editor->setToolTip(info.toolTip);
        editor->setAccessibleName(info.name);
        auto *mistake = new QLabel;
        mistake->setObjectName("mistake");
        mistake->setWordWrap(true);
        mistake->hide();
        QPalette red = mistake->palette();
        red.setColor(QPalette::WindowText, QColor(0xd0, 0x30, 0x40));
        mistake->setPalette(red);
        auto *cell = new QWidget;
        auto *cellLayout = new QVBoxLayout(cell);
        cellLayout->setContentsMargins(0, 0, 0, 0);
        cellLayout->setSpacing(1);
        cellLayout->addWidget(editor);
        cellLayout->addWidget(mistake);
        form->addRow(info.name, cell);
        editors_.push_back(editor);
        mistakes_.push_back(mistake);
    }
    folder_->setPlaceholderText(tr("a temporary one"));
    folder_->setToolTip(tr("Where the captures go; empty: a temporary folder"));
    folder_->setAccessibleName(tr("Folder of the captures"));
    form->addRow(tr("Folder"), folder_);
    auto *fields = new QWidget;
    fields->setLayout(form);
    auto *scroll = new QScrollArea;
    scroll->setWidget(fields);
    scroll->setAccessibleName(tr("Fields of the scenario"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *left = new QGroupBox(tr("Scenario"));
    auto *leftLayout = new QVBoxLayout(left);
    auto *buttons = new QHBoxLayout;
    run_->setObjectName("run");
    cancel_->setObjectName("cancelRun");
    cancel_->setEnabled(false);
    buttons->addWidget(run_);
    buttons->addWidget(cancel_);
    leftLayout->addWidget(scroll, 1);
    leftLayout->addLayout(buttons);
    left->setMinimumWidth(350);
    left->setMaximumWidth(420);
    status_->setObjectName("runStatus");
    status_->setWordWrap(true);
    status_->setAccessibleName(tr("State of the run"));
    status_->setText(tr("A run makes real iSCSI over real TCP between two hosts on this machine, through a "
                        "link of this delay, "
                        "rate and loss. The captures of both ends then open by themselves."));
    bar_->setAccessibleName(tr("Progress of the run"));
    bar_->setRange(0, 1000);
    auto *right = new QGroupBox(tr("The run"));
    auto *rightLayout = new QVBoxLayout(right);
    rightLayout->addWidget(status_);
    rightLayout->addWidget(bar_);
    throughput_->setAccessibleName(tr("Throughput during the run, MB/s"));
    windows_->setAccessibleName(tr("Congestion windows during the run, kB"));
    drops_->setAccessibleName(tr("Packets dropped during the run"));
    for (QCustomPlot *p : {throughput_, windows_, drops_}) {
        p->setFocusPolicy(Qt::NoFocus);
        p->setMinimumHeight(110);
        p->axisRect()->setMinimumMargins({64, 6, 10, 4});
        p->yAxis->ticker()->setTickCount(4);
        p->yAxis->setRange(0, 1);
        p->xAxis->setRange(0, 10);
        rightLayout->addWidget(p, 1);
    }
    throughput_->yAxis->setLabel(tr("MB/s"));
    windows_->yAxis->setLabel(tr("cwnd, kB"));
    drops_->yAxis->setLabel(tr("drops"));
    drops_->xAxis->setLabel(tr("seconds of the run"));
    style();
    auto *layout = new QHBoxLayout(this);
    layout->addWidget(left);
    layout->addWidget(right, 1);
    connect(run_, &QPushButton::clicked, this, &TestbedView::start);
    connect(cancel_, &QPushButton::clicked, this, &TestbedView::cancel);
    connect(
        scenario_, &QComboBox::activated, this,
        [this](int i) {
            for (QWidget *e : editors_)
                e->setEnabled(i == 0);
            run_->setEnabled(i > 0 || valid());
        });
    connect(&runner_, &TestbedRunner::phase, this, [this](const QString &p) { status_->setText(p); });
    connect(&runner_, &TestbedRunner::progressed, this, &TestbedView::showRun);
    connect(&runner_, &TestbedRunner::finished, this, &TestbedView::finish);
    // Bundled scenarios by name; found without asking the program, which may not be there.
    for (const QString &place : {QCoreApplication::applicationDirPath() + "/../share/iscsiscope/scenarios",
                                 QString(ISCSISCOPE_SCENARIO_FOLDER)}) {
        for (const QFileInfo &f : QDir(place).entryInfoList({"*.toml"}, QDir::Files, QDir::Name))
            scenario_->addItem(f.completeBaseName(), f.canonicalFilePath());
        if (scenario_->count() > 1)
            break;
    }
}

// What a run writes goes with the folder, so the run must have ended.
TestbedView::~TestbedView() {
    runner_.end();
}

bool TestbedView::choose(const QString &scenario) {
    int at = scenario_->findText(scenario);
    if (at < 1 && QFileInfo(scenario).isFile()) {
        scenario_->addItem(QFileInfo(scenario).fileName(), QFileInfo(scenario).absoluteFilePath());
        at = scenario_->count() - 1;
    }
    if (at < 1)
        return false;
    scenario_->setCurrentIndex(at);
    emit scenario_->activated(at);
    return true;
}

QWidget *TestbedView::editorOf(Field f) const {
    return editors_[static_cast<std::size_t>(f)];
}

QString TestbedView::value(Field f) const {
    if (const auto *line = qobject_cast<QLineEdit *>(editorOf(f)))
        return line->text();
    return static_cast<QComboBox *>(editorOf(f))->currentText();
}

void TestbedView::setValue(Field f, const QString &v) {
    if (auto *line = qobject_cast<QLineEdit *>(editorOf(f)))
        line->setText(v);
    else
        static_cast<QComboBox *>(editorOf(f))->setCurrentText(v);
}

QString TestbedView::mistakeShown(Field f) const {
    const QLabel *l = mistakes_[static_cast<std::size_t>(f)];
    return l->isHidden() ? QString() : l->text();
}

bool TestbedView::valid() const {
    for (const FieldInfo &info : testbedFields())
        if (mistakeIn(info.field, value(info.field)))
            return false;
    return true;
}

void TestbedView::check(Field f) {
    const auto mistake = mistakeIn(f, value(f));
    QLabel *l = mistakes_[static_cast<std::size_t>(f)];
    l->setText(mistake.value_or(QString()));
    l->setVisible(mistake.has_value());
    editorOf(f)->setAccessibleDescription(mistake.value_or(QString()));
    run_->setEnabled(valid() && !runner_.running());
}

void TestbedView::setFolder(const QString &folder) {
    folder_->setText(folder);
}

void TestbedView::start() {
    if (runner_.running() || (scenario_->currentIndex() == 0 && !valid()))
        return;
    QString folder = folder_->text().trimmed();
    if (folder.isEmpty()) {
        if (!own_)
            own_ = std::make_shared<QTemporaryDir>();
        folder = own_->path();
    }
    folder += QString("/run-%1").arg(++runs_);
    QString file = scenario_->currentData().toString();
    if (scenario_->currentIndex() == 0) {
        QDir().mkpath(folder);
        file = folder + "/panel.toml";
        QStringList values;
        for (const FieldInfo &info : testbedFields())
            values << value(info.field);
        QFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(scenarioOf(values).toUtf8()) < 0) {
            status_->setText(tr("%1: %2").arg(file, out.errorString()));
            return;
        }
    }
    seen_.clear();
    for (QCustomPlot *p : {throughput_, windows_, drops_}) {
        p->clearGraphs();
        p->replot();
    }
    style();
    run_->setEnabled(false);
    cancel_->setEnabled(true);
    bar_->setRange(0, 0);
    status_->setText(tr("starting …"));
    runner_.run(file, folder);
}

void TestbedView::cancel() {
    runner_.cancel();
}

void TestbedView::showRun(const RunProgress &p) {
    seen_.push_back(p);
    if (p.share) {
        bar_->setRange(0, 1000);
        bar_->setValue(static_cast<int>(*p.share * 1000));
    }
    status_->setText(tr("%1 s, %2 MB/s, %3 packets dropped")
                         .arg(p.elapsed, 0, 'f', 1)
                         .arg(p.megabytesPerSecond, 0, 'f', 2)
                         .arg(p.drops));
    const Theme t = Theme::of(palette());
    const auto graph = [&t](QCustomPlot *plot, int i, const QString &name) {
        while (plot->graphCount() <= i) {
            QCPGraph *g = plot->addGraph();
            g->setPen(QPen(t.legible(seriesColor(static_cast<std::size_t>(plot->graphCount() - 1))), 1));
        }
        plot->graph(i)->setName(name);
        return plot->graph(i);
    };
    graph(throughput_, 0, tr("throughput"))->addData(p.elapsed, p.megabytesPerSecond);
    graph(drops_, 0, tr("drops"))->addData(p.elapsed, static_cast<double>(p.drops));
    int i = 0;
    for (auto w = p.cwnd.begin(); w != p.cwnd.end(); ++w)
        graph(windows_, i++, w.key())->addData(p.elapsed, w.value() / 1e3);
    windows_->legend->setVisible(i > 1);
    windows_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignLeft);
    for (QCustomPlot *plot : {throughput_, windows_, drops_}) {
        plot->yAxis->rescale();
        plot->yAxis->setRange(0, std::max(plot->yAxis->range().upper * 1.1, 1.0));
        plot->xAxis->setRange(0, std::max(p.elapsed * 1.05, 5.0));
        plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

void TestbedView::finish(const QStringList &captures, const QString &problem) {
    bar_->setRange(0, 1000);
    bar_->setValue(problem.isEmpty() ? 1000 : 0);
    run_->setEnabled(true);
    cancel_->setEnabled(false);
    QStringList ends = captures;
    std::sort(ends.begin(), ends.end()); // … .initiator.pcapng comes before … .target.pcapng
    status_->setText(problem.isEmpty() ? tr("Done: %1").arg(ends.join(", ")) : problem);
    if (ends.size() >= 2)
        emit pairReady(ends.front(), ends.back());
    emit ended(problem);
}

void TestbedView::style() {
    for (QCustomPlot *p : {throughput_, windows_, drops_}) {
        applyTheme(*p, Theme::of(palette()));
        p->replot(QCustomPlot::rpQueuedReplot);
    }
}

void TestbedView::changeEvent(QEvent *e) {
    QWidget::changeEvent(e);
    if (e->type() == QEvent::PaletteChange)
        style();
}

} // namespace iscsiscope::gui
