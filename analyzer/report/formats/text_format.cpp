// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/formats/text_format.h"

#include <optional>

namespace iscsiscope {
namespace {

class TextFile final : public ReportWriter {
public:
    TextFile(const ReportText &text, std::string place, UnfinishedFiles &unfinished)
        : text_(text), place_(std::move(place)), unfinished_(unfinished) {}

    std::string error() const override { return out_ ? out_->error() : std::string(); }

    bool finish(const Report &report, const ReportSettings &settings) override {
        OutputFile &out = out_.emplace(place_, unfinished_);
        text_.write(report, settings, [&out](std::string_view part) { out.write(part); });
        return out.commit();
    }

private:
    const ReportText &text_;
    std::string place_;
    UnfinishedFiles &unfinished_;
    std::optional<OutputFile> out_; // from finish() on
};

} // namespace

std::unique_ptr<ReportWriter> TextFormat::begin(const std::string &place, RowSelection /*cycles*/,
                                                UnfinishedFiles &unfinished) const {
    return std::make_unique<TextFile>(*this, place, unfinished);
}

} // namespace iscsiscope
