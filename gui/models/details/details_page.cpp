// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/details/details_page.h"

#include "analyzer/report/text/text_report.h"
#include "gui/models/words.h"

#include <QRegularExpression>

namespace iscsiscope::gui {
namespace {

// "TIMES OF READS" as "Times of Reads".
QString titleOf(const QString &heading) {
    static const QMap<QString, QString> kept{
        {"iscsi", "iSCSI"}, {"tcp", "TCP"},     {"scsi", "SCSI"},    {"r2t", "R2T"},   {"r2ts", "R2Ts"},
        {"lun", "LUN"},     {"luns", "LUNs"},   {"pdu", "PDU"},      {"pdus", "PDUs"}, {"read", "Read"},
        {"reads", "Reads"}, {"write", "Write"}, {"writes", "Writes"}};
    if (heading != heading.toUpper())
        return heading;
    QStringList all = heading.toLower().split(' ');
    for (QString &word : all)
        word = kept.value(word, word);
    if (!all.isEmpty() && !all.front().isEmpty() && !kept.values().contains(all.front()))
        all.front()[0] = all.front()[0].toUpper();
    return all.join(' ');
}

QString linkTo(const QString &number) {
    return QString("<a href=\"frame:%1\">%2</a>").arg(QString(number).remove(','), number);
}

// Escaped, the numbers of frames made links: all numbers if it is a cell of frames, else those behind
// "frame".
QString linked(std::string_view text, bool ofFrames) {
    const QString all = words(text).toHtmlEscaped();
    static const QRegularExpression named("\\bframes? (\\d[\\d,]*)(?:( and | to |–)(\\d[\\d,]*))?"),
        number("\\d[\\d,]*\\b");
    const QRegularExpression &wanted = ofFrames ? number : named;
    QString html;
    qsizetype done = 0;
    const auto link = [&](const QRegularExpressionMatch &m, int group) {
        if (m.captured(group).isEmpty())
            return;
        html += all.mid(done, m.capturedStart(group) - done) + linkTo(m.captured(group));
        done = m.capturedEnd(group);
    };
    for (auto matches = wanted.globalMatch(all); matches.hasNext();) {
        const auto m = matches.next();
        link(m, ofFrames ? 0 : 1);
        if (!ofFrames)
            link(m, 3);
    }
    return html + all.mid(done);
}

QString toned(const QString &html, Tone tone) {
    switch (tone) {
    case Tone::strong:
        return "<b>" + html + "</b>";
    case Tone::bad:
        return "<b><font color='#c0392b'>" + html + "</font></b>";
    case Tone::notice:
        return "<font color='#b9770e'>" + html + "</font>";
    default:
        return html;
    }
}

} // namespace

DetailsSection &DetailsPage::now() {
    if (sections_.empty())
        sections_.emplace_back();
    return sections_.back();
}

void DetailsPage::add(const QString &html) {
    now().html += html;
}

void DetailsPage::addWords(std::string_view text) {
    now().plain += words(text) + '\n';
}

void DetailsPage::open(Open what) {
    if (what == open_)
        return;
    if (open_ != Open::nothing)
        add("</table>");
    open_ = what;
    if (what != Open::nothing)
        add("<table cellspacing=0 cellpadding=2>");
}

void DetailsPage::heading(std::string_view title, std::string_view note) {
    open(Open::nothing);
    DetailsSection s;
    s.heading = words(title);
    s.title = titleOf(s.heading);
    s.note = words(note);
    s.plain = s.title + '\n' + s.note + '\n';
    sections_.push_back(std::move(s));
}

void DetailsPage::blank() {
    open(Open::nothing);
}

void DetailsPage::line(std::string_view text, std::size_t indent, Tone tone) {
    open(Open::nothing);
    addWords(text);
    add(QString("<p style='margin-top:4px; margin-bottom:4px; margin-left:%1px'>%2</p>")
            .arg(indent > 2 ? (indent - 2) * 8 : 0)
            .arg(toned(linked(text, false), tone)));
}

void DetailsPage::headline(std::string_view text, std::string_view label, Tone tone) {
    open(Open::nothing);
    addWords(text);
    addWords(label);
    add("<p style='margin-top:10px; margin-bottom:2px'><b>" + toned(linked(text, false), tone) +
        "</b> &nbsp;<font color='gray'>" + words(label).toHtmlEscaped() + "</font></p>");
}

void DetailsPage::item(std::string_view label, std::string_view text, Tone tone, std::size_t /*indent*/) {
    open(Open::items);
    addWords(label);
    addWords(text);
    add("<tr><td>" + words(label).toHtmlEscaped() + "&nbsp;&nbsp;</td><td>" +
        toned(linked(text, false), tone) + "</td></tr>");
}

void DetailsPage::table(const TextTable &t, std::size_t /*indent*/) {
    open(Open::nothing);
    const auto align = [&](std::size_t column) {
        return t.align()[column] == TextTable::Align::right ? QString(" align=right") : QString();
    };
    QString html = "<table cellspacing=0 cellpadding=3 style='margin-top:6px; margin-bottom:6px'><tr>";
    std::vector<bool> ofFrames;
    for (std::size_t c = 0; c < t.headings().size(); ++c) {
        const QString name = words(t.headings()[c]);
        addWords(t.headings()[c]);
        ofFrames.push_back(name.contains("frame"));
        html += "<th" + align(c) + ">" + name.toHtmlEscaped() + "&nbsp;&nbsp;</th>";
    }
    html += "</tr>";
    for (const auto &row : t.rows()) {
        ++now().rows;
        html += "<tr>";
        for (std::size_t c = 0; c < t.headings().size(); ++c) {
            const std::string cell = c < row.size() ? row[c] : std::string();
            addWords(cell);
            html += "<td" + align(c) + ">" + linked(cell, ofFrames[c]) + "&nbsp;&nbsp;</td>";
        }
        html += "</tr>";
    }
    add(html + "</table>");
}

void DetailsPage::bar(std::string_view /*label*/, double share, std::string_view amount,
                      std::string_view text) {
    open(Open::bars);
    ++now().rows;
    addWords(text);
    addWords(amount);
    addWords(shareWords(share).toStdString());
    constexpr int most = 160; // pixels
    const int length = std::max(static_cast<int>(share * most), share > 0 ? 1 : 0);
    add(QString("<tr><td>%1&nbsp;&nbsp;</td><td><table cellspacing=0 cellpadding=0 width=%2><tr>"
                "<td bgcolor='#2f7fc1'>&nbsp;</td></tr></table></td><td align=right>&nbsp;%3</td>"
                "<td align=right>&nbsp;&nbsp;%4</td></tr>")
            .arg(words(text).toHtmlEscaped())
            .arg(std::max(length, 1))
            .arg(shareWords(share), words(amount).toHtmlEscaped()));
}

std::vector<DetailsSection> DetailsPage::take() {
    open(Open::nothing);
    return std::move(sections_);
}

std::vector<DetailsSection> detailsOf(const Report &report) {
    DetailsPage page;
    write_report(page, report, ReportDetail::all);
    return page.take();
}

} // namespace iscsiscope::gui
