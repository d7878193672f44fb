// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/studio_program.h"

#include "app/session/data_preview.h"
#include "app/session/engine_loader.h"
#include "app/session/open_inspection.h"
#include "app/session/paths.h"
#include "app/session/queue.h"
#include "app/session/requests.h"
#include "app/session/time_step.h"
#include "app/studio/pages.h"
#include "app/studio/silent_control.h"
#include "engine/base/error.h"
#include "storage/run_store.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/threads/background.h"
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

/// "heddle train, pid 123 on host, since …": without host and time.
QString shortOwner(const std::string& owner) {
    const QString text = QString::fromStdString(owner);
    return text.left(text.indexOf(QLatin1String(" on ")));
}

/// On the processor: a training on the GPU keeps its memory. `engine` empty: the engine library.
ui::Inspector::Opener modelOpener(const std::function<std::shared_ptr<Engine>()>& engine) {
    return [engine](const ui::ModelRef& model, const std::function<bool()>& stopRequested) {
        const std::shared_ptr<Engine> opened = engine ? engine() : app::loadEngine();
        return app::openInspection(*opened, {model.database, model.run, model.step, "cpu", stopRequested});
    };
}

}  // namespace

StudioProgram::StudioProgram(QSettings& settings, Options options, QObject* parent)
    : QObject(parent), options_(std::move(options)), settings_(settings) {
    if (options_.onlyLook) silent_ = std::make_unique<SilentControl>();
    studio_ = std::make_unique<ui::Studio>(silent_.get(), settings);
    studio_->setDataInspector(app::previewData);
    studio_->setStepMeter([engine = options_.control.session.engine](const VariantSpec& variant, const BatchShape& shape) {
        return (engine ? engine() : app::loadEngine())->measureStepMemory(variant, shape);
    });
    studio_->setStepTimer([](const Json& run, const std::function<bool()>& stopRequested) {
        const app::StepTiming timing = app::timeStep(run, stopRequested);
        return ui::StepTime{timing.median, timing.least, timing.most};
    });
    if (options_.notify) notifier_ = std::make_unique<ui::Notifier>(*studio_, options_.notify);
    const PageRequests requests{[this](const QString& file) { open(file); }, [this](const QString& file) { create(file); },
                                modelOpener(options_.control.session.engine)};
    window_ = std::make_unique<ui::MainWindow>(*studio_, makePages(*studio_, requests));
    connect(window_.get(), &ui::MainWindow::openRequested, this, &StudioProgram::open);
    connect(window_.get(), &ui::MainWindow::createRequested, this, &StudioProgram::create);
    connect(window_.get(), &ui::MainWindow::closeRequested, this, &StudioProgram::askAndClose);
    connect(window_.get(), &ui::MainWindow::hostChanged, this, [this] {
        for (auto& [file, control] : controls_) control->setHost(app::DatabaseControl::Host(int(ui::storedHost(settings_))));
    });
    connect(&studio_->feed(), &ui::Feed::opened, this, [this] {
        if (options_.onlyLook) return;
        ui::addRecentDatabase(settings_, studio_->feed().file());
        settings_.setValue(kLast, studio_->feed().file());
    });
    window_->setStallReport([this] { return stalls_.report().text(); });
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

app::DatabaseControl* StudioProgram::controlOf(const QString& file) {
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

void StudioProgram::open(const QString& name) {
    const QString file = QFileInfo(name).absoluteFilePath();
    if (!options_.onlyLook) {
        current_ = controlOf(file);
        studio_->commander().setControl(current_);
    }
    queueOffered_ = false;
    studio_->setCurrentRun({});
    studio_->setComparedRuns({});
    studio_->feed().open(file);
}

void StudioProgram::create(const QString& file) {
    ui::inBackground(
        this,
        [path = file.toStdString()] {
            app::createDatabase(path);
            return true;
        },
        [this, file](bool) { open(file); }, [this](const ui::Problem& problem) { studio_->say(problem); });
}

void StudioProgram::showRun(const QString& run) {
    connect(
        &studio_->feed(), &ui::Feed::opened, this,
        [this, run] {
            studio_->feed().read(
                this, [text = run.toStdString()](storage::RunQuery& query) { return app::matchingRuns(query, text); },
                [this, run](const std::vector<storage::RunRecord>& found) {
                    if (found.size() == 1) return studio_->setCurrentRun(found.front().id);
                    showMessageStrip(ui::StripKind::Warn,
                                     found.empty() ? tr("No run \"%1\" in this database").arg(run)
                                                   : tr("\"%1\" may mean %Ln run(s)", nullptr, int(found.size())).arg(run),
                                     tr("Give an id, a unique prefix of one, or a unique name."), {});
                });
        },
        Qt::SingleShotConnection);
}

void StudioProgram::openUsual() {
    const QString named = QString::fromStdString(app::environment("HEDDLE_DB"));
    if (!named.isEmpty()) return create(named);
    const QString here = QStringLiteral("runs.heddle");  // what the command line uses in this folder
    if (QFileInfo::exists(here)) return open(here);
    const QString last = settings_.value(kLast).toString();
    if (!last.isEmpty() && QFileInfo::exists(last)) return open(last);
    create(QString::fromStdString(app::defaultDataFolder() + "/runs.heddle"));
}

void StudioProgram::showStatus() {
    window_->statusLine().setStalls(tr("Events of this window: %1").arg(stalls_.report().text()));
    if (!current_ || closing_) return;
    const auto status = current_->status();
    QString words;
    if (status.here && !status.inWork.empty())
        words = tr("Recorder: every row kept");
    else if (!status.here && !status.owner.empty())
        words = tr("Recorded by %1").arg(shortOwner(status.owner));
    window_->statusLine().setRecorder(words, QString::fromStdString(status.problem));
    std::vector<std::string> fresh;
    for (const auto& run : status.interrupted)
        if (studio_->feed().run(run) && offered_.insert(run).second) fresh.push_back(run);
    if (!fresh.empty()) return offerInterrupted(fresh);
    for (const auto& run : status.lost)
        if (studio_->feed().run(run) && offered_.insert(run).second) fresh.push_back(run);
    if (!fresh.empty()) return offerOtherProcess(fresh);
    const bool free = !status.here && status.owner.empty() && status.isChecked;
    if (queueOffered_ || !free || studio_->feed().file().isEmpty()) return;
    queueOffered_ = true;
    std::vector<std::string> queued;
    for (const auto& run : app::queueOf(studio_->feed().runs())) queued.push_back(run.id);
    if (!queued.empty()) offerQueue(queued);
}

void StudioProgram::offerInterrupted(const std::vector<std::string>& runs) {
    QStringList labels;
    for (const auto& id : runs)
        if (const auto* run = studio_->feed().run(id))
            labels << tr("%1 at step %2").arg(ui::runLabel(*run), ui::count(run->step));
    studio_->setCurrentRun(runs.front());
    showMessageStrip(
        ui::StripKind::Warn,
        runs.size() == 1
            ? tr("A run was interrupted: %1").arg(labels.value(0))
            : tr("%Ln run(s) were interrupted: %1", nullptr, int(runs.size())).arg(labels.join(QStringLiteral(", "))),
        tr("The process that trained ended without a word. Every recorded step and checkpoint is kept; resuming starts from "
           "the newest intact checkpoint and compares replayed steps with what was recorded."),
        {stripAction(tr("Resume"), [this, runs] { resumeAll(runs); }),
         stripAction(tr("Watch"), [this] { studio_->go(ui::PageId::Watch); })});
}

void StudioProgram::offerQueue(const std::vector<std::string>& runs) {
    showMessageStrip(ui::StripKind::Info, tr("%Ln run(s) wait in the queue of this database", nullptr, int(runs.size())),
                     tr("Left there when the last window or training was closed."),
                     {stripAction(tr("Start the queue"), [this, runs] { resumeAll(runs); })});
}

void StudioProgram::offerOtherProcess(const std::vector<std::string>& runs) {
    showMessageStrip(
        ui::StripKind::Bad, tr("The GPU stopped working for this window"),
        tr("Everything recorded is kept. A process of its own can go on from the newest checkpoint; what is trained "
           "from now on is trained there."),
        {stripAction(tr("Go on in a process of its own"), [this, runs] {
            ui::storeHost(settings_, ui::EngineHost::Child);
            for (auto& [file, control] : controls_) control->setHost(app::DatabaseControl::Host::Child);
            resumeAll(runs);
        })});
}

void StudioProgram::resumeAll(const std::vector<std::string>& runs) {
    window_->strip().hide();
    for (const auto& run : runs) studio_->verbs().carryOut(run, RunVerb::Start);
}

QAction* StudioProgram::stripAction(const QString& words, std::function<void()> run) {
    auto* action = new QAction(words, this);
    connect(action, &QAction::triggered, this, std::move(run), Qt::QueuedConnection);  // the strip may delete the button
    return action;
}

void StudioProgram::showMessageStrip(ui::StripKind kind, const QString& title, const QString& text,
                                     const QList<QAction*>& actions) {
    studio_->say(ui::MessageStrip::Message{kind, title, text, actions});
    for (QAction* old : std::exchange(stripActions_, actions)) old->deleteLater();
}

void StudioProgram::askAndClose() {
    if (closing_) return;
    QStringList labels;
    int waiting = 0;
    for (const auto& [file, control] : controls_) {
        const auto status = control->status();
        waiting += int(status.waiting.size());
        for (const auto& id : status.inWork) {
            const auto* run = control.get() == current_ ? studio_->feed().run(id) : nullptr;
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
    question_->setText(QStringLiteral("<b>%1</b>").arg(tr("This window trains: %1").arg(runs).toHtmlEscaped()));
    question_->setInformativeText(
        tr("Everything recorded is kept either way. Stopping writes a checkpoint at the next step; the run goes on from it "
           "when it "
           "is resumed. In the background, a process of its own goes on from that checkpoint and works off the queue."));
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
                                  [](const auto& entry) { return !entry.second->status().inWork.empty(); });
    if (work)
        showMessageStrip(ui::StripKind::Info,
                         closing == Closing::Stop ? tr("Stopping at the next step and writing a checkpoint")
                                                  : tr("Handing the training over to a process of its own"),
                         tr("The window closes by itself."), {});
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
    showMessageStrip(ui::StripKind::Bad, tr("Not everything could be done before closing"), lost,
                     {stripAction(tr("Close anyway"), leave)});
}

}  // namespace heddle::studio
