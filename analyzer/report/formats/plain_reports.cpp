// SPDX-License-Identifier: GPL-2.0-or-later
// Reports that are one text each: plain text, JSON, a page of HTML.
#include "analyzer/report/formats/report_formats.h"
#include "analyzer/report/formats/text_format.h"
#include "analyzer/report/html/html_report.h"
#include "analyzer/report/json/json_report.h"
#include "analyzer/report/text/text_report.h"

namespace iscsiscope {
namespace {

class PlainText final : public TextFormat {
public:
    std::string_view extension() const override { return ".txt"; }
    void write(const Report &r, const ReportSettings &s,
               const std::function<void(std::string_view)> &out) const override {
        out(text_report(r, s.style, s.detail));
    }
    std::optional<Series> series() const override {
        return Series{"", "\n========================================================================\n\n",
                      "", ""};
    }
};

class Json final : public TextFormat {
public:
    std::string_view extension() const override { return ".json"; }
    void write(const Report &r, const ReportSettings &s,
               const std::function<void(std::string_view)> &out) const override {
        write_json_report(r, s.quantiles, s.version, out);
    }
    std::optional<Series> series() const override { return Series{"[\n", ",\n", "]\n", "[]\n"}; }
};

class HtmlPages final : public TextFormat {
public:
    std::string_view help() const override { return "one page"; }
    std::string_view output() const override { return "a page a capture"; }
    std::string_view extension() const override { return ".html"; }
    bool shows_charts() const override { return true; }
    void write(const Report &r, const ReportSettings &s,
               const std::function<void(std::string_view)> &out) const override {
        out(html_report(r, s.quantiles, s.version));
    }
};

} // namespace

const ReportFormat &text_reports() {
    static const PlainText format;
    return format;
}

const ReportFormat &json_reports() {
    static const Json format;
    return format;
}

const ReportFormat &html_reports() {
    static const HtmlPages format;
    return format;
}

} // namespace iscsiscope
