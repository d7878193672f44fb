// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/library_actions.h"

#include "storage/run_query.h"
#include "ui/pages/library/library_runs.h"
#include "ui/panels/table/filter_line.h"
#include "ui/text/utf8.h"
#include "ui/theme/icons.h"
#include "ui/widgets/small_parts.h"

#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

const QString kExport = QStringLiteral("export");  ///< key of the export's messages

/// Edits of runs as one step of Edit > Undo.
class EditStep : public QUndoCommand {
public:
    struct Edits {
        std::vector<Edit> forward, back;
    };
    /// Calls `done` when all edits of the first redo() have been accepted.
    EditStep(Commander& commander, int database, const QString& words, Edits edits, std::function<void()> done)
        : QUndoCommand(words), commander_(commander), database_(database), edits_(std::move(edits)), done_(std::move(done)) {}

    void redo() override { carryOut(edits_.forward, std::exchange(done_, {})); }
    void undo() override { carryOut(edits_.back, {}); }

private:
    void carryOut(const std::vector<Edit>& edits, const std::function<void()>& done) {
        const auto left = std::make_shared<std::size_t>(edits.size());
        for (const Edit& edit : edits)
            commander_.edit(database_, edit, [left, done] {
                if (--*left == 0 && done) done();
            });
    }

    Commander& commander_;
    int database_;
    Edits edits_;
    std::function<void()> done_;
};

/// Those of `words` that are not in `others`.
std::vector<std::string> without(std::vector<std::string> words, const std::vector<std::string>& others) {
    std::erase_if(words, [&](const auto& word) { return std::find(others.begin(), others.end(), word) != others.end(); });
    return words;
}

/// A folder of text files for each run.
WrittenRuns exportedInto(const QString& file, const std::vector<std::string>& runs, const QString& folder,
                         const TaskControl& task) {
    WrittenRuns written;
    for (const auto& run : runs)
        if (!task.isCancelled()) written.places << exportRun(file, run, folder);
    written.runs = written.places.size();
    return written;
}

struct ExportOrder {
    ExportChoice choice;
    QString destination;
};

/// One file or folder of all runs, which is there whole or not at all.
WrittenRuns exportedWhole(const QString& file, const std::vector<std::string>& runs, const ExportOrder& order,
                          const TaskControl& task) {
    app::RunExport wanted{*order.choice.format, order.destination.toStdString(), runs};
    if (wanted.format == app::ExportFormat::Optuna)
        wanted.metric = app::exportedMetric(order.choice.metric.toStdString(), order.choice.rule.toStdString());
    wanted.stopRequested = task.stopRequested();
    WrittenRuns written{{order.destination}, {}, qsizetype(runs.size())};
    for (const std::string& note : app::exportRuns(*storage::RunQuery::open(file.toStdString()), wanted))
        written.notes << text(note);
    return written;
}

}  // namespace

LibraryActions::LibraryActions(Studio& studio, LibraryRuns& runs, QWidget& page)
    : QObject(&page), studio_(studio), runs_(runs), page_(page), onRuns_(new RunActions(studio, this)) {
    constexpr auto kInTable = Qt::WidgetShortcut;  // not while a cell is edited: Enter ends the edit
    constexpr auto kOnPage = Qt::WidgetWithChildrenShortcut;
    rename_ = makeAction(this, {"rename", tr("Rename"), Icon::Edit, Qt::Key_F2, {}, kInTable},
                         [this] { runs_.edit(RunColumn::Name); });
    tag_ = makeAction(this, {"editTags", tr("Edit tags"), Icon::Tag, Qt::CTRL | Qt::Key_T, {}, kInTable},
                      [this] { runs_.edit(RunColumn::Tags); });
    note_ = makeAction(this, {"addNote", tr("Add note"), Icon::Note});
    trash_ = makeAction(this, {"delete", tr("Delete"), Icon::Trash, Qt::Key_Delete, {}, kInTable}, [this] { trash(); });
    restore_ = makeAction(this, {"restore", tr("Restore"), Icon::Undo}, [this] { restore(); });
    deletePermanently_ = makeAction(
        this, {"deletePermanently", tr("Delete permanently…"), Icon::Trash, Qt::SHIFT | Qt::Key_Delete, {}, kInTable},
        [this] { deletePermanently(); });
    export_ = makeAction(this, {"exportRuns", tr("Export runs…"), Icon::Export}, [this] { chooseExport(); });
    cancelExport_ = makeAction(this, {"cancelExport", tr("Cancel")}, [this] { exporting_.cancel(); });
    find_ = makeAction(this, {"filterRuns", tr("Filter runs"), Icon::Filter, Qt::Key_Slash, {}, kInTable},
                       [this] { runs_.filter().setFocus(Qt::ShortcutFocusReason); });
    undo_ = steps_.createUndoAction(this, tr("Undo"));
    redo_ = steps_.createRedoAction(this, tr("Redo"));
    undo_->setObjectName(QStringLiteral("undo"));
    redo_->setObjectName(QStringLiteral("redo"));
    undo_->setIcon(themeIcon(Icon::Undo));
    redo_->setIcon(themeIcon(Icon::Redo));
    undo_->setShortcut(QKeySequence::Undo);
    redo_->setShortcut(QKeySequence::Redo);
    for (QAction* action : {undo_, redo_, export_}) {
        action->setShortcutContext(kOnPage);
        page.addAction(action);
    }
    watch().setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    watch().setShortcutContext(kInTable);
    fillMenus();
}

/// The context menu and the buttons of the table.
void LibraryActions::fillMenus() {
    QAction *clone = &onRuns_->clone(), *compare = &onRuns_->compare(), *resume = &onRuns_->action(RunVerb::Resume),
            *stop = &onRuns_->action(RunVerb::Stop);
    runs_.view().setContextMenuPolicy(Qt::ActionsContextMenu);
    runs_.view().addActions({find_, &watch(), compare, clone, &onRuns_->inspect(), &onRuns_->fork(), rename_, tag_, note_,
                             resume, &onRuns_->action(RunVerb::Pause), stop, export_, trash_, restore_, deletePermanently_});
    for (QAction* action : {&watch(), compare, clone, tag_, resume, stop, export_, trash_, restore_, deletePermanently_})
        runs_.addButton(*action);
}

QList<QAction*> LibraryActions::edits() const {
    return {undo_, redo_, rename_, tag_, note_, find_, trash_, restore_, deletePermanently_};
}

QList<QAction*> LibraryActions::onRuns() const {
    QList<QAction*> actions{&watch(), &onRuns_->inspect(), &onRuns_->compare(), &onRuns_->clone(), &onRuns_->fork()};
    for (const RunVerb verb : {RunVerb::Resume, RunVerb::Pause, RunVerb::Stop, RunVerb::Checkpoint})
        actions << &onRuns_->action(verb);
    return actions << export_;
}

RunRef LibraryActions::refOf(const std::string& run) const { return {studio_.databases().currentNumber(), run}; }

void LibraryActions::refresh() {
    const std::vector<RunPointer> runs = runs_.selectedRuns();
    const bool inTrash = runs_.options().view == RunView::Deleted, any = !runs.empty() && !inTrash;
    export_->setEnabled(any && !exporting_.isRunning());
    export_->setToolTip(any ? QString() : tr("Select the runs to export first"));
    for (QAction* action : {rename_, tag_, note_}) action->setEnabled(any && runs.size() == 1);
    const bool mayGo = any && std::all_of(runs.begin(), runs.end(), [](const RunPointer& run) {
                           const auto state = runStateFromName(run->record.state);
                           return state && isAllowed(*state, RunVerb::Delete);
                       });
    trash_->setEnabled(mayGo);
    trash_->setVisible(!inTrash);
    for (QAction* action : {restore_, deletePermanently_}) {
        action->setEnabled(inTrash && !runs.empty());
        action->setVisible(inTrash);
    }
    std::vector<RunRef> refs;
    for (const auto& run : runs) refs.push_back(run->record.ref);
    onRuns_->setRuns(std::move(refs));
    const QString target = targetOf(runs.empty() ? nullptr : &runs.front()->record, runs.size());
    setTarget(*rename_, tr("Rename %1"), target);
    setTarget(*tag_, tr("Edit tags of %1"), target);
    setTarget(*note_, tr("Add note to %1"), target);
    setTarget(*trash_, tr("Delete %1"), target);
    setTarget(*restore_, tr("Restore %1"), target);
    setTarget(*deletePermanently_, tr("Delete %1 permanently…"), target);
    setTarget(*export_, tr("Export %1…"), target);
}

void LibraryActions::rename(const std::string& run, const QString& name) {
    if (const Run* before = studio_.databases().run(refOf(run)))
        //: The edit in "Undo rename".
        edit(tr("rename"), {RenameRun{run, name.toStdString()}}, {RenameRun{run, before->name}});
}

void LibraryActions::tag(const std::string& run, const QStringList& tags) {
    const Run* before = studio_.databases().run(refOf(run));
    if (!before) return;
    std::vector<std::string> words;
    for (const QString& word : tags) words.push_back(word.toStdString());
    const auto added = without(words, before->tags), removed = without(before->tags, words);
    //: The edit in "Undo tags".
    edit(tr("tags"), {TagRun{run, added, removed}}, {TagRun{run, removed, added}});
}

void LibraryActions::trash() {
    const std::vector<RunPointer> runs = runs_.selectedRuns();
    if (runs.empty()) return;
    std::vector<Edit> forward, back;
    for (const auto& run : runs) {
        forward.emplace_back(TrashRun{run->record.id});
        back.emplace_back(RestoreRun{run->record.id});
    }
    const QString what = runs.size() == 1 ? tr("Deleted %1").arg(runLabel(runs.front()->record))
                                          : tr("Deleted %Ln run(s)", nullptr, int(runs.size()));
    //: The edit in "Undo delete".
    edit(tr("delete"), std::move(forward), std::move(back), [this, what] {
        studio_.report({StripKind::Info,
                        what,
                        tr("All data are kept under Deleted until you delete them permanently."),
                        {undo_},
                        QStringLiteral("deleted")});
    });
}

void LibraryActions::restore() {
    const std::vector<RunPointer> runs = runs_.selectedRuns();
    if (runs.empty()) return;
    std::vector<Edit> forward, back;
    for (const auto& run : runs) {
        forward.emplace_back(RestoreRun{run->record.id});
        back.emplace_back(TrashRun{run->record.id});
    }
    //: The edit in "Undo restore".
    edit(tr("restore"), std::move(forward), std::move(back), [this, count = int(runs.size())] {
        studio_.report(MessageStrip::Message{StripKind::Ok, tr("Restored %Ln run(s)", nullptr, count)});
    });
}

void LibraryActions::edit(const QString& words, std::vector<Edit> forward, std::vector<Edit> back, std::function<void()> done) {
    steps_.push(new EditStep(studio_.commander(), studio_.databases().currentNumber(), words,
                             {std::move(forward), std::move(back)}, std::move(done)));
}

void LibraryActions::deletePermanently() {
    std::vector<std::string> runs;  // none that is kept, whatever the table lists
    for (const auto& run : runs_.selectedRuns())
        if (run->record.trashed > 0) runs.push_back(run->record.id);
    if (runs.empty()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Delete permanently"),
                                tr("Delete %Ln run(s) permanently?", nullptr, int(runs.size())), QMessageBox::NoButton, &page_);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Their values, maps, notes and checkpoints are removed from %1 and from the disk. "
                               "This cannot be undone. Export the runs first to keep a copy.")
                                .arg(studio_.databases().current()->name()));
    auto* confirm = box->addButton(tr("Delete permanently"), QMessageBox::DestructiveRole);
    confirm->setObjectName(QStringLiteral("confirmDelete"));
    box->setDefaultButton(box->addButton(tr("Cancel"), QMessageBox::RejectRole));
    connect(confirm, &QPushButton::clicked, this, [this, runs] {
        steps_.clear();  // they may edit these runs
        for (const auto& run : runs) studio_.edit(DeleteRun{run});
        refresh();
    });
    box->open();
}

void LibraryActions::chooseExport() {
    const std::vector<std::string> runs = runs_.selected();
    if (runs.empty()) return;
    auto* dialog = new RunExportDialog(studio_.databases().currentFile(), runs, &page_);
    connect(dialog, &RunExportDialog::chosen, this,
            [this](const ExportChoice& choice, const QString& destination) { exportTo(destination, choice); });
    dialog->open();
}

void LibraryActions::exportTo(const QString& destination, const ExportChoice& choice) {
    const std::vector<std::string> runs = runs_.selected();
    if (runs.empty() || exporting_.isRunning()) return;
    exportPlace_ = destination;
    isWholeExport_ = choice.format.has_value();
    exportedRuns_ = qsizetype(runs.size());
    exporting_.start(Pool{}, [file = studio_.databases().currentFile(), runs, destination, choice](const TaskControl& task) {
        return choice.format ? exportedWhole(file, runs, {choice, destination}, task)
                             : exportedInto(file, runs, destination, task);
    });
    studio_.report(
        {StripKind::Info, tr("Exporting %Ln run(s)", nullptr, int(runs.size())), destination, {cancelExport_}, kExport});
    refresh();
}

void LibraryActions::takeExport(Result<WrittenRuns> written) {
    refresh();
    if (!written && isWholeExport_ && exporting_.isCancelled())
        return studio_.report(
            {StripKind::Info, tr("The export was cancelled. Nothing was written."), exportPlace_, {}, kExport});
    if (!written) {
        const Problem& problem = written.problem();
        return studio_.report(
            Problem{tr("The export stopped: %1").arg(problem.what), exportPlace_,
                    isWholeExport_ ? tr("The database is unchanged. Nothing was written.")
                                   : tr("The database is unchanged. Files that were already written are complete."),
                    problem.next.isEmpty() ? tr("Choose another name or folder.") : problem.next},
            kExport);
    }
    const QString done = tr("Exported %Ln run(s)", nullptr, int(written->runs));
    const bool isCut = written->runs < exportedRuns_;  // an export that is cancelled after its last run is complete
    const QString place = written->places.size() == 1 ? written->places.front() : exportPlace_;
    studio_.report({isCut ? StripKind::Info : StripKind::Ok,
                    isCut ? tr("The export was cancelled. %1").arg(done) : done,
                    (QStringList{place} + written->notes).join(QLatin1Char('\n')),
                    {},
                    kExport});
}

}  // namespace heddle::ui
