// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/process/paths.h"
#include "app/session/process/process_signals.h"
#include "app/studio/arguments.h"
#include "app/studio/end_signals.h"
#include "app/studio/shots.h"
#include "app/studio/studio_program.h"
#include "ui/theme/style.h"
#include "ui/threads/background_settings.h"
#include "ui/widgets/application.h"

#include <QApplication>
#include <QTemporaryDir>

#include <cstdio>

using namespace heddle;
using namespace heddle::studio;

namespace {

constexpr int kShotWidth = 1440, kShotHeight = 900;

void print(std::FILE* to, const QString& text) { std::fputs(text.toLocal8Bit().constData(), to); }

/// Sets environment variables that Qt reads once, before the application is created.
void prepareEnvironment(const Arguments& arguments) {
    if (arguments.scale > 0) qputenv("QT_SCALE_FACTOR", QByteArray::number(arguments.scale));
    const bool display = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
    if (!arguments.shots.isEmpty() && !display && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

int takeShots(QApplication& application, StudioProgram& program, const Arguments& arguments) {
    const QString theme = arguments.theme == ui::Appearance::Dark ? QStringLiteral("dark") : QStringLiteral("light");
    Shots shots(program.window(), arguments.shots, theme);
    int code = 0;
    const auto leave = [&](const QString& problem) {
        if (!problem.isEmpty()) {
            print(stderr, QStringLiteral("heddle-studio: %1\n").arg(problem));
            code = 1;
        }
        application.quit();
    };
    QObject::connect(&shots, &Shots::finished, &application, leave);
    QObject::connect(&program.studio().databases(), &ui::Databases::failed, &shots, [&](const ui::Problem& problem) {
        leave(problem.what + QStringLiteral(" (") + problem.where + QLatin1Char(')'));
    });
    const auto wanted = std::max<std::size_t>(1, std::size_t(arguments.files.size()));
    QObject::connect(&program.studio().databases(), &ui::Databases::opened, &shots, [&, left = wanted](int) mutable {
        if (--left == 0) shots.start(arguments.page);
    });
    QApplication::exec();
    return code;
}

int runStudio(QApplication& application, const Arguments& arguments) {
    const bool takesPictures = !arguments.shots.isEmpty();
    const QTemporaryDir scratch;  // screenshots do not depend on stored settings
    ui::BackgroundSettings settings((takesPictures ? scratch.path() : QString::fromStdString(app::defaultStateFolder())) +
                                    QStringLiteral("/studio.ini"));
    ui::Theme::instance().setMotion(ui::storedMotion(settings));
    ui::Theme::instance().setAppearance(takesPictures ? arguments.theme.value_or(ui::Appearance::Light)
                                                      : arguments.theme.value_or(ui::storedAppearance(settings)));
    StudioProgram program(settings, {{}, takesPictures, takesPictures ? ui::Notify() : ui::notifyDesktop});
    EndSignals signals;
    QObject::connect(&signals, &EndSignals::received, &program, [&] { program.shutDown(StudioProgram::Closing::Stop); });
    QObject::connect(&program, &StudioProgram::closed, &application, &QApplication::quit);
    ui::MainWindow& window = program.window();
    if (!takesPictures) window.restoreSession();
    // Screenshots have the requested size, independent of the screen.
    const QSize size = takesPictures && arguments.size.isEmpty() ? QSize(kShotWidth, kShotHeight) : arguments.size;
    if (!size.isEmpty()) {
        window.setMinimumSize(window.minimumSize().boundedTo(size));
        window.resize(size);
    }
    QCoreApplication::sendPostedEvents();  // finish the construction of the pages before showing them
    if (!arguments.run.isEmpty()) program.showRun(arguments.run);
    if (arguments.files.isEmpty())
        program.openDefault();
    else
        program.studio().open(arguments.files.first());
    for (const QString& file : arguments.files.mid(1)) program.studio().openBeside(file);
    for (ui::Page* page : window.pages())
        if (page->name() == arguments.page) window.showPage(page->id());
    window.show();
    return takesPictures ? takeShots(application, program, arguments) : QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    app::ignoreFileSizeSignal();
    QStringList words;
    for (int i = 0; i < argc; ++i) words << QString::fromLocal8Bit(argv[i]);
    const Arguments arguments = parseArguments(words);
    if (!arguments.answer.isEmpty()) {
        print(arguments.code == 0 ? stdout : stderr, arguments.answer);
        return arguments.code;
    }
    prepareEnvironment(arguments);
    ui::Application application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("heddle-studio"));
    QApplication::setApplicationDisplayName(QStringLiteral("Heddle"));
    QApplication::setApplicationVersion(QStringLiteral(HEDDLE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("heddle-studio"));
    QApplication::setQuitOnLastWindowClosed(false);  // the program quits after everything is written
    try {
        ui::installLook(application);
        application.setWindowIcon(QIcon(QStringLiteral(":/heddle-studio.svg")));
        return runStudio(application, arguments);
    } catch (const std::exception& error) {
        print(stderr, QStringLiteral("heddle-studio: %1\n").arg(QString::fromUtf8(error.what())));
        return 1;
    }
}
