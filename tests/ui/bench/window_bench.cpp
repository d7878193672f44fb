// SPDX-License-Identifier: GPL-3.0-or-later
// window_bench DATABASE PAGE FILE: the studio's window with a page open, until it gets SIGTERM; then writes to FILE how long
// the event loop's turns took (heddle.stalls/1). Prints each turn of over 16 ms to stderr as it happens.
// tests/bench/window_cost.py measures a training beside it.
#include "app/studio/end_signals.h"
#include "app/studio/studio_program.h"
#include "tests/ui/bench/stall_detector.h"
#include "tests/ui/support/offscreen.h"

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

#include <cstdio>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

int watch(const char* database, const QString& page, const char* report) {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("studio.ini")), QSettings::IniFormat);
    studio::StudioProgram program(settings, {});
    const studio::EndSignals signals;
    QObject::connect(&signals, &studio::EndSignals::received, &program,
                     [&] { program.shutDown(studio::StudioProgram::Closing::Stop); });
    QObject::connect(&program, &studio::StudioProgram::closed, qApp, &QApplication::quit);
    MainWindow& window = program.window();
    program.studio().open(QString::fromLocal8Bit(database));
    for (const Page* one : window.pages())
        if (one->name() == page) window.showPage(one->id());
    window.show();
    StallDetector stalls;
    stalls.stalled = [&](double milliseconds, double own) {
        std::fprintf(stderr, "a turn of %.1f ms on %s, %.1f ms without waiting for a processor\n", milliseconds,
                     window.shownPage()->name().toUtf8().constData(), own);
    };
    QApplication::exec();
    QFile file(QString::fromLocal8Bit(report));
    return file.open(QIODevice::WriteOnly) && file.write(stalls.report().json()) > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const auto application = makeApplication(argc, argv);
    if (argc < 4) {
        std::fprintf(stderr, "window_bench DATABASE PAGE FILE\n");
        return 2;
    }
    QApplication::setQuitOnLastWindowClosed(false);  // the program quits after everything is written
    return watch(argv[1], QString::fromLocal8Bit(argv[2]), argv[3]);
}
