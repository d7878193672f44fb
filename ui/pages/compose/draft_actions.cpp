// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft_actions.h"

#include "engine/analysis/run_group.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/run_spec.h"
#include "ui/pages/compose/draft/built_model.h"
#include "ui/pages/compose/draft/matched_control.h"
#include "ui/pages/first_run.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_paint.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QStyleOptionButton>
#include <QToolBar>

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::ui {

/// Shows the name of the draft and whether it is modified; has a menu to open and save drafts.
class DraftButton : public QPushButton {
public:
    explicit DraftButton(QWidget* parent);
    void setWords(const QString& name, const QString& state);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString name_, state_;
};

DraftButton::DraftButton(QWidget* parent) : QPushButton(parent) {
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
}

void DraftButton::setWords(const QString& name, const QString& state) {
    name_ = name;
    state_ = state;
    setToolTip(state.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, state));
    setAccessibleDescription(toolTip());
    update();
}

QSize DraftButton::sizeHint() const { return {px(206), QPushButton::sizeHint().height()}; }

void DraftButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.features &= ~QStyleOptionButton::HasMenu;
    style()->drawPrimitive(QStyle::PE_PanelButtonCommand, &option, &painter, this);
    const int side = px(16);
    paint::glyph(painter, QRect(px(7), 0, side, height()), Icon::File, Theme::color(Token::Text), side);
    paint::glyph(painter, QRect(width() - side - px(6), 0, side, height()), Icon::ChevronDown, Theme::color(Token::Text2),
                 px(12));
    QRect line(px(28), 0, width() - px(28) - side - px(10), height());
    painter.setFont(strongFont(Type::Body));
    painter.setPen(Theme::color(isEnabled() ? Token::Text : Token::Disabled));
    const QString name = painter.fontMetrics().elidedText(name_, Qt::ElideRight, line.width());
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, name);
    line.setLeft(line.left() + painter.fontMetrics().horizontalAdvance(name) + px(8));
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(state_, Qt::ElideRight, line.width()));
}

DraftActions::DraftActions(VariantDraft& draft, VariantLibrary& library, Studio& studio, MessageStrip& strip, QWidget& page)
    : QObject(&page),
      save(makeAction(&page, {"saveVariant", tr("Save variant"), Icon::Save, QKeySequence::Save}, [this] { store(); })),
      rename(makeAction(&page, {"renameVariant", tr("Rename variant…"), Icon::Edit}, [this] { askForName(); })),
      undo(draft.histories().createUndoAction(&page, tr("Undo"))),
      redo(draft.histories().createRedoAction(&page, tr("Redo"))),
      pinDraft(makeAction(&page, {"pinDraft", tr("Pin as baseline"), Icon::Pin, Qt::Key_B, {}, Qt::WidgetShortcut})),
      control(makeAction(&page,
                         {"makeControl", tr("Make matched control"), Icon::Difference, Qt::Key_M, {}, Qt::WidgetShortcut},
                         [this] { openControl(); })),
      close(makeAction(&page, {"closeDraft", tr("Close draft")}, [this] { askAndClose(); })),
      plan(makeAction(&page, {"planExperiment", tr("Plan experiment…")})),
      draft_(draft),
      library_(library),
      studio_(studio),
      strip_(strip),
      page_(page),
      button_(new DraftButton(&page)),
      menu_(new QMenu(button_)),
      return_(makeAction(&page, {"returnToDraft", tr("Return to draft"), Icon::Undo}, [this] { show(previous_); })),
      sample_(makeAction(&page, {"trainSample", tr("Train the sample")})) {
    undo->setObjectName(QStringLiteral("undoEdit"));
    redo->setObjectName(QStringLiteral("redoEdit"));
    undo->setIcon(themeIcon(Icon::Undo));
    redo->setIcon(themeIcon(Icon::Redo));
    undo->setShortcut(QKeySequence::Undo);
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    for (QAction* action : {save, rename, undo, redo}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        page.addAction(action);
    }
    control->setToolTip(tr(
        "The same experiment with the baseline, whose feed-forward width is chosen so that it has as many parameters as this "
        "variant"));
    button_->setObjectName(QStringLiteral("draftButton"));
    button_->setAccessibleName(tr("Draft: new, open, save"));
    button_->setMenu(menu_);
    connect(menu_, &QMenu::aboutToShow, this, &DraftActions::fillMenu);
    connect(sample_, &QAction::triggered, this, [this] {
        strip_.hide();
        trainSample(studio_);
        studio_.go(PageId::Watch);
    });
    for (const auto emitted : {&VariantDraft::changed, &VariantDraft::nameChanged})
        connect(&draft, emitted, this, &DraftActions::refresh);
    for (const auto emitted : {&Databases::currentChanged, &Databases::runsChanged})
        connect(&studio.databases(), emitted, this, &DraftActions::offerSample);
    connect(&studio.colours(), &VariantColours::changed, this, &DraftActions::followPin);
    connect(&studio.databases(), &Databases::runsChanged, this, &DraftActions::followPin);
    refresh();
}

void DraftActions::refresh() {
    button_->setWords(draft_.name(), draft_.isModified() ? tr("modified") : QString());
    save->setEnabled(!draft_.name().isEmpty() && draft_.document().is_object());
    for (QAction* action : {rename, pinDraft, control, plan}) action->setEnabled(draft_.facts() != nullptr);
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

void DraftActions::open(const Json& document, const QString& name, const QString& seeds, VariantDraft::Opening opening) {
    const int before = draft_.id();
    const bool isUnsaved = draft_.isModified();
    const QString nameBefore = draft_.name();
    strip_.hide();  // its message is about another draft
    draft_.open(document, name, seeds, opening);
    if (isUnsaved || opening == VariantDraft::Opening::AsNew) previous_ = before;
    if (isUnsaved)
        strip_.showMessage({StripKind::Info,
                            tr("%1 is open. The draft %2 is not saved and stays open.").arg(draft_.name(), nameBefore),
                            {},
                            {return_}});
}

void DraftActions::openRun(const Json& document, const QString& name, const RunRef& run) {
    const bool isAdded = draft_.isModified();
    const Json seed = document.is_object() ? document.value("seed", Json(1)) : Json(1);
    open(document, name, text(seed.dump()));
    const auto take = [this, id = draft_.id(), isAdded](Result<BuiltComparison> found) {
        if (!found) return studio_.report(found.problem());
        if (draft_.id() == id && !draft_.isModified()) showBuilt(*found, id, isAdded);
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

void DraftActions::showBuilt(const BuiltComparison& found, int draft, bool isAdded) {
    const BuiltModel& built = found.built;
    draft_.setAssumed(built.sizes);
    const bool isSameCount = built.parameters == found.parameters, isSame = isSameCount && found.differences.empty();
    if (!isSameCount) draft_.setBuilt(draft, built.parameters);
    const QString& name = draft_.name();
    const QString title = isSame ? tr("%1 is shown as it was built: %2 parameters.").arg(name, count(built.parameters))
                          : isSameCount
                              ? tr("The model of %1 was built with other modules than its specification gives.").arg(name)
                              : tr("The model of %1 was built with %2 parameters, but its specification gives %3.")
                                    .arg(name, count(built.parameters), count(found.parameters));
    QString words = found.differences.empty() ? QString() : wordsOf(found.differences) + QLatin1Char(' ');
    words += tr("The vocabularies of its data have %1 / %2 entries.").arg(count(built.sizes.source), count(built.sizes.target));
    if (isAdded) words += QLatin1Char(' ') + tr("The previous draft stays open.");
    strip_.showMessage(
        {isSame ? StripKind::Info : StripKind::Warn, title, words, isAdded ? QList<QAction*>{return_} : QList<QAction*>{}});
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
        previous_ = draft_.openHidden(entry.document, entry.name);
        library_.readSaved();
        strip_.showMessage({StripKind::Info,
                            tr("%1 is deleted. It stays open as the draft %2, which you can save again.")
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
        studio_.colours().setPlannedBaseline(plannedKey(run.toJson().dump()), {draft_.baselineDocument(), name.toStdString()});
    } catch (const std::exception& error) {
        studio_.report(problemOf(error));
    }
}

/// Makes the pinned baseline of the current database the baseline of drafts, whichever page pinned it. If its variant is
/// unknown, because its runs are in no open database or were imported, drafts keep their baseline.
void DraftActions::followPin() {
    if (!studio_.databases().current()) return;  // without a database drafts keep their baseline
    const VariantColours& colours = studio_.colours();
    const std::string& group = colours.baseline();
    if (group == pinned_) return;
    const PinnedVariant& variant = colours.pinnedVariant();
    Json document = variant.document;
    QString name = QString::fromStdString(variant.name);
    if (group.empty()) {
        if (const PresetEntry* plain = library_.plain()) std::tie(document, name) = std::tie(plain->document, plain->name);
    } else if (!document.is_object()) {
        const auto& runs = studio_.databases().runs();
        const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run* run) {
            return run->groupKey == group && !run->damaged && !foreignSpec(run->spec);
        });
        if (found == runs.end()) return;
        document = parseJson((*found)->spec, "spec of run " + (*found)->id);
        name = text((*found)->name);
    }
    pinned_ = group;
    if (document.is_object() && asRunDocument(document) != draft_.baselineDocument()) draft_.setBaseline(document, name);
}

void DraftActions::openControl() {
    findControl(draft_, this, [this, seeds = draft_.seeds()](Result<NamedControl> found) {
        if (!found) return strip_.showMessage({StripKind::Warn, found.problem().what, found.problem().next});
        open(found->document, found->name, seeds, VariantDraft::Opening::AsNew);
        strip_.showMessage(
            {StripKind::Ok,
             tr("Matched control: %1 with f = %2, %3.").arg(found->baseline, count(found->width), found->difference),
             {},
             {return_}});
    });
}

void DraftActions::setActive(bool active) {
    isActive_ = active;
    offerSample();
}

void DraftActions::offerSample() {
    if (!isActive_) return;
    const Databases& databases = studio_.databases();
    const bool isEmpty = databases.current() && databases.runs().empty();
    const QString title = tr("No run is in this database yet");
    if (isSampleOffered_ && !isEmpty && strip_.title() == title) strip_.hide();
    if (!isEmpty || !strip_.isHidden() || std::exchange(isSampleOffered_, true)) return;
    strip_.showMessage({StripKind::Info,
                        title,
                        tr("%1 To train the draft below instead, use Plan experiment.").arg(sampleWords()),
                        {sample_}});
}

}  // namespace heddle::ui
