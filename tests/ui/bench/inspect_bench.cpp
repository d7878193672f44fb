// SPDX-License-Identifier: GPL-3.0-or-later
// inspect_bench DATABASE RUN [SECONDS]: does on Inspect what a user does (moves through the steps, goes from head to head,
// hovers heads and maps, follows words, changes the view), an event every 30 ms, and prints how long the event loop's turns
// took.
#include "app/studio/studio_program.h"
#include "tests/ui/bench/stall_detector.h"
#include "tests/ui/support/offscreen.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/plot/head_grid.h"
#include "ui/window/main_window.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <array>
#include <cstdio>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

void press(QWidget& widget, int key) {
    QCoreApplication::postEvent(&widget, new QKeyEvent(QEvent::KeyPress, key, Qt::NoModifier));
    QCoreApplication::postEvent(&widget, new QKeyEvent(QEvent::KeyRelease, key, Qt::NoModifier));
}

void hover(QWidget& widget, double x, double y) {
    const QPointF place(x * widget.width(), y * widget.height());
    QCoreApplication::postEvent(&widget, new QMouseEvent(QEvent::MouseMove, place, widget.mapToGlobal(place), Qt::NoButton,
                                                         Qt::NoButton, Qt::NoModifier));
}

constexpr std::array kGestures{"moves through steps", "moves over heads", "hovers heads",
                               "hovers maps",         "follows a word",   "changes the view"};

/// The event of turn `n`.
class User {
public:
    explicit User(QWidget& page) : page_(page) {}

    static std::size_t gestureOf(int n) { return std::size_t(n) / 40 % kGestures.size(); }

    void act(int n) {
        const double x = n * 0.0371 - int(n * 0.0371), y = n * 0.0617 - int(n * 0.0617);
        auto& grid = *page_.findChild<HeadGrid*>();
        switch (gestureOf(n)) {
        case 0: return press(page_.findChild<ScrubBar*>()->scrubber(), n / 8 % 2 ? Qt::Key_Left : Qt::Key_Right);
        case 1: return press(grid, n % 5 ? Qt::Key_Right : Qt::Key_Down);
        case 2: return hover(grid, x, y);
        case 3:
            for (auto* map : page_.findChildren<MapView*>())
                if (map->isVisible()) hover(*map, x, y);
            return;
        case 4: return page_.findChild<HeadPanel*>()->followRow(n * 7 % 500);
        default: return press(grid, Qt::Key_1 + n / 5 % 4);
        }
    }

private:
    QWidget& page_;
};

int measure(QApplication&, const char* database, const char* run, int seconds) {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("studio.ini")), QSettings::IniFormat);
    studio::StudioProgram::Options options;
    options.readOnly = true;
    studio::StudioProgram program(settings, options);
    MainWindow& window = program.window();
    program.showRun(QString::fromLocal8Bit(run));
    program.studio().open(QString::fromLocal8Bit(database));
    window.resize(1440, 900);
    window.show();
    window.showPage(PageId::Inspect);
    const auto hasHeads = [&] {
        auto* const grid = window.shownPage()->findChild<HeadGrid*>();
        return grid && !grid->data().rows.empty() && window.shownPage()->isSettled();
    };
    if (!waitUntil(hasHeads, std::chrono::seconds(60))) {
        std::fprintf(stderr, "inspect_bench: run %s of %s shows no heads\n", run, database);
        return 1;
    }
    StallDetector stalls;
    User user(*window.shownPage());
    QTimer timer;
    int turn = 0;
    std::array<double, kGestures.size()> longest{};
    std::array<int, kGestures.size()> over{};
    stalls.stalled = [&](double, double own) {
        const std::size_t kind = User::gestureOf(turn);
        longest[kind] = std::max(longest[kind], own);
        over[kind] += own > 16;
    };
    QObject::connect(&timer, &QTimer::timeout, &window, [&] { user.act(turn++); });
    timer.start(30);
    QTimer::singleShot(std::chrono::seconds(seconds), &window, [] { QCoreApplication::quit(); });
    QApplication::exec();
    for (std::size_t kind = 0; kind < kGestures.size(); ++kind)
        std::printf("%-20s longest turn without waiting for a processor %6.1f ms, over 16 ms: %d\n", kGestures[kind],
                    longest[kind], over[kind]);
    std::printf("%d events: %s", turn, stalls.report().json().constData());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto application = makeApplication(argc, argv);
    if (argc < 3) {
        std::fprintf(stderr, "inspect_bench DATABASE RUN [SECONDS]\n");
        return 2;
    }
    return measure(*application, argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 60);
}
