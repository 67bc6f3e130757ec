// SPDX-License-Identifier: GPL-2.0-or-later
// Colours as eyes see them that lack one kind of cones: distances between those that must be distinguished.
#include "catch.h"
#include "gui/models/hatch.h"
#include "gui/models/words.h"
#include "gui/views/theme.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <set>
#include <string>
#include <vector>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Machado, Oliveira, Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", table 1, severity 1.0; on linear RGB.
struct Vision {
    const char *name;
    Matrix matrix;
};
const std::array<Vision, 4> visions{{
    {"full", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
}};

double linear(double v) { // IEC 61966-2-1
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

Triple product(const Matrix &m, const Triple &v) {
    Triple r{};
    for (std::size_t i = 0; i < 3; ++i)
        r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return r;
}

// CIE L*a*b*, D65.
Triple lab(const QColor &c, const Vision &vision) {
    Triple rgb{linear(c.redF()), linear(c.greenF()), linear(c.blueF())};
    rgb = product(vision.matrix, rgb);
    for (double &v : rgb)
        v = std::clamp(v, 0.0, 1.0);
    static const Matrix toXyz{{{0.4124564, 0.3575761, 0.1804375},
                               {0.2126729, 0.7151522, 0.0721750},
                               {0.0193339, 0.1191920, 0.9503041}}};
    const Triple xyz = product(toXyz, rgb);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787037 * t + 16.0 / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double radians(double degrees) {
    return degrees * std::numbers::pi / 180;
}

// CIEDE2000; the steps and names of Sharma, Wu, Dalal 2005.
double difference(const Triple &p, const Triple &q) {
    const auto seventh = [](double c) {
        return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7)));
    };
    const double g = 0.5 * (1 - seventh((std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2));
    const auto hue = [](double a, double b) {
        const double h = a == 0 && b == 0 ? 0 : std::atan2(b, a) * 180 / std::numbers::pi;
        return h < 0 ? h + 360 : h;
    };
    const double a1 = (1 + g) * p[1], a2 = (1 + g) * q[1];
    const double c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
    const double h1 = hue(a1, p[2]), h2 = hue(a2, q[2]);
    double dh = c1 * c2 == 0 ? 0 : h2 - h1;
    dh += dh > 180 ? -360 : dh < -180 ? 360 : 0;
    const double dl = q[0] - p[0], dc = c2 - c1, dhh = 2 * std::sqrt(c1 * c2) * std::sin(radians(dh / 2));
    const double lm = (p[0] + q[0]) / 2, cm = (c1 + c2) / 2;
    double hm = h1 + h2;
    if (c1 * c2 != 0)
        hm = std::abs(h1 - h2) <= 180 ? hm / 2 : hm < 360 ? (hm + 360) / 2 : (hm - 360) / 2;
    const double t = 1 - 0.17 * std::cos(radians(hm - 30)) + 0.24 * std::cos(radians(2 * hm)) +
                     0.32 * std::cos(radians(3 * hm + 6)) - 0.20 * std::cos(radians(4 * hm - 63));
    const double off = (lm - 50) * (lm - 50);
    const double sl = 1 + 0.015 * off / std::sqrt(20 + off), sc = 1 + 0.045 * cm, sh = 1 + 0.015 * cm * t;
    const double turn = 30 * std::exp(-std::pow((hm - 275) / 25, 2));
    const double rt = -2 * seventh(cm) * std::sin(radians(2 * turn));
    return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dhh / sh, 2) +
                     rt * (dc / sc) * (dhh / sh));
}

struct Named {
    std::string name;
    QColor color;
    int group = 0; // only those of one group are held against each other
};

// The least distance in each vision, printed; the least of all is given back.
double minOf(const char *what, const std::vector<Named> &colors) {
    double all = 1000;
    std::string line;
    for (const Vision &v : visions) {
        double least = 1000;
        std::string pair;
        for (std::size_t i = 0; i < colors.size(); ++i) {
            for (std::size_t k = i + 1; k < colors.size(); ++k) {
                if (colors[i].group != colors[k].group)
                    continue;
                const double d = difference(lab(colors[i].color, v), lab(colors[k].color, v));
                if (d < least) {
                    least = d;
                    pair = colors[i].name + "/" + colors[k].name;
                }
            }
        }
        char text[160];
        std::snprintf(text, sizeof text, " %s %.1f (%s)", v.name, least, pair.c_str());
        line += text;
        all = std::min(all, least);
    }
    std::printf("FIGURE: least CIEDE2000 between %s:%s\n", what, line.c_str());
    return all;
}

} // namespace

TEST_CASE("The measure of colour differences is that of its authors") {
    // Sharma, Wu, Dalal 2005, table 1: pairs 1, 7, 13, 17, 25 and 34.
    CHECK(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == Approx(2.0425).margin(1e-4));
    CHECK(difference({50, 0, 0}, {50, -1, 2}) == Approx(2.3669).margin(1e-4));
    CHECK(difference({50, -0.0010, 2.4900}, {50, 0.0009, -2.4900}) == Approx(4.8045).margin(1e-4));
    CHECK(difference({50, 2.5, 0}, {73, 25, -18}) == Approx(27.1492).margin(1e-4));
    CHECK(difference({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) ==
          Approx(1.2644).margin(1e-4));
    CHECK(difference({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}) == Approx(0.9082).margin(1e-4));
}

TEST_CASE("Colours that stand for something are distinguished by the colour-blind") {
    Theme light, dark;
    dark.dark = true;
    for (const Theme &t : {light, dark}) {
        std::vector<Named> series, types;
        for (std::size_t i = 0; i < seriesColorCount(); ++i)
            series.push_back({std::to_string(i), t.legible(seriesColor(i))});
        for (const TaskType type : {TaskType::read, TaskType::write, TaskType::control})
            types.push_back({std::string(name(type)), t.legible(colorOf(type))});
        CHECK(minOf(t.dark ? "series, dark" : "series, light", series) >= 15);
        CHECK(minOf(t.dark ? "types of task, dark" : "types of task, light", types) >= 20);
    }
    std::vector<Named> owners, phases, kinds;
    for (std::size_t i = 0; i < owner_count; ++i)
        owners.push_back({std::string(owner_names[i]), colorOf(static_cast<Owner>(i))});
    CHECK(minOf("owners", owners) >= 18);
    for (const CycleFigure f : phase_figures)
        if (f != CycleFigure::burst_data) // drawn as data
            phases.push_back({std::string(name(f)), colorOf(f)});
    CHECK(minOf("phases", phases) >= 10);
    // Kinds of idle gaps are too many for colours alone: families differ by how they are hatched.
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        const auto k = static_cast<GapKind>(i);
        kinds.push_back({std::string(name(k)), colorOf(k), static_cast<int>(hatchOf(k))});
    }
    CHECK(minOf("gap kinds hatched alike", kinds) >= 10);
    for (Named &k : kinds)
        k.group = 0;
    minOf("gap kinds by colour alone", kinds);
}

TEST_CASE("Families of gap kinds are hatched each in its own way") {
    constexpr std::array ways = {Hatch::none,    Hatch::rising,  Hatch::falling, Hatch::level,
                                 Hatch::upright, Hatch::crossed, Hatch::dotted};
    std::set<std::vector<bool>> pictures;
    std::set<Qt::BrushStyle> brushes;
    for (const Hatch h : ways) {
        std::vector<bool> picture;
        for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 8; ++x)
                picture.push_back(onHatch(h, x, y, 4));
        pictures.insert(picture);
        brushes.insert(brushOf(h));
    }
    CHECK(pictures.size() == ways.size());
    CHECK(brushes.size() == ways.size());
}
