// SPDX-License-Identifier: GPL-3.0-or-later
// session_bench DATABASE [MINUTES=60] [SEED=1] [PAGE]: a user's session. Opens the studio on the database, trains the sample in
// it again and again, and goes from page to page with keys, wheel, clicks and the mouse, a gesture every 120 ms, from another
// thread, so that a busy window makes it wait as it makes a user wait. A gesture is answered when what it changed is painted.
// Prints, each minute, how long answers took, the memory, the open files and the widgets, and at the end how the memory grew in
// the second half. Ends with 1 where an answer took more than 100 ms, or files or widgets grew. For example:
//   large_database large.heddle && QT_QPA_PLATFORM=offscreen session_bench large.heddle 60
#include "app/studio/studio_program.h"
#include "engine/spec/catalogue.h"
#include "tests/ui/support/offscreen.h"
#include "ui/threads/background_settings.h"
#include "ui/window/main_window.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kEvery = std::chrono::milliseconds(120);
constexpr double kPatienceMs = 100;
constexpr int kGesturesAPage = 40;

double residentMiB() {
    std::ifstream file("/proc/self/statm");
    long size = 0, resident = 0;
    file >> size >> resident;
    return double(resident) * 4096 / (1 << 20);
}

int openFiles() {
    const auto files = std::filesystem::directory_iterator("/proc/self/fd");
    return int(std::distance(begin(files), end(files)));
}

/// What is posted behind a gesture, with a priority below that of painting.
class Answered : public QEvent {
public:
    static constexpr QEvent::Type kType = QEvent::Type(QEvent::User + 77);
    explicit Answered(Clock::time_point asked) : QEvent(kType), asked_(asked) {}
    Clock::time_point asked() const { return asked_; }

private:
    Clock::time_point asked_;
};

/// Does the gestures, on the window's thread.
class User : public QObject {
public:
    /// `page`: where the user stays; -1: nowhere.
    User(MainWindow& window, unsigned seed, int page) : window_(window), random_(seed), page_(page) {}

    void act(Clock::time_point asked) {
        last_ = turn_++ % kGesturesAPage == 0 ? turnThePage() : doSomething();
        QCoreApplication::postEvent(this, new Answered(asked), Qt::LowEventPriority - 10);
    }
    /// The answers since the last call, in milliseconds.
    std::vector<double> takeAnswers() { return std::exchange(answers_, {}); }

protected:
    bool event(QEvent* event) override {
        if (event->type() != Answered::kType) return QObject::event(event);
        const auto asked = static_cast<Answered*>(event)->asked();
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - asked).count();
        answers_.push_back(ms);
        if (ms > kPatienceMs)
            std::printf("  %.0f ms: %s on %s, %s\n", ms, last_, qPrintable(window_.shownPage()->name()), qPrintable(target_));
        return true;
    }

private:
    int below(int end) { return int(random_() % unsigned(end)); }

    const char* turnThePage() {
        window_.showPage(PageId(page_ < 0 ? below(5) : page_));
        return "another page";
    }

    const char* doSomething() {
        QWidget* const page = window_.shownPage();
        const QPoint at(below(std::max(1, page->width())), below(std::max(1, page->height())));
        QWidget* const under = page->childAt(at) ? page->childAt(at) : page;
        const QPointF place = under->mapFrom(page, at), global = page->mapToGlobal(at);
        switch (below(5)) {
        case 0:
        case 1: {
            static constexpr std::array kKeys{Qt::Key_Left, Qt::Key_Right,  Qt::Key_Up,       Qt::Key_Down,
                                              Qt::Key_Home, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Tab};
            QWidget* const focus = page->isAncestorOf(QApplication::focusWidget()) ? QApplication::focusWidget() : page;
            const int key = kKeys[std::size_t(below(int(kKeys.size())))];
            send(*focus, new QKeyEvent(QEvent::KeyPress, key, Qt::NoModifier));
            send(*focus, new QKeyEvent(QEvent::KeyRelease, key, Qt::NoModifier));
            return "a key";
        }
        case 2:
            send(*under, new QWheelEvent(place, global, {}, {0, below(2) ? 120 : -120}, Qt::NoButton, Qt::NoModifier,
                                         Qt::NoScrollPhase, false));
            return "the wheel";
        case 3: {  // only where a click shows something: no verb, no dialog
            auto* const view = qobject_cast<QAbstractItemView*>(under->parentWidget());
            if (!view && !under->inherits("heddle::ui::HeadGrid") && !under->inherits("heddle::ui::MapView")) break;
            for (const auto kind : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease})
                send(*under, new QMouseEvent(kind, place, global, Qt::LeftButton,
                                             kind == QEvent::MouseButtonPress ? Qt::LeftButton : Qt::NoButton, Qt::NoModifier));
            return "a click";
        }
        default: break;
        }
        send(*under, new QMouseEvent(QEvent::MouseMove, place, global, Qt::NoButton, Qt::NoButton, Qt::NoModifier));
        return "the mouse";
    }

    void send(QWidget& to, QEvent* event) {
        target_ = QString::fromLatin1(to.metaObject()->className()) + QLatin1Char(' ') + to.accessibleName();
        QCoreApplication::postEvent(&to, event);
    }

    MainWindow& window_;
    std::mt19937 random_;
    int page_, turn_ = 0;
    const char* last_ = "";
    QString target_;  ///< of the last event
    std::vector<double> answers_;
};

/// Trains the sample; when a run has ended, the next.
void keepTraining(Studio& studio) {
    const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/resources/sample/eau-full.json";
    std::ifstream stream(file);
    Json document = Json::parse(stream);
    document["name"] = "session";
    document["seed"] = 1000 + studio.databases().runs().size();
    const std::string folder = std::string(HEDDLE_SOURCE_DIR) + "/resources/sample";
    studio.commander().submit(studio.databases().currentNumber(), {RunSpec::parse(document, builtinCatalogue(), folder)},
                              [&studio](const RunRef& run) { studio.setCurrentRun(run); });
}

bool isTraining(const Studio& studio) {
    const auto& runs = const_cast<Studio&>(studio).databases().runs();
    return std::any_of(runs.begin(), runs.end(),
                       [](const Run* run) { return run->state == "running" || run->state == "queued"; });
}

struct Minute {
    double median, p99, most, memory;
    int files, widgets;
};

std::map<std::string, int> widgetsByClass() {
    std::map<std::string, int> counts;
    for (const QWidget* widget : QApplication::allWidgets()) ++counts[widget->metaObject()->className()];
    return counts;
}

/// Prints the classes of which there are many more widgets than before.
void printGrowth(const std::map<std::string, int>& before) {
    for (const auto& [name, count] : widgetsByClass()) {
        const auto found = before.find(name);
        if (const int more = count - (found == before.end() ? 0 : found->second); more > 10)
            std::printf("  %+d of %s\n", more, name.c_str());
    }
}

Minute measure(User& user) {
    auto answers = user.takeAnswers();
    std::sort(answers.begin(), answers.end());
    const auto at = [&](double share) {
        return answers.empty() ? 0 : answers[std::size_t(share * double(answers.size() - 1))];
    };
    return {at(0.5), at(0.99), at(1), residentMiB(), openFiles(), int(QApplication::allWidgets().size())};
}

int session(const char* database, int minutes, unsigned seed, int page) {
    const QTemporaryDir folder;
    BackgroundSettings settings(folder.filePath(QStringLiteral("studio.ini")));
    studio::StudioProgram program(settings, {});
    program.studio().open(QString::fromLocal8Bit(database));
    program.window().resize(1440, 900);
    program.window().show();
    Studio& studio = program.studio();
    if (!waitUntil([&] { return studio.databases().current() != nullptr; }, std::chrono::seconds(30))) {
        std::fprintf(stderr, "session_bench: %s cannot be opened\n", database);
        return 2;
    }
    User user(program.window(), seed, page);
    std::atomic<bool> isOver = false;
    std::thread hand([&] {
        while (!isOver) {
            std::this_thread::sleep_for(kEvery);
            QMetaObject::invokeMethod(&user, [&user, asked = Clock::now()] { user.act(asked); });
        }
    });
    std::vector<Minute> all;
    std::map<std::string, int> atFirst;
    std::printf("minute  median ms  p99 ms  most ms  memory MiB  files  widgets\n");
    QTimer next;
    QObject::connect(&next, &QTimer::timeout, &program, [&] {
        if (!isTraining(studio)) keepTraining(studio);
        all.push_back(measure(user));
        if (all.size() == 2) atFirst = widgetsByClass();
        const Minute& now = all.back();
        std::printf("%6zu %10.1f %7.1f %8.1f %11.1f %6d %8d\n", all.size(), now.median, now.p99, now.most, now.memory,
                    now.files, now.widgets);
        std::fflush(stdout);
        if (int(all.size()) < minutes) return;
        printGrowth(atFirst);
        isOver = true;
        program.shutDown(studio::StudioProgram::Closing::Stop);
    });
    QObject::connect(&program, &studio::StudioProgram::closed, qApp, &QApplication::quit);
    keepTraining(studio);
    next.start(60'000);
    QApplication::exec();
    hand.join();
    const Minute &half = all[all.size() / 2], &last = all.back();
    const double most =
        std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.most < b.most; })->most;
    std::printf("second half: memory %+.1f MiB, files %+d, widgets %+d; the longest answer of the session %.1f ms\n",
                last.memory - half.memory, last.files - half.files, last.widgets - half.widgets, most);
    return most > kPatienceMs || last.files > half.files + 5 || last.widgets > half.widgets + 200 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto application = makeApplication(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "session_bench DATABASE [MINUTES] [SEED] [PAGE]\n");
        return 2;
    }
    return session(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 60, argc > 3 ? unsigned(std::atoi(argv[3])) : 1,
                   argc > 4 ? std::atoi(argv[4]) : -1);
}
