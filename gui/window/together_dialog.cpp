// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/together_dialog.h"

#include <QButtonGroup>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

namespace iscsiscope::gui {
namespace {

struct Choice {
    CaptureRelation relation;
    const char *name, *meaning;
};

constexpr std::array choices{
    Choice{CaptureRelation::parts, QT_TRANSLATE_NOOP("TogetherDialog", "&Parts of one capture"),
           QT_TRANSLATE_NOOP("TogetherDialog",
                             "One follows the other, as a ring buffer writes them. They are read as one.")},
    Choice{CaptureRelation::halves, QT_TRANSLATE_NOOP("TogetherDialog", "Two &halves of one capture"),
           QT_TRANSLATE_NOOP("TogetherDialog", "One direction or one path each, at the same time. Their "
                                               "packets are merged by time.")},
    Choice{CaptureRelation::ends, QT_TRANSLATE_NOOP("TogetherDialog", "Two &ends of one run"),
           QT_TRANSLATE_NOOP("TogetherDialog", "The same traffic at two places. Compared, with clocks, "
                                               "one-way delays and losses between them.")},
    Choice{CaptureRelation::before_after, QT_TRANSLATE_NOOP("TogetherDialog", "&Before and after"),
           QT_TRANSLATE_NOOP("TogetherDialog", "Different traffic. Their figures are compared.")},
};

} // namespace

TogetherDialog::TogetherDialog(const QString &first, const QString &second, QWidget *parent)
    : QDialog(parent), choices_(new QButtonGroup(this)), reason_(new QLabel) {
    setObjectName("twoFiles");
    setWindowTitle(tr("Two captures"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    auto *files = new QLabel(
        tr("How do these belong together?<p>first: <b>%1</b><br>second: <b>%2</b></p>")
            .arg(QFileInfo(first).fileName().toHtmlEscaped(), QFileInfo(second).fileName().toHtmlEscaped()));
    files->setTextFormat(Qt::RichText);
    layout->addWidget(files);
    for (const Choice &c : choices) {
        auto *button = new QRadioButton(tr(c.name));
        button->setAccessibleDescription(tr(c.meaning));
        choices_->addButton(button, static_cast<int>(c.relation));
        auto *meaning = new QLabel(tr(c.meaning));
        meaning->setWordWrap(true);
        meaning->setIndent(24);
        QPalette pale = meaning->palette(); // of less weight than the names
        pale.setColor(QPalette::WindowText, pale.color(QPalette::PlaceholderText));
        meaning->setPalette(pale);
        auto *both = new QVBoxLayout;
        both->setSpacing(2);
        both->addWidget(button);
        both->addWidget(meaning);
        layout->addLayout(both);
    }
    choices_->button(static_cast<int>(CaptureRelation::before_after))->setChecked(true);
    reason_->setObjectName("reason");
    reason_->setWordWrap(true);
    reason_->setText(tr("Looking at the packets of both …"));
    layout->addWidget(reason_);
    layout->addStretch(1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Open)->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(
        this, &QDialog::accepted, this, [this] { emit chosen(choice()); });
    connect(choices_, &QButtonGroup::idClicked, this, [this] { touched_ = true; });
    layout->addWidget(buttons);
    setMinimumWidth(480);
    job_.run(
        this, [first, second](const std::atomic<bool> &stop) { return suggestTogether(first, second, stop); },
        [this](const std::variant<Suggestion, QString> &said) { suggest(said); });
}

CaptureRelation TogetherDialog::choice() const {
    return static_cast<CaptureRelation>(choices_->checkedId());
}

void TogetherDialog::suggest(const std::variant<Suggestion, QString> &said) {
    if (const auto *mistake = std::get_if<QString>(&said)) {
        reason_->setText(*mistake);
        return;
    }
    const auto &s = std::get<Suggestion>(said);
    QAbstractButton *button = choices_->button(static_cast<int>(s.relation));
    if (!touched_) {
        button->setChecked(true);
        button->setFocus();
    }
    reason_->setText(tr("Suggested: <b>%1</b>. %2")
                         .arg(button->text().remove('&').toHtmlEscaped(), s.reason.toHtmlEscaped()));
}

} // namespace iscsiscope::gui
