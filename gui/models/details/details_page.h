// SPDX-License-Identifier: GPL-2.0-or-later
// DetailsPage takes the report as write_report() writes it, so that the window has every section that the
// text report has, in the same words.
#pragma once

#include "gui/document/report_maker.h"

#include "analyzer/report/text/page.h"

#include <QString>

#include <vector>

namespace iscsiscope::gui {

struct DetailsSection {
    QString heading;     // as in the text report: "TIMES OF READS"
    QString title, note; // "Times of Reads"
    QString html;        // frames are links "frame:N"
    QString plain;       // all words, to be searched
    int rows = 0;        // of its tables and bars
};

class DetailsPage final : public Page {
public:
    const std::vector<double> &quantiles() const override { return quantiles_; }
    void heading(std::string_view title, std::string_view note = {}) override;
    void blank() override;
    void line(std::string_view text, std::size_t indent = 2, Tone = Tone::plain) override;
    void headline(std::string_view text, std::string_view label, Tone) override;
    void item(std::string_view label, std::string_view text, Tone = Tone::plain,
              std::size_t indent = 2) override;
    void table(const TextTable &, std::size_t indent = 2) override;
    void bar(std::string_view label, double share, std::string_view amount, std::string_view words) override;

    std::vector<DetailsSection> take(); // ends the page

private:
    enum class Open : std::uint8_t { nothing, items, bars };
    DetailsSection &now();
    void open(Open);
    void add(const QString &html);
    void addWords(std::string_view words);

    std::vector<double> quantiles_{0.5, 0.9, 0.99};
    std::vector<DetailsSection> sections_;
    Open open_ = Open::nothing;
};

// The fullest report, by sections; none without a capture.
std::vector<DetailsSection> detailsOf(const Report &);

} // namespace iscsiscope::gui
