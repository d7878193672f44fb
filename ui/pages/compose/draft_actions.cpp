// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft_actions.h"

#include "engine/analysis/run_group.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "ui/pages/compose/draft/built_model.h"
#include "ui/pages/compose/draft/matched_control.h"
#include "ui/pages/compose/panels/draft_button.h"
#include "ui/pages/first_run.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QToolBar>

#include <utility>

namespace heddle::ui {

DraftActions::DraftActions(VariantDraft& draft, VariantLibrary& library, Studio& studio, MessageStrip& strip, QWidget& page)
    : QObject(&page),
      save(make(page, Icon::Save, tr("Save variant"), QKeySequence::Save)),
      rename(make(page, Icon::Edit, tr("Rename variant…"), {})),
      undo(draft.histories().createUndoAction(&page, tr("Undo"))),
      redo(draft.histories().createRedoAction(&page, tr("Redo"))),
      pinDraft(make(page, Icon::Pin, tr("Pin as baseline"), Qt::Key_B)),
      control(make(page, Icon::Difference, tr("Make matched control"), Qt::Key_M)),
      close(make(page, {}, tr("Close draft"), {})),
      draft_(draft),
      library_(library),
      studio_(studio),
      strip_(strip),
      page_(page),
      button_(new DraftButton(&page)),
      menu_(new QMenu(button_)),
      return_(make(page, Icon::Undo, tr("Return to it"), {})),
      sample_(make(page, {}, tr("Train the sample"), {})) {
    undo->setIcon(themeIcon(Icon::Undo));
    redo->setIcon(themeIcon(Icon::Redo));
    undo->setShortcut(QKeySequence::Undo);
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    for (QAction* action : {save, rename, undo, redo}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        page.addAction(action);
    }
    control->setToolTip(
        tr("This experiment with the baseline, whose feed-forward width gives it as many parameters as this variant"));
    return_->setObjectName(QStringLiteral("returnToDraft"));
    close->setObjectName(QStringLiteral("closeDraft"));
    button_->setAccessibleName(tr("Draft: new, open, save"));
    button_->setMenu(menu_);
    connect(menu_, &QMenu::aboutToShow, this, &DraftActions::fillMenu);
    connect(save, &QAction::triggered, this, &DraftActions::store);
    connect(rename, &QAction::triggered, this, &DraftActions::askForName);
    connect(control, &QAction::triggered, this, &DraftActions::openControl);
    connect(close, &QAction::triggered, this, &DraftActions::askAndClose);
    connect(return_, &QAction::triggered, this, [this] { show(previous_); });
    connect(sample_, &QAction::triggered, this, [this] {
        strip_.hide();
        trainSample(studio_);
        studio_.go(PageId::Watch);
    });
    for (const auto news : {&VariantDraft::changed, &VariantDraft::nameChanged})
        connect(&draft, news, this, &DraftActions::refresh);
    refresh();
}

QAction* DraftActions::make(QWidget& page, std::optional<Icon> icon, const QString& words, const QKeySequence& key) {
    auto* action = new QAction(words, &page);
    if (icon) action->setIcon(themeIcon(*icon));
    action->setShortcut(key);
    return action;
}

void DraftActions::refresh() {
    button_->setWords(draft_.name(), draft_.isModified() ? tr("modified") : QString());
    save->setEnabled(!draft_.name().isEmpty() && draft_.document().is_object());
    for (QAction* action : {rename, pinDraft, control}) action->setEnabled(draft_.facts() != nullptr);
}

void DraftActions::fillMenu() {
    menu_->clear();
    qDeleteAll(menu_->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));  // clear() keeps them
    const auto add = [this](QMenu& part, const PresetEntry& entry) {
        part.addAction(entry.name, this, [this, entry] { open(entry.document, entry.name); });
    };
    VariantLibrary::fill(*menu_->addMenu(tr("New from preset")), library_.shipped(), add);
    VariantLibrary::fill(*menu_->addMenu(tr("Open saved")), library_.saved(), add);
    if (draft_.drafts().size() > 1) {
        menu_->addSection(tr("Open drafts"));
        for (const auto& draft : draft_.drafts()) {
            QAction* action = menu_->addAction(draft->isModified() ? tr("%1, not saved").arg(draft->name) : draft->name, this,
                                               [this, id = draft->id] { show(id); });
            action->setCheckable(true);
            action->setChecked(draft->id == draft_.id());
        }
    }
    menu_->addSeparator();
    menu_->addActions({save, rename, pinDraft, close});
    close->setEnabled(draft_.drafts().size() > 1);
}

void DraftActions::open(const Json& document, const QString& name, const QString& seeds, VariantDraft::Place place) {
    const int before = draft_.id();
    const bool isUnsaved = draft_.isModified();
    const QString nameBefore = draft_.name();
    strip_.hide();  // what it says is about another draft
    draft_.open(document, name, seeds, place);
    if (isUnsaved || place == VariantDraft::Place::Beside) previous_ = before;
    if (isUnsaved)
        strip_.showMessage(
            {StripKind::Info,
             tr("%1 is open. The draft %2, which is not saved, stays open beside it.").arg(draft_.name(), nameBefore),
             {},
             {return_}});
}

void DraftActions::openRun(const Json& document, const QString& name, const RunRef& run) {
    const bool isBeside = draft_.isModified();
    const Json seed = document.is_object() ? document.value("seed", Json(1)) : Json(1);
    open(document, name, text(seed.dump()));
    const auto take = [this, id = draft_.id(), isBeside](Result<BuiltComparison> found) {
        if (!found) return studio_.report(found.problem());
        if (draft_.id() == id && !draft_.isModified()) showBuilt(*found, id, isBeside);
    };
    ask(
        this, studio_.databases().reader(run.database),
        [run = run.id](storage::RunQuery& query) { return readBuiltModel(query, run); },
        [this, document = draft_.document(), take](Result<std::optional<BuiltModel>> built) {
            if (!built) return studio_.report(built.problem());
            if (!*built) return;
            ask(
                this, Pool{}, [built = std::move(**built), document] { return compareBuilt(built, document); }, take);
        });
}

void DraftActions::showBuilt(const BuiltComparison& found, int draft, bool isBeside) {
    const BuiltModel& built = found.built;
    draft_.setAssumed(built.sizes);
    const bool isSameCount = built.parameters == found.parameters, isSame = isSameCount && found.differences.empty();
    if (!isSameCount) draft_.setBuilt(draft, built.parameters);
    const QString& name = draft_.name();
    const QString title = isSame        ? tr("%1 is drawn as it was built: %2 parameters.").arg(name, count(built.parameters))
                          : isSameCount ? tr("%1 was built with other modules than its specification comes to.").arg(name)
                                        : tr("%1 was built with %2 parameters, its specification comes to %3.")
                                              .arg(name, count(built.parameters), count(found.parameters));
    QString words = found.differences.empty() ? QString() : wordsOf(found.differences) + QLatin1Char(' ');
    words += tr("Its data had %1 / %2 words.").arg(count(built.sizes.source), count(built.sizes.target));
    if (isBeside) words += QLatin1Char(' ') + tr("The draft before stays open beside it.");
    strip_.showMessage(
        {isSame ? StripKind::Info : StripKind::Warn, title, words, isBeside ? QList<QAction*>{return_} : QList<QAction*>{}});
}

void DraftActions::show(int id) {
    strip_.hide();
    draft_.show(id);
}

void DraftActions::askAndClose() {
    const auto end = [this, id = draft_.id()] {
        strip_.hide();
        draft_.close(id);
    };
    if (!draft_.isModified()) return end();
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Close draft"), tr("The draft %1 is not saved.").arg(draft_.name()),
                                QMessageBox::Discard | QMessageBox::Cancel, &page_);
    box->setObjectName(QStringLiteral("closeDraftBox"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QDialog::finished, this, [end](int answer) {
        if (answer == QMessageBox::Discard) end();
    });
    box->open();
}

void DraftActions::askForName() {
    auto* dialog = new QInputDialog(&page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename variant"));
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(draft_.name());
    dialog->setOkButtonText(tr("Rename"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& name) { draft_.setName(name.trimmed()); });
    dialog->open();
}

void DraftActions::store() {
    const PutItem item{kVariantItem, draft_.name().toStdString(), draft_.document()};
    studio_.commander().edit(studio_.databases().currentNumber(), item,
                             [this, id = draft_.id(), name = draft_.name(), document = draft_.document()] {
                                 draft_.markSaved(id, document);
                                 library_.readSaved();
                                 strip_.showMessage({StripKind::Ok, tr("%1 is saved in the run database.").arg(name)});
                             });
}

void DraftActions::remove(const PresetEntry& entry) {
    const auto removed = [this, entry] {
        previous_ = draft_.keep(entry.document, entry.name);
        library_.readSaved();
        strip_.showMessage({StripKind::Info,
                            tr("%1 is deleted. It is open as the draft %2, which can be saved again.")
                                .arg(entry.name, draft_.drafts().back()->name),
                            {},
                            {return_}});
    };
    studio_.commander().edit(studio_.databases().currentNumber(), RemoveItem{kVariantItem, entry.name.toStdString()}, removed);
}

void DraftActions::addTools(QToolBar& bar) {
    bar.addWidget(button_);
    addButton(bar, save);
    bar.addSeparator();
    for (QAction* action : {undo, redo}) addButton(bar, action);
    bar.addSeparator();
}

void DraftActions::pinShown() {
    if (draft_.problems().empty()) pin(draft_.document(), draft_.name());
}

void DraftActions::pin(const Json& document, const QString& name) {
    draft_.setBaseline(document, name);
    try {
        const RunSpec run = RunSpec::parse(asRunDocument(document), builtinCatalogue());
        studio_.colours().setPlannedBaseline(plannedKey(run.toJson().dump()));
    } catch (const std::exception& error) {
        studio_.report(problemOf(error));
    }
}

void DraftActions::openControl() {
    findControl(draft_, this, [this, seeds = draft_.seeds()](Result<NamedControl> found) {
        if (!found) return strip_.showMessage({StripKind::Warn, found.problem().what, found.problem().next});
        open(found->document, found->name, seeds, VariantDraft::Place::Beside);
        strip_.showMessage(
            {StripKind::Ok,
             tr("Control of equal size: %1 with f = %2, %3.").arg(found->baseline, count(found->width), found->difference),
             {},
             {return_}});
    });
}

void DraftActions::offerSample() {
    const Databases& databases = studio_.databases();
    const bool isEmpty = databases.current() && databases.runs().empty();
    const QString title = tr("No run is in this database yet");
    if (isSampleOffered_ && !isEmpty && strip_.title() == title) strip_.hide();
    if (!isEmpty || !strip_.isHidden() || std::exchange(isSampleOffered_, true)) return;
    strip_.showMessage(
        {StripKind::Info, title, tr("%1 Plan experiment trains the draft below instead.").arg(sampleWords()), {sample_}});
}

}  // namespace heddle::ui
