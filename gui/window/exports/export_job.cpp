// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/exports/export_job.h"

#include <QBoxLayout>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace iscsiscope::gui {

ExportJob::ExportJob(QWidget *parent) : QWidget(parent), text_(new QLabel), bar_(new QProgressBar) {
    setObjectName("export");
    bar_->setRange(0, 1000);
    bar_->setMaximumWidth(160);
    bar_->setAccessibleName(tr("Progress of writing"));
    auto *cancel = new QPushButton(tr("Cancel writing"));
    cancel->setObjectName("cancelExport");
    cancel->setToolTip(tr("Stops writing; the file is not made"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(text_);
    layout->addWidget(bar_);
    layout->addWidget(cancel);
    connect(cancel, &QPushButton::clicked, this, &ExportJob::cancel);
    connect(&clock_, &QTimer::timeout, this, [this] {
        if (share_)
            bar_->setValue(static_cast<int>(*share_ * 1000));
    });
    hide();
}

ExportJob::~ExportJob() {
    cancel();
}

bool ExportJob::start(const QString &path, Work work) {
    if (running())
        return false;
    stop_ = std::make_shared<std::atomic<bool>>(false);
    share_ = std::make_shared<std::atomic<double>>(0);
    text_->setText(tr("Writing %1").arg(QFileInfo(path).fileName()));
    bar_->setValue(0);
    clock_.start(100);
    show();
    // The end is reported after a cancel too, so the flag given here is never set.
    runInBackground(
        this, std::make_shared<std::atomic<bool>>(false),
        [work = std::move(work), stop = stop_, share = share_](const std::atomic<bool> &) {
            return work(*stop, *share);
        },
        [this, path](const std::optional<QString> &mistake) {
            stop_.reset();
            clock_.stop();
            hide();
            emit finished(path, mistake.value_or(QString()));
        });
    return true;
}

void ExportJob::cancel() {
    if (stop_) {
        *stop_ = true;
        text_->setText(tr("Cancelling …"));
    }
}

} // namespace iscsiscope::gui
