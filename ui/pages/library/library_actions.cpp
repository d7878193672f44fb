// SPDX-License-Identifier: GPL-3.0-or-later
// LibraryPage: actions on runs. The transition table has the verbs.
#include "ui/pages/library/library_page.h"
#include "ui/pages/library/run_export.h"
#include "ui/pages/library/run_panel.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/threads/background.h"

#include <QAction>
#include <QFileDialog>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

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

/// Whether there are runs and `may` holds for the states of all.
template <class May>
bool all(const std::vector<Run>& runs, const May& may) {
    return !runs.empty() && std::all_of(runs.begin(), runs.end(), [&](const auto& run) {
        const auto state = runStateFromName(run.state);
        return state && may(*state);
    });
}

/// Those of `words` that are not in `others`.
std::vector<std::string> without(std::vector<std::string> words, const std::vector<std::string>& others) {
    std::erase_if(words, [&](const auto& word) { return std::find(others.begin(), others.end(), word) != others.end(); });
    return words;
}

}  // namespace

/// Adds Undo or Redo, whose texts name the step.
QAction* LibraryPage::addStep(QAction* action, Icon icon, const QKeySequence& key) {
    action->setIcon(themeIcon(icon));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    return action;
}

void LibraryPage::buildActions() {
    QWidget* rows = &runs_->table();
    const auto add = [this](Icon icon, const QString& text, const QKeySequence& key, const std::function<void()>& does,
                            QWidget* scope = nullptr) {
        QAction* action = viewAction(text, key, does);
        if (scope) action->setShortcutContext(Qt::WidgetShortcut);  // not while a cell is edited: Enter ends the edit
        action->setIcon(themeIcon(icon));
        (scope ? scope : this)->addAction(action);
        return action;
    };
    open_ = add(Icon::Folder, tr("Open database…"), {}, [this] { chooseFile(OpenMode::Existing); });
    open_->setIconText(tr("Open…"));
    create_ = add(Icon::Plus, tr("New database…"), {}, [this] { chooseFile(OpenMode::Create); });
    create_->setIconText(tr("New…"));
    openChosen_ = add(
        Icon::Folder, tr("Open this database"), Qt::Key_Return, [this] { openChosen(); }, databaseView_);
    openChosen_->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    locate_ = add(
        Icon::Search, tr("Locate…"), Qt::CTRL | Qt::Key_L, [this] { locateChosen(); }, databaseView_);
    openBeside_ = add(
        Icon::Folder, tr("Open beside"), Qt::SHIFT | Qt::Key_Return, [this] { openChosenBeside(); }, databaseView_);
    close_ = add(
        Icon::Cross, tr("Close database"), Qt::CTRL | Qt::Key_W, [this] { closeChosen(); }, databaseView_);
    removeFromList_ = add(
        Icon::Cross, tr("Remove from list"), Qt::Key_Delete, [this] { removeChosen(); }, databaseView_);
    verify_ = add(Icon::Shield, tr("Verify database"), {}, [this] { startVerify(); });
    rename_ = add(
        Icon::Edit, tr("Rename"), Qt::Key_F2, [this] { runs_->edit(RunColumn::Name); }, rows);
    tag_ = add(
        Icon::Tag, tr("Tags"), Qt::CTRL | Qt::Key_T, [this] { runs_->edit(RunColumn::Tags); }, rows);
    note_ = add(Icon::Note, tr("Note"), {}, [this] { details_->noteField().setFocus(Qt::ShortcutFocusReason); });
    delete_ = add(
        Icon::Trash, tr("Delete"), Qt::Key_Delete, [this] { deleteRuns(); }, rows);
    undo_ = addStep(edits_.createUndoAction(this, tr("Undo")), Icon::Undo, QKeySequence::Undo);
    redo_ = addStep(edits_.createRedoAction(this, tr("Redo")), Icon::Redo, QKeySequence::Redo);
    restore_ = add(Icon::Undo, tr("Restore"), {}, [this] { restoreRuns(runs_->selected()); });
    deleteForGood_ = add(
        Icon::Trash, tr("Delete for good…"), Qt::SHIFT | Qt::Key_Delete, [this] { deleteForGood(); }, rows);
    onRuns_ = new RunActions(studio(), this);
    QAction *pause = &onRuns_->action(RunVerb::Pause), *resume = &onRuns_->action(RunVerb::Resume),
            *stop = &onRuns_->action(RunVerb::Stop);
    watch_ = &onRuns_->watch();
    compare_ = &onRuns_->compare();
    clone_ = &onRuns_->clone();
    watch_->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    watch_->setShortcutContext(Qt::WidgetShortcut);
    export_ = add(Icon::Export, tr("Export runs…"), {}, [this] { chooseExportFolder(); });
    makeExport(*export_);
    find_ = add(
        Icon::Filter, tr("Filter runs"), Qt::Key_Slash, [this] { runs_->filter().setFocus(Qt::ShortcutFocusReason); }, rows);
    const auto menu = [this](QWidget* view, const QList<QAction*>& actions) {
        view->setContextMenuPolicy(Qt::ActionsContextMenu);
        for (QAction* action : actions)
            if (!view->actions().contains(action)) view->addAction(action);
    };
    menu(rows, {watch_, compare_, clone_, &onRuns_->inspect(), &onRuns_->fork(), rename_, tag_, note_, resume, pause, stop,
                export_, delete_, restore_, deleteForGood_});
    menu(databaseView_, {openChosen_, openBeside_, close_, locate_, removeFromList_});
    for (QAction* action : {watch_, compare_, clone_, tag_, resume, stop, export_, delete_, restore_, deleteForGood_})
        runs_->addButton(*action);
}

QList<QAction*> LibraryPage::editActions() const {
    return {undo_, redo_, rename_, tag_, note_, find_, delete_, restore_, deleteForGood_};
}
QList<QAction*> LibraryPage::fileActions() const {
    return {openChosen_, openBeside_, close_, locate_, removeFromList_, verify_};
}
QList<QAction*> LibraryPage::runActions() const {
    QList<QAction*> actions{watch_, &onRuns_->inspect(), compare_, clone_, &onRuns_->fork()};
    for (const RunVerb verb : {RunVerb::Resume, RunVerb::Pause, RunVerb::Stop, RunVerb::Checkpoint})
        actions << &onRuns_->action(verb);
    return actions << export_;
}

RunRef LibraryPage::refOf(const std::string& run) const { return {studio().databases().currentNumber(), run}; }

std::vector<Run> LibraryPage::chosenRuns() const {
    std::vector<Run> runs;
    for (const auto& id : runs_->selected())
        if (const Run* run = studio().databases().run(refOf(id))) runs.push_back(*run);
    return runs;
}

void LibraryPage::updateActions() {
    const auto runs = chosenRuns();
    const bool trash = runs_->view() == RunView::Deleted, any = !runs.empty(), one = runs.size() == 1;
    export_->setEnabled(any);
    export_->setToolTip(any ? QString() : tr("Select the runs to export first"));
    for (QAction* action : {rename_, tag_, note_}) action->setEnabled(one);
    delete_->setEnabled(all(runs, [](RunState s) { return isAllowed(s, RunVerb::Delete); }));
    delete_->setVisible(!trash);
    std::vector<RunRef> refs;
    for (const auto& id : runs_->selected()) refs.push_back(refOf(id));
    onRuns_->setRuns(std::move(refs));
    const bool deleted = trash && !runs_->selected().empty();
    for (QAction* action : {restore_, deleteForGood_}) {
        action->setEnabled(deleted);
        action->setVisible(trash);
    }
    verify_->setEnabled(studio().databases().current() && !job_);
    const auto kind = chosenKind();
    const bool isOpen = kind == DatabaseEntry::Kind::Open, isRecent = kind == DatabaseEntry::Kind::Recent;
    openChosen_->setText(isOpen ? tr("Make current") : tr("Open this database"));
    openChosen_->setEnabled(isOpen || isRecent);
    close_->setEnabled(isOpen || kind == DatabaseEntry::Kind::Current);
    const bool missing = kind == DatabaseEntry::Kind::Missing;
    locate_->setEnabled(missing);
    removeFromList_->setEnabled(isRecent || missing);
    removeFromList_->setText(missing ? tr("Forget") : tr("Remove from list"));
    nameTargets();
}

/// Puts the selected runs into the texts of the actions.
void LibraryPage::nameTargets() {
    const auto chosen = runs_->selected();
    const RunDatabase* current = studio().databases().current();
    const Run* first = chosen.empty() || !current ? nullptr : current->run(chosen.front());
    if (current && !chosen.empty() && !first)
        for (const Run& run : current->trashedRuns())
            if (run.id == chosen.front()) first = &run;
    const QString target = targetOf(first, chosen.size());
    setTarget(*rename_, tr("Rename %1"), target);
    setTarget(*tag_, tr("Tags of %1"), target);
    setTarget(*note_, tr("Note on %1"), target);
    setTarget(*delete_, tr("Delete %1"), target);
    setTarget(*restore_, tr("Restore %1"), target);
    setTarget(*deleteForGood_, tr("Delete %1 for good…"), target);
    setTarget(*export_, tr("Export %1…"), target);
}

void LibraryPage::deleteRuns() {
    const auto runs = chosenRuns();
    if (runs.empty()) return;
    std::vector<Edit> forward, back;
    for (const Run& run : runs) {
        forward.emplace_back(TrashRun{run.id});
        back.emplace_back(RestoreRun{run.id});
    }
    const QString what =
        runs.size() == 1 ? tr("Deleted %1").arg(runLabel(runs.front())) : tr("Deleted %Ln run(s)", nullptr, int(runs.size()));
    edit(tr("delete"), std::move(forward), std::move(back), [this, what] {
        studio().report({StripKind::Info,
                         what,
                         tr("Nothing is gone yet: it stays whole under Deleted."),
                         {undo_},
                         QStringLiteral("deleted")});
    });
}

void LibraryPage::renameRun(const std::string& run, const QString& name) {
    if (const Run* before = studio().databases().run(refOf(run)))
        edit(tr("rename"), {RenameRun{run, name.toStdString()}}, {RenameRun{run, before->name}});
}

void LibraryPage::tagRun(const std::string& run, const QStringList& tags) {
    const Run* before = studio().databases().run(refOf(run));
    if (!before) return;
    std::vector<std::string> words;
    for (const QString& word : tags) words.push_back(word.toStdString());
    const auto added = without(words, before->tags), removed = without(before->tags, words);
    edit(tr("tags"), {TagRun{run, added, removed}}, {TagRun{run, removed, added}});
}

void LibraryPage::edit(const QString& words, std::vector<Edit> forward, std::vector<Edit> back, std::function<void()> done) {
    edits_.push(new EditStep(studio().commander(), studio().databases().currentNumber(), words,
                             {std::move(forward), std::move(back)}, std::move(done)));
}

void LibraryPage::restoreRuns(const std::vector<std::string>& runs) {
    if (runs.empty()) return;
    std::vector<Edit> forward, back;
    for (const auto& run : runs) {
        forward.emplace_back(RestoreRun{run});
        back.emplace_back(TrashRun{run});
    }
    edit(tr("restore"), std::move(forward), std::move(back), [this, count = int(runs.size())] {
        studio().report(MessageStrip::Message{StripKind::Ok, tr("Restored %Ln run(s)", nullptr, count)});
    });
}

void LibraryPage::deleteForGood() {
    const std::vector<std::string> runs = runs_->selected();
    if (runs.empty() || runs_->view() != RunView::Deleted) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Delete for good"),
                                tr("Delete %Ln run(s) for good?", nullptr, int(runs.size())), QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Their values, maps, notes and checkpoints are removed from %1 and from the disk. "
                               "This cannot be undone; export them first if in doubt.")
                                .arg(studio().databases().current()->name()));
    auto* go = box->addButton(tr("Delete for good"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Keep"), QMessageBox::RejectRole));
    connect(go, &QPushButton::clicked, this, [this, runs] {
        edits_.clear();  // steps may be about these
        for (const auto& run : runs) studio().edit(DeleteRun{run});
        updateActions();
    });
    box->open();
}

void LibraryPage::chooseExportFolder() {
    auto* dialog = new QFileDialog(this, tr("Export runs into a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &LibraryPage::exportTo);
    dialog->open();
}

void LibraryPage::exportTo(const QString& folder) {
    const std::vector<std::string> runs = runs_->selected();
    if (runs.empty()) return;
    ++exports_;
    inBackground(
        this,
        [file = studio().databases().currentFile(), runs, folder] {
            QStringList places;
            for (const auto& run : runs) places << exportRun(file, run, folder);
            return places;
        },
        [this, folder](const QStringList& places) {
            --exports_;
            studio().report(MessageStrip::Message{StripKind::Ok, tr("Exported %Ln run(s)", nullptr, int(places.size())),
                                                  places.size() == 1 ? places.front() : folder});
        },
        [this, folder](const Problem& problem) {
            --exports_;
            studio().report(Problem{tr("The export stopped: %1").arg(problem.what), folder,
                                    tr("The database is untouched; files written before are complete."),
                                    tr("Choose another folder.")});
        });
}

}  // namespace heddle::ui
