// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/studio_program.h"

#include "app/session/process/data_preview.h"
#include "app/session/process/engine_loader.h"
#include "app/session/process/paths.h"
#include "app/session/process/time_step.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/open_inspection.h"
#include "app/studio/pages.h"
#include "app/studio/silent_control.h"
#include "engine/base/error.h"
#include "storage/run_store.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/threads/ask.h"
#include "ui/widgets/application.h"
#include "ui/widgets/message_list.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QFileInfo>
#include <QPushButton>
#include <QThread>

#include <algorithm>

namespace heddle::studio {
namespace {

constexpr QLatin1String kLast("databases/last");
constexpr int kStatusMs = 1000;

/// Opens models on the CPU, so that a training on the GPU keeps its memory. Without `engine` it loads the engine library.
ui::Inspector::Opener modelOpener(const std::function<std::shared_ptr<Engine>()>& engine) {
    return [engine](const ui::ModelRef& model, const std::function<bool()>& stopRequested) {
        const std::shared_ptr<Engine> opened = engine ? engine() : app::loadEngine();
        const auto query = storage::RunQuery::open(model.database);
        const auto checkpoint =
            app::chooseCheckpoint(*query, model.database, app::findRun(*query, model.run), std::to_string(model.step));
        return app::openInspection(*opened, checkpoint, "cpu", stopRequested);
    };
}

}  // namespace

StudioProgram::StudioProgram(QSettings& settings, Options options, QObject* parent)
    : QObject(parent), options_(std::move(options)), settings_(settings) {
    if (options_.onlyLook) silent_ = std::make_unique<SilentControl>();
    studio_ = std::make_unique<ui::Studio>([this](const QString& file) { return controlOf(file); }, settings);
    studio_->services().dataInspector = app::previewData;
    studio_->services().stepMeter = [engine = options_.control.session.engine](const VariantSpec& variant,
                                                                               const BatchShape& shape) {
        return (engine ? engine() : app::loadEngine())->measureStepMemory(variant, shape);
    };
    studio_->services().stepTimer = [](const Json& run, const std::function<bool()>& stopRequested) {
        const app::StepTiming timing = app::timeStep(run, stopRequested);
        return ui::StepTime{timing.median, timing.least, timing.most};
    };
    studio_->services().stepCounter = app::countSteps;
    if (const auto* application = qobject_cast<ui::Application*>(QCoreApplication::instance()))
        connect(application, &ui::Application::failed, this, [this](ui::Problem problem) {
            problem.safe = tr("What you did last may not have been done. Trainings go on, and all that was recorded is kept.");
            studio_->report(problem);
        });
    if (options_.notify) notifier_ = std::make_unique<ui::Notifier>(*studio_, options_.notify);
    const PageRequests requests{[this](const QString& file) { open(file); }, [this](const QString& file) { create(file); },
                                [this](const QString& file) { openBeside(file); },
                                modelOpener(options_.control.session.engine)};
    window_ = std::make_unique<ui::MainWindow>(*studio_, makePages(*studio_, requests));
    connect(window_.get(), &ui::MainWindow::openRequested, this, &StudioProgram::open);
    connect(window_.get(), &ui::MainWindow::openBesideRequested, this, &StudioProgram::openBeside);
    connect(window_.get(), &ui::MainWindow::createRequested, this, &StudioProgram::create);
    connect(window_.get(), &ui::MainWindow::closeRequested, this, &StudioProgram::askAndClose);
    connect(window_.get(), &ui::MainWindow::hostChanged, this, [this] {
        for (auto& [file, control] : controls_) control->setHost(app::DatabaseControl::Host(int(ui::storedHost(settings_))));
    });
    connect(&window_->messages(), &ui::MessageList::answered, this,
            [this](const QString& key) { endOffers([&](Offer of, int database) { return offerKey(of, database) == key; }); });
    connect(&studio_->databases(), &ui::Databases::opened, this, [this](int number) {
        if (!options_.onlyLook) ui::addRecentDatabase(settings_, studio_->databases().find(number)->file());
        findRequestedRun(number);
    });
    connect(&studio_->databases(), &ui::Databases::closed, this, [this](int number) {
        endOffers([number](Offer, int database) { return database == number; });
        showRequestedRun();
    });
    connect(&studio_->databases(), &ui::Databases::currentChanged, this, [this] {
        if (const ui::RunDatabase* current = studio_->databases().current(); current && !options_.onlyLook)
            settings_.setValue(kLast, current->file());
    });
    connect(&statusTimer_, &QTimer::timeout, this, &StudioProgram::showStatus);
    statusTimer_.setTimerType(Qt::VeryCoarseTimer);  // coarse, so that it fires together with the window's other timers
    statusTimer_.start(kStatusMs);
}

StudioProgram::~StudioProgram() {
    if (closer_) closer_->wait();
    window_.reset();
    notifier_.reset();
    studio_.reset();  // its commander may still be calling a control
}

RunControl* StudioProgram::controlOf(const QString& file) {
    if (options_.onlyLook) return silent_.get();
    auto& control = controls_[file];
    if (!control) {
        app::DatabaseControl::Options options = options_.control;
        options.session.database = file.toStdString();
        options.session.owner = "heddle-studio";
        options.host = app::DatabaseControl::Host(int(ui::storedHost(settings_)));
        control = std::make_unique<app::DatabaseControl>(std::move(options));
    }
    return control.get();
}

app::DatabaseControl* StudioProgram::controlOf(const ui::RunDatabase& database) const {
    const auto found = controls_.find(database.file());
    return found == controls_.end() ? nullptr : found->second.get();
}

void StudioProgram::open(const QString& file) { studio_->open(file); }

void StudioProgram::openBeside(const QString& file) { studio_->openBeside(file); }

void StudioProgram::create(const QString& file) {
    ui::ask(
        this, ui::Pool{}, [path = file.toStdString()] { app::createDatabase(path); },
        [this, file](const ui::Result<ui::Done>& done) { done ? open(file) : studio_->report(done.problem()); });
}

void StudioProgram::showRun(const QString& run) { requestedRun_ = run; }

void StudioProgram::findRequestedRun(int database) {
    if (requestedRun_.isEmpty()) return;
    ui::ask(
        this, studio_->databases().reader(database),
        [text = requestedRun_.toStdString()](storage::RunQuery& query) { return app::matchingRuns(query, text); },
        [this, database](ui::Result<std::vector<storage::RunRecord>> found) {
            if (!found)
                studio_->report(found.problem());
            else
                for (const auto& run : *found) matches_.emplace_back(database, run.id);
            lookedInto_.insert(database);
            showRequestedRun();
        });
}

/// Shows the wanted run once every database, open or being opened, has been searched.
void StudioProgram::showRequestedRun() {
    const auto& all = studio_->databases().all();
    const bool isOver =
        std::all_of(all.begin(), all.end(), [this](const auto* database) { return lookedInto_.contains(database->number()); });
    if (requestedRun_.isEmpty() || all.empty() || !isOver) return;
    const QString run = std::exchange(requestedRun_, {});
    if (matches_.size() == 1) return studio_->setCurrentRun(matches_.front());
    studio_->report({ui::StripKind::Warn,
                     matches_.empty() ? tr("No run \"%1\" in the open databases").arg(run)
                                      : tr("\"%1\" may mean %Ln run(s)", nullptr, int(matches_.size())).arg(run),
                     tr("Give an id, a unique prefix of one, or a unique name.")});
}

void StudioProgram::openUsual() {
    const QString named = QString::fromStdString(app::environment("HEDDLE_DB"));
    if (!named.isEmpty()) return create(named);
    const QString here = QFileInfo(QStringLiteral("runs.heddle")).absoluteFilePath();  // what the command line uses here
    if (QFileInfo::exists(here)) return open(here);
    awaited_ = here;
    const QString last = settings_.value(kLast).toString();
    if (!last.isEmpty() && QFileInfo::exists(last)) return open(last);
    create(QString::fromStdString(app::defaultDataFolder() + "/runs.heddle"));
}

void StudioProgram::showStatus() {
    if (closing_) return;
    showRecorder();
    for (const ui::RunDatabase* database : studio_->databases().all())
        if (database->isOpen()) updateOffers(*database);
    if (!awaited_.isEmpty() && QFileInfo::exists(awaited_)) offerFolder(std::exchange(awaited_, {}));
}

/// Shows who records the current database, or another one if nobody records the current one.
void StudioProgram::showRecorder() {
    QString words, problem;
    const auto take = [&](const ui::RunDatabase* database) {
        const app::DatabaseControl* control = database ? controlOf(*database) : nullptr;
        if (!control || !words.isEmpty()) return;
        const auto status = control->status();
        if (status.here && !status.activeRuns.empty())
            words = tr("Recorder: every row kept");
        else if (!status.here && !status.owner.empty())
            words = tr("Recorded by %1").arg(QString::fromStdString(status.owner.shortText()));
        if (problem.isEmpty()) problem = QString::fromStdString(status.problem);
    };
    take(studio_->databases().current());
    for (const ui::RunDatabase* database : studio_->databases().all()) take(database);
    window_->statusLine().setRecorder(words, problem);
}

QAction* StudioProgram::messageAction(const QString& words, std::function<void()> run) {
    auto* action = new QAction(words);
    connect(action, &QAction::triggered, this, std::move(run), Qt::QueuedConnection);  // after the message has been removed
    return action;
}

void StudioProgram::askAndClose() {
    if (closing_) return;
    const auto runIn = [this](const QString& file, const std::string& id) -> const ui::Run* {
        for (const ui::RunDatabase* database : studio_->databases().all())
            if (database->file() == file) return database->run(id);
        return nullptr;
    };
    QStringList labels;
    int waiting = 0;
    for (const auto& [file, control] : controls_) {
        const auto status = control->status();
        waiting += int(status.waiting.size());
        for (const auto& id : status.activeRuns) {
            const ui::Run* run = runIn(file, id);
            labels << (run ? tr("%1, step %2").arg(ui::runLabel(*run), ui::count(run->step))
                           : tr("a run of %1").arg(QFileInfo(file).fileName()));
        }
    }
    if (labels.isEmpty()) return shutDown(Closing::Stop);
    QString text = labels.join(QStringLiteral("; "));
    if (waiting > 0) text += tr("; %Ln more in the queue", nullptr, waiting);
    showQuestion(text);
}

void StudioProgram::showQuestion(const QString& runs) {
    if (question_) return question_->raise();
    question_ = new QMessageBox(window_.get());
    question_->setObjectName(QStringLiteral("closeWhileTraining"));
    question_->setAttribute(Qt::WA_DeleteOnClose);
    question_->setIconPixmap(
        ui::iconPixmap(ui::Icon::Stop, ui::Theme::color(ui::Token::Warn), ui::px(28), window_->devicePixelRatioF()));
    question_->setWindowTitle(tr("Close while training"));
    question_->setTextFormat(Qt::RichText);
    question_->setText(QStringLiteral("<b>%1</b>").arg(tr("This window trains: %1").arg(runs).toHtmlEscaped()));
    question_->setInformativeText(
        tr("Everything recorded is kept either way. Stopping writes a checkpoint at the next step, from which the run can be "
           "resumed. In the background, a separate process continues from that checkpoint and trains the queued runs."));
    auto* stop = question_->addButton(tr("Stop and close"), QMessageBox::AcceptRole);
    auto* keep = question_->addButton(tr("Keep training in the background"), QMessageBox::ActionRole);
    question_->addButton(tr("Cancel"), QMessageBox::RejectRole);
    connect(stop, &QAbstractButton::clicked, this, [this] { shutDown(Closing::Stop); });
    connect(keep, &QAbstractButton::clicked, this, [this] { shutDown(Closing::HandOver); });
    question_->open();
}

void StudioProgram::shutDown(Closing closing) {
    if (std::exchange(closing_, true)) return;
    const bool work = std::any_of(controls_.begin(), controls_.end(),
                                  [](const auto& entry) { return !entry.second->status().activeRuns.empty(); });
    if (work)
        studio_->report({ui::StripKind::Info,
                         closing == Closing::Stop ? tr("Stopping at the next step and writing a checkpoint")
                                                  : tr("Handing the training over to a separate process"),
                         tr("The window closes by itself.")});
    std::vector<app::DatabaseControl*> all;
    for (const auto& [file, control] : controls_) all.push_back(control.get());
    // Stopping may take as long as a step; the window stays responsive.
    closer_.reset(QThread::create([this, all, closing] {
        std::string lost;
        for (auto* control : all) try {
                if (closing == Closing::HandOver) control->handOver();
                lost += control->close();
            } catch (const std::exception& error) {
                lost += error.what();
            }
        QMetaObject::invokeMethod(
            this, [this, lost] { finish(QString::fromStdString(lost)); }, Qt::QueuedConnection);
    }));
    closer_->start();
}

void StudioProgram::finish(const QString& lost) {
    const auto leave = [this] {
        window_->closeNow();
        Q_EMIT closed();
    };
    if (lost.isEmpty()) return leave();
    studio_->report({ui::StripKind::Bad,
                     tr("Not everything could be done before closing"),
                     lost,
                     {messageAction(tr("Close anyway"), leave)}});
}

}  // namespace heddle::studio
