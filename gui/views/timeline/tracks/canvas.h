// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/models/hatch.h"

#include <QImage>

#include <algorithm>
#include <cmath>
#include <vector>

namespace iscsiscope::gui {

// An image in device pixels that is written to directly: a picture has up to a hundred thousand bars.
class Canvas {
public:
    Canvas(QImage &image, double ratio) : width_(image.width()), height_(image.height()), ratio_(ratio) {
        for (int y = 0; y < height_; ++y)
            lines_.push_back(reinterpret_cast<QRgb *>(image.scanLine(y)));
    }
    double ratio() const { return ratio_; }
    int width() const { return width_; }
    int height() const { return height_; }
    int row(double y) const { return static_cast<int>(std::lround(y * ratio_)); }

    // x in device pixels, rows likewise; clipped.
    void fill(int x0, int x1, int y0, int y1, QRgb color) {
        x0 = std::max(x0, 0);
        x1 = std::min(x1, width_);
        for (int y = std::max(y0, 0); y < std::min(y1, height_); ++y) {
            QRgb *line = lines_[static_cast<std::size_t>(y)];
            for (int x = x0; x < x1; ++x)
                line[x] = color;
        }
    }
    // Stripes: idle time.
    void hatch(int x0, int x1, int y0, int y1, Hatch hatch, QRgb color, QRgb between) {
        x0 = std::max(x0, 0);
        x1 = std::min(x1, width_);
        const int period = std::max(4, static_cast<int>(4 * ratio_));
        for (int y = std::max(y0, 0); y < std::min(y1, height_); ++y) {
            QRgb *line = lines_[static_cast<std::size_t>(y)];
            for (int x = x0; x < x1; ++x)
                line[x] = onHatch(hatch, x, y, period) ? between : color;
        }
    }

private:
    int width_, height_;
    double ratio_;
    std::vector<QRgb *> lines_;
};

// Returns a mixture; share: of the first, 0 to 1.
inline QRgb mixed(QRgb a, QRgb b, double share) {
    const auto part = [share](int x, int y) { return static_cast<int>(std::lround(y + (x - y) * share)); };
    return qRgb(part(qRed(a), qRed(b)), part(qGreen(a), qGreen(b)), part(qBlue(a), qBlue(b)));
}

} // namespace iscsiscope::gui
