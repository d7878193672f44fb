// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/library_details.h"

#include "engine/run/run_notes.h"
#include "engine/run/run_state.h"
#include "engine/run/surroundings.h"
#include "engine/spec/schedules.h"
#include "storage/records.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "ui/pages/library/use_bar.h"
#include "ui/text/number.h"
#include "ui/text/states.h"
#include "ui/text/units.h"
#include "ui/text/utf8.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QDirIterator>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace heddle::ui {

/// Rows of a name and a value that wraps. Not a QFormLayout, which gives wrapped values too little height.
class FactList : public QWidget {
public:
    explicit FactList(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
        grid_->setContentsMargins(px(10), px(6), px(10), px(8));
        grid_->setHorizontalSpacing(px(12));
        grid_->setVerticalSpacing(px(5));
        grid_->setColumnMinimumWidth(0, px(84));
        grid_->setColumnStretch(1, 1);
    }
    void add(const QString& name, const QString& value) {
        auto* label = new QLabel(name, this);
        label->setForegroundRole(QPalette::PlaceholderText);
        auto* shown = new QLabel(value, this);
        shown->setTextFormat(Qt::PlainText);
        shown->setWordWrap(true);
        shown->setTextInteractionFlags(Qt::TextSelectableByMouse);
        shown->setFont(numberFont(Type::Body));
        const int row = int(rows_.size());
        grid_->addWidget(label, row, 0, Qt::AlignLeft | Qt::AlignTop);
        grid_->addWidget(shown, row, 1);
        rows_.emplace_back(label, shown);
    }
    void clear() {
        for (const auto& [label, shown] : std::exchange(rows_, {})) {
            delete label;
            delete shown;
        }
    }
    QStringList lines() const {
        QStringList all;
        for (const auto& [label, shown] : rows_) all << label->text() + QLatin1Char(' ') + shown->text();
        return all;
    }

private:
    QGridLayout* grid_;
    std::vector<std::pair<QLabel*, QLabel*>> rows_;
};

namespace {

/// The key of the result of a database's last check.
QString verifiedKey(const QString& file) {
    return QStringLiteral("library/verified/") + QString::fromLatin1(file.toUtf8().toHex().right(200));
}

QString statesText(const std::vector<Run>& runs) {
    std::map<std::string, int> states;
    for (const Run& run : runs) ++states[run.state];
    QStringList parts;
    for (int i = 0; i < kRunStateCount; ++i)
        if (const auto found = states.find(std::string(name(RunState(i)))); found != states.end())
            parts << QStringLiteral("%1 %2").arg(count(found->second), lookOf(Mark(i)).word.toLower());
    return parts.isEmpty() ? LibraryDetails::tr("none yet") : parts.join(QStringLiteral(", "));
}

std::optional<RunReport> reportOnRun(storage::RunQuery& query, const std::string& run) {
    auto record = query.run(run);
    if (!record) return std::nullopt;
    RunReport facts{std::move(*record), query.attempts(run), query.checkpoints(run), {}, {}};
    for (const RunNote& note : notesOf(query.events(run))) facts.notes << text(note.text);
    for (const auto& damage : query.damages())
        if (damage.run == run) facts.damages << text(damage.text);
    return facts;
}

ReportedFacts reportOn(const QString& file) {
    const std::string name = file.toStdString();
    // The report has a connection of its own: it reads the whole file, which would block the window's reader.
    return {file, storage::reportOn(name), folderSizes(QString::fromStdString(storage::artifactFolder(name)))};
}

}  // namespace

std::map<std::string, qint64> folderSizes(const QString& folder) {
    std::map<std::string, qint64> sizes;
    QDirIterator runs(folder, QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks);
    while (runs.hasNext()) {
        runs.next();
        qint64& bytes = sizes[runs.fileName().toStdString()];
        QDirIterator files(runs.filePath(), QDir::Files | QDir::NoSymLinks, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            files.next();
            bytes += files.fileInfo().size();
        }
    }
    return sizes;
}

LibraryDetails::LibraryDetails(Studio& studio, QWidget* parent)
    : SideArea(px(232), parent),
      studio_(studio),
      strip_(new MessageStrip(this)),
      useTitle_(new PanelTitle(tr("Disk use"), this)),
      runTitle_(new PanelTitle(tr("Run"), this)),
      database_(new FactList(this)),
      run_(new FactList(this)),
      use_(new UseBar(this)),
      totals_(new QLabel(this)),
      verify_(new QPushButton(themeIcon(Icon::Shield), tr("Verify now"), this)),
      verifyAction_(makeAction(this, {"verifyDatabase", tr("Verify database"), Icon::Shield}, [this] { startVerify(); })),
      progress_(new QProgressBar(this)),
      note_(new QLineEdit(this)),
      useBox_(new QWidget(this)),
      reporting_(this, [this](Result<ReportedFacts> facts) { takeReport(std::move(facts)); }),
      reading_(this,
               [this](Result<std::optional<RunReport>> facts) {
                   showRun(facts ? *facts : std::nullopt);
                   if (facts)
                       reported_.succeeded(shown_.key());
                   else if (reported_.isNew(shown_.key(), facts.problem()))
                       studio_.report(facts.problem());
               }),
      checking_(
          this, [this](Result<std::optional<VerifiedFacts>> facts) { takeVerified(std::move(facts)); },
          [this](std::int64_t done, std::int64_t total) { showProgress(done, total); }) {
    setAccessibleName(tr("Details of the database and the selected run"));
    verify_->setObjectName(QStringLiteral("verify"));
    note_->setObjectName(QStringLiteral("note"));
    build();
    connect(verify_, &QPushButton::clicked, this, [this] { checking_.isRunning() ? checking_.cancel() : startVerify(); });
    connect(note_, &QLineEdit::returnPressed, this, [this] {
        const std::string note = note_->text().trimmed().toStdString();
        if (!note.empty() && !shown_.empty())
            studio_.commander().edit(shown_.database, AnnotateRun{shown_.id, note}, [this, run = shown_] {
                if (run == shown_) setRun(run);
            });
        note_->clear();
    });
    connect(&studio.databases(), &Databases::currentChanged, this, [this] {
        checking_.drop();
        reporting_.cancel();
        showReport({});
        endVerify();
    });
    showReport({});
    endVerify();
    showRun({});
}

void LibraryDetails::build() {
    auto* body = new QWidget(this);
    QVBoxLayout* column = makeColumn(body);
    column->addWidget(strip_);
    strip_->setMinimumWidth(1);  // its text wraps; the panel has no horizontal scroll bar
    column->addWidget(database_);
    column->addWidget(useTitle_);
    auto* use = new QVBoxLayout(useBox_);
    use->setContentsMargins(px(10), px(8), px(10), px(8));
    use->setSpacing(px(6));
    use->addWidget(use_);
    use->addWidget(totals_);
    totals_->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(px(8));
    buttons->addWidget(verify_);
    buttons->addWidget(progress_, 1);
    buttons->addStretch(0);
    use->addLayout(buttons);
    progress_->setAccessibleName(tr("Runs checked"));
    progress_->hide();
    column->addWidget(useBox_);
    column->addWidget(runTitle_);
    note_->setPlaceholderText(tr("Add a note"));
    note_->setAccessibleName(tr("Add a note to the run"));
    column->addWidget(run_);
    auto* noteRow = new QHBoxLayout;
    noteRow->setContentsMargins(px(10), 0, px(10), px(8));
    noteRow->addWidget(note_);
    column->addLayout(noteRow);
    column->addStretch(1);
    setWidget(body);
}

void LibraryDetails::refresh() {
    const QString file = studio_.databases().currentFile();
    if (!file.isEmpty()) reporting_.ask(Pool{}, [file] { return reportOn(file); });
}

void LibraryDetails::takeReport(Result<ReportedFacts> facts) {
    const QString file = studio_.databases().currentFile();
    if (!facts) {
        if (reported_.isNew(file, facts.problem())) studio_.report(facts.problem());
        return;
    }
    reported_.succeeded(file);
    showReport(*facts);
    Q_EMIT reported(*facts);
}

void LibraryDetails::showReport(const std::optional<ReportedFacts>& shown) {
    const RunDatabase* current = studio_.databases().current();
    setWindowTitle(!current ? tr("Database") : tr("Database · %1").arg(current->name()));
    database_->clear();
    for (QWidget* part : {static_cast<QWidget*>(useTitle_), useBox_}) part->setVisible(shown && current);
    if (!shown || !current) return;
    const auto& r = shown->report;
    database_->add(tr("Folder"), withTilde(QFileInfo(shown->file).path()));
    database_->add(tr("Created"), whenText(r.created));
    database_->add(tr("Schema"), tr("version %1").arg(r.schema));
    database_->add(tr("Journal"), r.journal == "wal" ? tr("write-ahead log, %1").arg(byteSize(r.walBytes)) : text(r.journal));
    database_->add(tr("Writer"), r.owner.isThisProcess() ? tr("this window, %1").arg(text(r.owner.text()))
                                 : r.owner.empty()       ? tr("none")
                                                         : text(r.owner.text()));
    database_->add(tr("Runs"), statesText(current->runs()));
    const QStringList contents{tr("%Ln point(s)", nullptr, int(r.points)), tr("%Ln evaluation(s)", nullptr, int(r.evaluations)),
                               tr("%Ln histogram(s)", nullptr, int(r.histograms)), tr("%Ln map(s)", nullptr, int(r.maps))};
    database_->add(tr("Contents"), contents.join(QStringLiteral(", ")));
    if (!r.notice.empty()) database_->add(tr("Notice"), text(r.notice));
    use_->setUse(r.use);
    quint64 checkpoints = 0;
    for (const auto& [run, bytes] : shown->sizes) checkpoints += quint64(bytes);
    totals_->setText(tr("Database file %1 · checkpoints %2").arg(byteSize(r.fileBytes), byteSize(checkpoints)));
}

void LibraryDetails::showVerified() {
    const QVariantList stored = studio_.settings().value(verifiedKey(studio_.databases().currentFile())).toList();
    if (stored.size() != 6) return strip_->hide();
    const VerifiedFacts verified{stored[0].toDouble(),   stored[1].toLongLong(), stored[2].toLongLong(),
                                 stored[3].toLongLong(), stored[4].toLongLong(), stored[5].toStringList()};
    const QString records =
        tr("%1 of %Ln record(s)", nullptr, int(verified.records)).arg(count(verified.records - verified.damaged));
    const QString files =
        tr("%1 of %Ln checkpoint file(s)", nullptr, int(verified.files)).arg(count(verified.files - verified.wrongFiles));
    const QString counts = tr("%1 and %2 match their checksums.").arg(records, files);
    MessageStrip::Message message;
    if (verified.problems.isEmpty()) {
        message.kind = StripKind::Ok;
        message.title = tr("Verified %1: nothing damaged").arg(whenText(verified.at));
        message.text = counts;
    } else {
        message.kind = StripKind::Bad;
        message.title = tr("Checked %1: damage found").arg(whenText(verified.at));
        message.text = verified.problems.mid(0, 4).join(QLatin1Char('\n')) + QLatin1Char('\n') + counts +
                       tr(" Damaged records are shown as gaps; all other data are intact.");
    }
    strip_->showMessage(message);
}

void LibraryDetails::showProgress(std::int64_t done, std::int64_t total) {
    progress_->setVisible(total > 0);
    progress_->setRange(0, int(std::max<std::int64_t>(1, total)));
    progress_->setValue(int(done));
    verify_->setText(total > 0 ? tr("Stop checking") : tr("Verify now"));
}

void LibraryDetails::startVerify() {
    const QString file = studio_.databases().currentFile();
    if (file.isEmpty() || checking_.isRunning()) return;
    checked_ = file;
    verifyAction_->setEnabled(false);
    showProgress(0, 1);
    checking_.start(Pool{}, [file](const TaskControl& task) { return ui::verify(file, task); });
}

void LibraryDetails::takeVerified(Result<std::optional<VerifiedFacts>> facts) {
    if (!facts)
        studio_.report(facts.problem());
    else if (const auto& of = *facts)
        studio_.settings().setValue(verifiedKey(checked_),
                                    QVariantList{of->at, qint64(of->records), qint64(of->damaged), qint64(of->files),
                                                 qint64(of->wrongFiles), of->problems});
    endVerify();
}

void LibraryDetails::endVerify() {
    verifyAction_->setEnabled(studio_.databases().current());
    showProgress(0, 0);
    showVerified();
}

void LibraryDetails::setRun(const RunRef& run) {
    if (run != shown_) {
        shown_ = run;
        reading_.cancel();
        if (run.empty()) showRun({});
    }
    if (!run.empty())
        reading_.ask(studio_.databases().reader(run.database),
                     [id = run.id](storage::RunQuery& query) { return reportOnRun(query, id); });
}

void LibraryDetails::showRun(const std::optional<RunReport>& facts) {
    run_->clear();
    runTitle_->setVisible(facts.has_value());
    run_->setVisible(facts.has_value());
    note_->setVisible(facts.has_value());
    if (!facts) return;
    const auto& run = facts->run;
    runTitle_->setNote(nameHasSeed(run) ? text(run.name) : tr("%1, seed %2").arg(text(run.name)).arg(run.seed));
    run_->add(tr("Run"), text(run.id));
    run_->add(tr("Variant"), text(run.variantHash.substr(0, 16)));
    if (run.parameters > 0) run_->add(tr("Parameters"), count(run.parameters));
    if (!facts->attempts.empty()) {
        const auto& last = facts->attempts.back();
        run_->add(tr("Device"),
                  tr("%1, %Ln thread(s), torch %2", nullptr, int(last.threads)).arg(text(last.device), text(last.torch)));
        if (last.peakBytes > 0) run_->add(tr("Peak memory"), byteSize(quint64(last.peakBytes)));
        showSurroundings(last);
        if (facts->attempts.size() > 1)
            run_->add(tr("Resumed"), tr("%1; last: %2 %3")
                                         .arg(tr("%Ln time(s)", nullptr, int(facts->attempts.size()) - 1),
                                              tr("%Ln replayed step(s)", nullptr, int(last.replayedSteps)), text(last.replay)));
    }
    QStringList checkpoints;
    for (const auto& c : facts->checkpoints)
        //: The kind of a checkpoint and its step: "best 120".
        checkpoints << (storage::isAverage(c.kind) ? text(c.kind) : tr("%1 %2").arg(text(c.kind), count(c.step)));
    run_->add(tr("Checkpoints"), checkpoints.isEmpty() ? tr("none") : checkpoints.join(QStringLiteral(", ")));
    if (const auto extensions = extensionsIn(run.spec); !extensions.empty()) {
        QStringList steps;
        for (const std::int64_t step : extensions) steps << count(step);
        run_->add(
            tr("Extended"),
            tr("after step %1; a run with these limits from the start would differ").arg(steps.join(QStringLiteral(", "))));
    }
    if (!run.reason.empty()) run_->add(tr("Reason"), text(run.reason));
    if (!run.group.empty()) run_->add(tr("Group"), text(run.group));
    if (!facts->damages.isEmpty()) run_->add(tr("Damaged"), facts->damages.join(QLatin1Char('\n')));
    run_->add(tr("Notes"), facts->notes.isEmpty() ? tr("none") : facts->notes.join(QLatin1Char('\n')));
}

void LibraryDetails::showSurroundings(const storage::AttemptRecord& attempt) {
    const Surroundings from = surroundingsIn(attempt.context);
    if (!from.command.empty()) run_->add(tr("Command"), text(commandText(from.command)));
    if (!from.folder.empty()) run_->add(tr("Started in"), withTilde(text(from.folder)));
    const QString commit = text(from.commit.substr(0, 12));
    if (!commit.isEmpty()) run_->add(tr("Git commit"), from.isDirty ? tr("%1, with changes").arg(commit) : commit);
}

QStringList LibraryDetails::lines() const {
    QStringList all;
    if (strip_->isVisibleTo(this)) all << strip_->title();
    return all + database_->lines() + run_->lines();
}

}  // namespace heddle::ui
