// SPDX-License-Identifier: GPL-3.0-or-later
// Where drafts come from and go to: presets, saved variants, the baseline, the matched control, runs.
#include "engine/analysis/run_group.h"
#include "engine/spec/catalogue.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/diagram/diagram_export.h"
#include "ui/pages/compose/draft/matched_control.h"
#include "ui/pages/compose/panels/draft_button.h"
#include "ui/pages/compose/panels/parts_panel.h"
#include "ui/text/number.h"
#include "ui/text/problem.h"
#include "ui/threads/background.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/picture.h"

#include <QApplication>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QTreeView>

#include <utility>

namespace heddle::ui {
namespace {

constexpr char kVariant[] = "variant";  // kind of the database's items

struct Library {
    std::vector<PresetEntry> entries;
    std::optional<DraftOpening> first;
    std::optional<Problem> problem;
};

/// The first start: the first group's plainest variant as the baseline and its most special one as the draft.
std::optional<DraftOpening> firstOpening(const std::vector<PresetEntry>& entries, const AssumedVocabulary& assumed) {
    const PresetEntry *plain = nullptr, *special = nullptr;
    for (const auto& entry : entries) {
        if (entry.group != entries.front().group) continue;
        if (entry.special.empty()) plain = &entry;
        if (!special || entry.special.size() > special->special.size()) special = &entry;
    }
    if (!plain || !special) return std::nullopt;
    return prepareOpening({special->document, special->name}, {plain->document, plain->name}, assumed);
}

Library readShipped(const AssumedVocabulary& assumed) {
    Library library;
    try {
        library.entries = readPresets(assumed);
        library.first = firstOpening(library.entries, assumed);
    } catch (const std::exception& error) {
        library.problem = problemOf(error);
    }
    return library;
}

}  // namespace

void ComposePage::readLibrary() {
    ++reading_;
    inBackground(
        this, [assumed = draft_.assumed()] { return readShipped(assumed); },
        [this](Library library) {
            shipped_ = std::move(library.entries);
            if (library.problem) studio().report(*library.problem);
            takeEntries();
            --reading_;
            if (!library.first || draft_.document().is_object()) return;
            if (draft_.baselineDocument().is_object())  // pinned
                draft_.open(library.first->document, library.first->name);
            else
                draft_.open(*library.first);
            if (!site_) selectFirstDifference();
        },
        [this](const Problem& problem) {
            --reading_;
            studio().report(problem);
        });
}

void ComposePage::readSaved() {
    const int database = studio().databases().currentNumber();
    if (database == 0) {
        saved_.clear();
        savedOf_ = 0;
        return takeEntries();
    }
    studio().databases().read(
        database, this,
        [assumed = draft_.assumed()](storage::RunQuery& query) {
            std::vector<PresetEntry> saved;
            for (const auto& item : query.items(kVariant)) saved.push_back(savedEntry(item.key, item.body, assumed));
            return saved;
        },
        [this, database](std::vector<PresetEntry> saved) {
            if (database != studio().databases().currentNumber()) return;
            const auto same = [](const PresetEntry& a, const PresetEntry& b) {
                return a.name == b.name && a.document == b.document;
            };
            savedOf_ = database;
            if (std::equal(saved.begin(), saved.end(), saved_.begin(), saved_.end(), same)) return findOver();
            saved_ = std::move(saved);
            takeEntries();
        },
        [this](const Problem& problem) { studio().report(problem); });
}

void ComposePage::takeEntries() {
    std::vector<PresetEntry> all = saved_;
    all.insert(all.end(), shipped_.begin(), shipped_.end());
    parts_->presets().setEntries(std::move(all));
    parts_->refresh(draft_);
    findOver();
}

void ComposePage::openDraft(const Json& document, const QString& name, const QString& seeds, VariantDraft::Place place) {
    const int before = draft_.id();
    const bool isUnsaved = draft_.isModified();
    const QString nameBefore = draft_.name();
    draft_.open(document, name, seeds, place);
    draftOpened();
    if (isUnsaved || place == VariantDraft::Place::Beside) previous_ = before;
    if (isUnsaved)
        strip_->showMessage(
            {StripKind::Info,
             tr("%1 is open. The draft %2, which is not saved, stays open beside it.").arg(draft_.name(), nameBefore),
             {},
             {return_}});
}

void ComposePage::draftOpened() {
    built_ = {};
    showBuilt();
    strip_->hide();
    fitted_ = false;
    fitOnce();
}

void ComposePage::showDraft(int id) {
    draft_.show(id);
    draftOpened();
}

void ComposePage::closeDraft() {
    const auto close = [this, id = draft_.id()] {
        draft_.close(id);
        draftOpened();
    };
    if (!draft_.isModified()) return close();
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Close draft"), tr("The draft %1 is not saved.").arg(draft_.name()),
                                QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("closeDraftBox"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QDialog::finished, this, [close](int answer) {
        if (answer == QMessageBox::Discard) close();
    });
    box->open();
}

void ComposePage::offerSample() {
    const Databases& databases = studio().databases();
    const bool isEmpty = databases.current() && databases.runs().empty();
    if (isSampleOffered_ && !isEmpty && strip_->title() == tr("No run is in this database yet")) strip_->hide();
    if (!shown_ || !isEmpty || !strip_->isHidden() || std::exchange(isSampleOffered_, true)) return;
    strip_->showMessage({StripKind::Info,
                         tr("No run is in this database yet"),
                         tr("%1 Plan experiment trains the draft below instead.").arg(EmptyState::sampleWords()),
                         {sample_}});
}

void ComposePage::addEntries(QMenu& menu, const std::vector<PresetEntry>& entries,
                             const std::function<void(QMenu&, const PresetEntry&)>& add) {
    menu.setEnabled(!entries.empty());
    QString group;
    for (const auto& entry : entries) {
        if (entry.group != group && !entry.isSaved) menu.addSection(group = entry.group);
        add(menu, entry);
    }
}

void ComposePage::fillDraftMenu() {
    QMenu* menu = draftButton_->menu();
    menu->clear();
    const auto open = [this](QMenu& part, const PresetEntry& entry) {
        part.addAction(entry.name, this, [this, entry] { openDraft(entry.document, entry.name); });
    };
    addEntries(*menu->addMenu(tr("New from preset")), shipped_, open);
    addEntries(*menu->addMenu(tr("Open saved")), saved_, open);
    if (draft_.drafts().size() > 1) {
        menu->addSection(tr("Open drafts"));
        for (const auto& draft : draft_.drafts()) {
            QAction* action = menu->addAction(draft->isModified() ? tr("%1, not saved").arg(draft->name) : draft->name, this,
                                              [this, id = draft->id] { showDraft(id); });
            action->setCheckable(true);
            action->setChecked(draft->id == draft_.id());
        }
    }
    menu->addSeparator();
    menu->addActions({save_, rename_, pin_, close_});
    close_->setEnabled(draft_.drafts().size() > 1);
}

void ComposePage::save() {
    const PutItem item{kVariant, draft_.name().toStdString(), draft_.document()};
    studio().commander().edit(studio().databases().currentNumber(), item,
                              [this, id = draft_.id(), name = draft_.name(), document = draft_.document()] {
                                  draft_.markSaved(id, document);
                                  readSaved();
                                  strip_->showMessage({StripKind::Ok, tr("%1 is saved in the run database.").arg(name)});
                              });
}

void ComposePage::removeSaved(const PresetEntry& entry) {
    studio().commander().edit(
        studio().databases().currentNumber(), RemoveItem{kVariant, entry.name.toStdString()}, [this, entry] {
            previous_ = draft_.keep(entry.document, entry.name);
            readSaved();
            strip_->showMessage({StripKind::Info,
                                 tr("%1 is deleted. It is open as the draft %2, which can be saved again.")
                                     .arg(entry.name, draft_.drafts().back()->name),
                                 {},
                                 {return_}});
        });
}

void ComposePage::rename() {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename variant"));
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(draft_.name());
    dialog->setOkButtonText(tr("Rename"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& name) { draft_.setName(name.trimmed()); });
    dialog->open();
}

void ComposePage::pinBaseline() {
    const auto* tree = qobject_cast<QTreeView*>(QApplication::focusWidget());
    const PresetEntry* entry =
        tree && parts_->isAncestorOf(tree) && parts_->currentIndex() == 0 ? parts_->currentPreset() : nullptr;
    if (entry) return pin(Json(entry->document), QString(entry->name));
    if (draft_.problems().empty()) pin(draft_.document(), draft_.name());
}

void ComposePage::pin(const Json& document, const QString& name) {
    draft_.setBaseline(document, name);
    if (!draft_.baselineFacts()) return;
    const RunSpec run = RunSpec::parse(asRunDocument(document), builtinCatalogue());
    studio().setPlannedBaseline(plannedKey(run.toJson().dump()));
}

/// Makes the baseline as large as the draft on a pool thread and passes it to `take`. If there is none, a message says why.
void ComposePage::findControl(const std::function<void(const NamedControl&)>& take) {
    if (!draft_.facts() || !draft_.baselineFacts()) {
        strip_->showMessage({StripKind::Info, tr("No baseline is pinned: pin one first (B in the list of presets).")});
        return;
    }
    const std::int64_t wanted = draft_.facts()->cost.parameters;
    inBackground(
        this,
        [draft = draft_.document(), baseline = draft_.baselineDocument(), wanted, assumed = draft_.assumed()] {
            return matchedControl(controlDocument(draft, baseline), wanted, assumed);
        },
        // The page may show another draft by then.
        [this, take, wanted, variant = draft_.name(), baseline = draft_.baselineName()](std::optional<MatchedControl> control) {
            if (!control) {
                strip_->showMessage(
                    {StripKind::Warn, tr("No feed-forward width gives %1 as many parameters as %2.").arg(baseline, variant)});
                return;
            }
            const std::int64_t off = control->parameters - wanted;
            take({*control, tr("%1-f%2").arg(baseline).arg(control->width), baseline,
                  off == 0 ? tr("exactly as many parameters as %1").arg(variant)
                           : tr("%1 parameters beside %2").arg(signedNumber(double(off), 0), variant)});
        },
        [this](const Problem& problem) { studio().report(problem); });
}

void ComposePage::makeMatchedControl() {
    findControl([this](const NamedControl& found) {
        openDraft(found.control.document, found.name, draft_.seeds(), VariantDraft::Place::Beside);
        strip_->showMessage(
            {StripKind::Ok,
             tr("Control of equal size: %1 with f = %2, %3.").arg(found.baseline, count(found.control.width), found.difference),
             {},
             {return_}});
    });
}

void ComposePage::exportDiagram() {
    openExportDialog({tr("Export diagram"), pictureFilters(), draft_.name()}, this, [this](const QString& file) {
        DiagramOptions options = options_;
        options.selected.reset();
        try {
            writeDiagram(layoutDiagram(draft_, options), draft_.name(), file);
        } catch (const std::exception& error) {
            studio().report(Problem{tr("The diagram was not exported: %1").arg(problemOf(error).what), file, {}, {}});
        }
    });
}

}  // namespace heddle::ui
