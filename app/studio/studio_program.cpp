// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/studio_program.h"

#include "app/launch/slurm_submissions.h"
#include "app/session/process/data_preview.h"
#include "app/session/process/engine_loader.h"
#include "app/session/process/paths.h"
#include "app/session/process/time_step.h"
#include "app/session/requests/averages.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/open_inspection.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/run/run_control.h"
#include "storage/run_store.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/inspect/inspect_page.h"
#include "ui/pages/library/library_page.h"
#include "ui/pages/watch/watch_page.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/threads/ask.h"
#include "ui/threads/priority.h"
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

/// The control for --shots: refuses commands and ignores edits, such as the colours that pages assign to variants.
class ReadOnlyControl final : public RunControl {
public:
    [[noreturn]] static void refuse() { throw Error(ErrorCode::Usage, "the database is read-only", "--shots", ""); }

    std::string submit(const RunSpec&, const std::string&) override { refuse(); }
    void resume(const std::string&) override { refuse(); }
    void command(const std::string&, RunVerb, const std::string&) override { refuse(); }
    void edit(const Edit&) override {}
    void ask(const std::string&, const Json&, std::function<void(bool, const Json&)>) override { refuse(); }
};

/// Opens models on the CPU, so that a training on the GPU keeps its memory. Without `engine` it loads the engine library.
ui::Inspector::Opener modelOpener(const std::function<std::shared_ptr<Engine>()>& engine) {
    return [engine](const ui::ModelRef& model, const std::function<bool()>& stopRequested) {
        const std::shared_ptr<Engine> opened = engine ? engine() : app::loadEngine();
        // The model needs its own connection, because the inspector's thread opens it and the reader of the window belongs to
        // another thread.
        const auto query = storage::RunQuery::open(model.database);
        const auto checkpoint =
            app::chooseCheckpoint(*query, model.database, app::findRun(*query, model.run), std::to_string(model.step));
        return app::openInspection(*opened, checkpoint, "cpu", stopRequested);
    };
}

/// The pages, in the order of the rail.
QList<ui::Page*> makePages(ui::Studio& studio, const ui::Inspector::Opener& openModel) {
    return {new ui::ComposePage(studio), new ui::WatchPage(studio), new ui::InspectPage(studio, openModel),
            new ui::ComparePage(studio), new ui::LibraryPage(studio)};
}

}  // namespace

StudioProgram::StudioProgram(QSettings& settings, Options options, QObject* parent)
    : QObject(parent), options_(std::move(options)), settings_(settings) {
    if (options_.readOnly) readOnly_ = std::make_unique<ReadOnlyControl>();
    studio_ = std::make_unique<ui::Studio>([this](const QString& file) { return controlOf(file); }, settings);
    studio_->services().createDatabase = app::createDatabase;
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
    studio_->services().changerOf = [this](const QString& file) -> std::function<void(const ui::EngineServices::Change&)> {
        const auto control = controls_.find(file);
        if (control == controls_.end()) return [](const auto&) { ReadOnlyControl::refuse(); };
        return [&to = *control->second](const ui::EngineServices::Change& change) { to.change(change); };
    };
    studio_->services().averagerOf = [this](const QString& file) {
        return [change = studio_->services().changerOf(file), database = file.toStdString(),
                engine = options_.control.session.engine](const std::vector<app::AveragedValue>& asked) {
            const std::shared_ptr<Engine> loaded = engine ? engine() : app::loadEngine();
            for (const app::AveragedValue& one : asked)
                app::evaluateAverage(database, change, *loaded, {one.run, one.count, one.split, one.device});
        };
    };
    if (!options_.readOnly)  // a look merges runs
        studio_->services().submissionsOf = [engine = options_.control.session.engine](const QString& file) {
            return std::make_shared<app::SlurmSubmissions>(
                file.toStdString(), "studio", engine ? engine : [] { return app::loadEngine(); });
        };
    if (const auto* application = qobject_cast<ui::Application*>(QCoreApplication::instance()))
        connect(application, &ui::Application::failed, this, [this](ui::Problem problem) {
            problem.safe = tr("Your last action may be incomplete. Training continues, and all recorded data are kept.");
            studio_->report(problem);
        });
    if (options_.notify) notifier_ = std::make_unique<ui::Notifier>(*studio_, options_.notify);
    window_ = std::make_unique<ui::MainWindow>(*studio_, makePages(*studio_, modelOpener(options_.control.session.engine)));
    connect(window_.get(), &ui::MainWindow::closeRequested, this, &StudioProgram::askAndClose);
    connect(window_.get(), &ui::MainWindow::hostChanged, this, [this] {
        for (auto& [file, control] : controls_) control->setHost(app::DatabaseControl::Host(int(ui::storedHost(settings_))));
    });
    connect(&window_->messages(), &ui::MessageList::answered, this,
            [this](const QString& key) { endOffers([&](Offer of, int database) { return offerKey(of, database) == key; }); });
    connect(&studio_->databases(), &ui::Databases::opened, this, [this](int number) {
        if (!options_.readOnly) ui::addRecentDatabase(settings_, studio_->databases().find(number)->file());
        findRequestedRun(number);
    });
    connect(&studio_->databases(), &ui::Databases::closed, this, [this](int number) {
        endOffers([number](Offer, int database) { return database == number; });
        showRequestedRun();
    });
    connect(&studio_->databases(), &ui::Databases::currentChanged, this, [this] {
        if (const ui::RunDatabase* current = studio_->databases().current(); current && !options_.readOnly)
            settings_.setValue(kLast, current->file());
    });
    connect(&statusTimer_, &QTimer::timeout, this, &StudioProgram::showStatus);
    statusTimer_.setTimerType(Qt::VeryCoarseTimer);  // it fires together with the window's other timers
    statusTimer_.start(kStatusMs);
}

StudioProgram::~StudioProgram() {
    if (closer_) closer_->wait();
    window_.reset();
    notifier_.reset();
    studio_.reset();  // its commander may still be calling a control
}

RunControl* StudioProgram::controlOf(const QString& file) {
    if (options_.readOnly) return readOnly_.get();
    auto& control = controls_[file];
    if (!control) {
        app::DatabaseControl::Options options = options_.control;
        options.session.database = file.toStdString();
        options.session.owner = "heddle-studio";
        options.session.onEngineThread = [] { ui::lowerPriority(ui::BackgroundWork::Training); };
        options.host = app::DatabaseControl::Host(int(ui::storedHost(settings_)));
        control = std::make_unique<app::DatabaseControl>(std::move(options));
    }
    return control.get();
}

app::DatabaseControl* StudioProgram::controlOf(const ui::RunDatabase& database) const {
    const auto found = controls_.find(database.file());
    return found == controls_.end() ? nullptr : found->second.get();
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
            searched_.insert(database);
            showRequestedRun();
        });
}

/// Shows the requested run when all databases, open or being opened, have been searched.
void StudioProgram::showRequestedRun() {
    const auto& all = studio_->databases().all();
    const bool isOver =
        std::all_of(all.begin(), all.end(), [this](const auto* database) { return searched_.contains(database->number()); });
    if (requestedRun_.isEmpty() || all.empty() || !isOver) return;
    const QString run = std::exchange(requestedRun_, {});
    if (matches_.size() == 1) return studio_->setCurrentRun(matches_.front());
    studio_->report({ui::StripKind::Warn,
                     matches_.empty() ? tr("No run \"%1\" in the open databases").arg(run)
                                      : tr("\"%1\" matches %Ln run(s)", nullptr, int(matches_.size())).arg(run),
                     tr("Use an id, a unique prefix of an id, or a unique name.")});
}

void StudioProgram::openDefault() {
    const QString named = QString::fromStdString(app::environment("HEDDLE_DB"));
    if (!named.isEmpty()) return studio_->create(named);
    const QString here = QFileInfo(QStringLiteral("runs.heddle")).absoluteFilePath();  // what the command line uses here
    if (QFileInfo::exists(here)) return studio_->open(here);
    expectedFile_ = here;
    const QString last = settings_.value(kLast).toString();
    if (!last.isEmpty() && QFileInfo::exists(last)) return studio_->open(last);
    studio_->create(QString::fromStdString(app::defaultDataFolder() + "/runs.heddle"));
}

void StudioProgram::showStatus() {
    if (closing_) return;
    showRecorder();
    for (const ui::RunDatabase* database : studio_->databases().all())
        if (database->isOpen()) updateOffers(*database);
    if (!expectedFile_.isEmpty() && QFileInfo::exists(expectedFile_)) offerFolder(std::exchange(expectedFile_, {}));
}

/// Shows which process records the current database, or, if none does, another open database.
void StudioProgram::showRecorder() {
    QString words, problem;
    const auto take = [&](const ui::RunDatabase* database) {
        const app::DatabaseControl* control = database ? controlOf(*database) : nullptr;
        if (!control || !words.isEmpty()) return;
        const auto status = control->status();
        if (status.here && !status.activeRuns.empty())
            words = tr("Recorder: all rows stored");
        else if (!status.here && !status.owner.empty())
            words = tr("Recorded by %1").arg(QString::fromStdString(status.owner.shortText()));
        if (problem.isEmpty()) problem = QString::fromStdString(status.problem);
    };
    take(studio_->databases().current());
    for (const ui::RunDatabase* database : studio_->databases().all()) take(database);
    window_->statusLine().setRecorder(words, problem);
}

QAction* StudioProgram::messageAction(const char* name, const QString& text, std::function<void()> run) {
    auto* action = new QAction(text);
    action->setObjectName(QString::fromLatin1(name));
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
    question_->setText(QStringLiteral("<b>%1</b>").arg(tr("Training in this window: %1").arg(runs).toHtmlEscaped()));
    question_->setInformativeText(
        tr("Everything recorded is kept either way. Stopping writes a checkpoint at the next step, from which the run can be "
           "resumed. In the background, a separate process continues from that checkpoint and trains the queued runs."));
    const auto add = [this](const char* name, const QString& text, QMessageBox::ButtonRole role) {
        auto* button = question_->addButton(text, role);
        button->setObjectName(QString::fromLatin1(name));
        return button;
    };
    connect(add("stopAndClose", tr("Stop and close"), QMessageBox::AcceptRole), &QAbstractButton::clicked, this,
            [this] { shutDown(Closing::Stop); });
    connect(add("keepTraining", tr("Keep training in the background"), QMessageBox::ActionRole), &QAbstractButton::clicked,
            this, [this] { shutDown(Closing::HandOver); });
    add("cancel", tr("Cancel"), QMessageBox::RejectRole);
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
                         tr("The window closes when this is done.")});
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
                     tr("Could not complete all work before closing"),
                     lost,
                     {messageAction("closeAnyway", tr("Close anyway"), leave)}});
}

}  // namespace heddle::studio
