// SPDX-License-Identifier: GPL-3.0-or-later
// plot_bench: milliseconds that a replot of the curve plot takes, of 15, 1600 × 900. On a busy machine only the cpu time says
// something.
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/smoothing.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

struct Case {
    const char* name;
    int curves;
    Step steps;
    double smoothing;
};

void measure(const Case& c) {
    QList<Curve> curves;
    for (int i = 0; i < c.curves; ++i) {
        Curve curve;
        curve.id = i;
        curve.label = QString::number(i);
        curve.order = i;
        curve.smoothed = c.smoothing > 0;
        curve.rows = lossSeries({9, 1.2 + 0.05 * i, 0.1, c.steps, 1, std::uint64_t(i + 1)});
        curves.append(curve);
    }
    CurvePlot plot;
    plot.resize(1600, 900);
    plot.setValueFit(ValueFit::Robust);
    plot.setSmoothing(c.smoothing);
    plot.setCurves(curves);
    plot.show();
    QElapsedTimer wait;
    wait.start();
    while (wait.elapsed() < 1500) QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
    std::vector<double> wall, cpu;
    for (int i = 0; i < 15; ++i) {
        const std::clock_t before = std::clock();
        wall.push_back(plot.replotNow());
        cpu.push_back(1000.0 * double(std::clock() - before) / CLOCKS_PER_SEC);
        QCoreApplication::processEvents();
    }
    std::sort(wall.begin(), wall.end());
    std::sort(cpu.begin(), cpu.end());
    std::printf("%-28s wall: median %7.2f ms, worst %7.2f ms   cpu: median %7.2f ms\n", c.name, wall[7], wall.back(), cpu[7]);
}

void measureSmoothing(Step rows, double n) {
    const auto series = lossSeries({9, 1.2, 0.1, rows, 1, 3});
    QElapsedTimer clock;
    clock.start();
    const Series result = smooth(*series, n);
    std::printf("smooth %lld rows, n = %.0f: %.2f ms, %lld rows out\n", static_cast<long long>(rows), n,
                double(clock.nsecsElapsed()) / 1e6, static_cast<long long>(result.size()));
}

}  // namespace

int main(int argc, char** argv) {
    const auto application = makeApplication(argc, argv);
    for (const Case& c : {Case{"1 curve x 1e5", 1, 100'000, 0}, Case{"1 curve x 1e5, smoothed", 1, 100'000, 200},
                          Case{"1 curve x 1e6", 1, 1'000'000, 0}, Case{"1 curve x 1e6, smoothed", 1, 1'000'000, 2000},
                          Case{"10 curves x 1e5", 10, 100'000, 0}, Case{"10 curves x 1e5, smoothed", 10, 100'000, 200},
                          Case{"100 curves x 1e5", 100, 100'000, 0}})
        measure(c);
    measureSmoothing(100'000, 200);
    measureSmoothing(1'000'000, 200);
    measureSmoothing(1'000'000, 5000);
    return 0;
}
