// SPDX-License-Identifier: GPL-3.0-or-later
// plot_bench [WORD]: milliseconds that a replot of the curve plot takes and that the whole frame takes, with the painting of
// the window, of 60, 1600 × 900; the cases whose name has the word. On a busy machine only the cpu time says something.
// plot_bench memory: what the rows of six curves add to the memory of the process.
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/smoothing.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

/// Zoomed: another stretch of steps in every frame, between a half and a hundredth of the whole.
enum class View { Still, Zoomed };

struct Case {
    const char* name;
    int curves;
    Step steps;
    double smoothing;
    View view = View::Still;
};

struct Times {
    std::vector<double> all;
    double at(double share) {
        std::sort(all.begin(), all.end());
        return all[std::size_t(share * double(all.size() - 1))];
    }
};

double cpuMs() { return 1000.0 * double(std::clock()) / CLOCKS_PER_SEC; }

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
    constexpr int kFrames = 60;
    Times replot, frame, cpu;
    for (int i = 0; i < kFrames; ++i) {
        if (c.view == View::Zoomed) {
            const double width = double(c.steps) / (2 + 98.0 * i / kFrames), first = (double(c.steps) - width) * i / kFrames;
            plot.setVisibleRange(first, first + width);
        }
        QElapsedTimer clock;
        clock.start();
        const double before = cpuMs();
        replot.all.push_back(plot.replotNow());
        QCoreApplication::processEvents();
        frame.all.push_back(double(clock.nsecsElapsed()) / 1e6);
        cpu.all.push_back(cpuMs() - before);
    }
    std::printf("%-26s replot: median %6.2f ms, p95 %6.2f ms  frame: median %6.2f ms, p95 %6.2f ms  cpu: median %6.2f ms\n",
                c.name, replot.at(0.5), replot.at(0.95), frame.at(0.5), frame.at(0.95), cpu.at(0.5));
}

void measureSmoothing(Step rows, double n) {
    const auto series = lossSeries({9, 1.2, 0.1, rows, 1, 3});
    QElapsedTimer clock;
    clock.start();
    const Series result = smooth(*series, n);
    std::printf("smooth %lld rows, n = %.0f: %.2f ms, %lld rows out\n", static_cast<long long>(rows), n,
                double(clock.nsecsElapsed()) / 1e6, static_cast<long long>(result.size()));
}

/// The memory of the process that no file backs, in MB.
double anonymousMb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1000;
    return 0;
}

void measureMemory() {
    const double before = anonymousMb();
    std::vector<Series> curves(6);
    for (const Step rows : {1'000'000, 5'000'000, 10'000'000}) {
        for (Series& curve : curves)
            for (Step step = curve.size(); step < rows; ++step) curve.append(step, double(step % 977));
        std::printf("6 curves x %ld rows: %.1f MB\n", long(rows), anonymousMb() - before);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto application = makeApplication(argc, argv);
    const char* const word = argc > 1 ? argv[1] : nullptr;
    if (word && !std::strcmp(word, "memory")) return measureMemory(), 0;
    for (const Case& c :
         {Case{"1 curve x 1e5", 1, 100'000, 0}, Case{"1 curve x 1e5, smoothed", 1, 100'000, 200},
          Case{"1 curve x 1e6", 1, 1'000'000, 0}, Case{"1 curve x 1e6, smoothed", 1, 1'000'000, 2000},
          Case{"10 curves x 1e5", 10, 100'000, 0}, Case{"10 curves x 1e5, smoothed", 10, 100'000, 200},
          Case{"100 curves x 1e5", 100, 100'000, 0}, Case{"100 curves x 1e5, zoomed", 100, 100'000, 0, View::Zoomed}})
        if (!word || std::strstr(c.name, word)) measure(c);
    if (word) return 0;
    measureSmoothing(100'000, 200);
    measureSmoothing(1'000'000, 200);
    measureSmoothing(1'000'000, 5000);
    return 0;
}
