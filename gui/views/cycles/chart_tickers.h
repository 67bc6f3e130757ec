// SPDX-License-Identifier: GPL-2.0-or-later
// Labels of axes on which a function of the value is drawn: its logarithm or its square root.
#pragma once

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {

// Of an axis of whole numbers.
class CountTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override {
        return std::max(1.0, std::round(QCPAxisTicker::getTickStep(range)));
    }
    int getSubTickCount(double) override { return 0; }
};

// The axis has f(v); ticks stand at the values v of 1, 2 and 5 times powers of ten, or at the powers alone
// where those would be too many.
template <class Of, class Back>
class FunctionTicker : public QCPAxisTicker {
public:
    FunctionTicker(Of of, Back back, double least) : of_(of), back_(back), min_(least) {}

protected:
    QVector<double> createTickVector(double, const QCPRange &range) override {
        const double least = std::max(back_(range.lower), min_), most = std::max(back_(range.upper), least);
        QVector<double> all, powers;
        for (double power = std::pow(10.0, std::floor(std::log10(least))); power <= most; power *= 10) {
            for (const double digit : {1.0, 2.0, 5.0}) {
                const double at = of_(digit * power);
                if (at < range.lower || at > range.upper)
                    continue;
                all << at;
                if (digit == 1.0)
                    powers << at;
            }
        }
        return all.size() > 9 && powers.size() > 1 ? powers : all;
    }
    QVector<double> createSubTickVector(int, const QVector<double> &) override { return {}; }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override {
        return QString::number(back_(tick), 'g', 4);
    }

private:
    Of of_;
    Back back_;
    double min_; // no tick stands below this value
};

template <class Of, class Back>
QSharedPointer<QCPAxisTicker> functionTicker(Of of, Back back, double least) {
    return QSharedPointer<QCPAxisTicker>(new FunctionTicker<Of, Back>(of, back, least));
}

// An axis of logarithms to the base of ten, labelled with the numbers.
inline QSharedPointer<QCPAxisTicker> logarithmTicker() {
    return functionTicker([](double v) { return std::log10(v); }, [](double x) { return std::pow(10.0, x); },
                          1e-9);
}
// An axis of square roots, labelled with the squares, which are counts.
inline QSharedPointer<QCPAxisTicker> rootTicker() {
    return functionTicker([](double v) { return std::sqrt(v); }, [](double x) { return x > 0 ? x * x : 0; },
                          1.0);
}

} // namespace iscsiscope::gui
