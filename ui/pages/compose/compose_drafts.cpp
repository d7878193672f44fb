// SPDX-License-Identifier: GPL-3.0-or-later
// Where drafts come from and go to: presets, saved variants, the baseline, the matched control, runs.
#include "engine/analysis/run_group.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/diagram/diagram_export.h"
#include "ui/pages/compose/draft/matched_control.h"
#include "ui/pages/compose/panels/draft_button.h"
#include "ui/pages/compose/panels/parts_panel.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/pages/compose/plan/plan_panel.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/text/number.h"
#include "ui/text/problem.h"
#include "ui/threads/background.h"
#include "ui/threads/time_slices.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/picture.h"

#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>

#include <filesystem>
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

/// The runs of a plan. Throws where one of them cannot be queued.
std::vector<RunSpec> checkedRuns(const std::vector<PlanRow>& rows) {
    std::vector<RunSpec> specs;
    for (const PlanRow& row : rows)
        for (RunSpec& spec : runsOf(row, builtinCatalogue(), std::filesystem::current_path().string())) {
            requireDataFiles(spec.data);
            specs.push_back(std::move(spec));
        }
    return specs;
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
            if (!library.first || draft_.document().is_object()) {
                --reading_;
                return;
            }
            runInSlices(this, {[this, first = *library.first] { openFirst(first); },
                               [this, name = library.first->name] {
                                   if (draft_.name() == name && !site_) selectFirstDifference();
                                   --reading_;
                               }});
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
        });
}

void ComposePage::takeEntries() {
    std::vector<PresetEntry> all = saved_;
    all.insert(all.end(), shipped_.begin(), shipped_.end());
    parts_->presets().setEntries(std::move(all));
    parts_->refresh(draft_);
    findOver();
}

/// If there is no draft: opens the first one, and its baseline unless one is pinned.
void ComposePage::openFirst(const DraftOpening& first) {
    if (draft_.document().is_object()) return;
    if (draft_.baselineDocument().is_object()) return draft_.open(first.document, first.name);
    draft_.open(first);
}

void ComposePage::openDraft(const Json& document, const QString& name) {
    built_ = {};
    const bool unsaved = draft_.isModified() && draft_.document().is_object();
    const auto before = std::pair(draft_.document(), draft_.name());
    draft_.open(document, name);
    fitted_ = false;
    fitOnce();
    if (!unsaved) return strip_->hide();
    leftBehind_ = before;
    return_->setEnabled(true);
    strip_->showMessage(
        {StripKind::Info, tr("%1 is open. The draft %2 was not saved.").arg(name, before.second), {}, {return_}});
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
    menu->addSeparator();
    menu->addActions({save_, rename_, pin_});
}

void ComposePage::save() {
    const PutItem item{kVariant, draft_.name().toStdString(), draft_.document()};
    studio().commander().edit(studio().databases().currentNumber(), item,
                              [this, name = draft_.name(), document = draft_.document()] {
                                  if (draft_.name() == name && draft_.document() == document) draft_.markSaved();
                                  readSaved();
                                  strip_->showMessage({StripKind::Ok, tr("%1 is saved in the run database.").arg(name)});
                              });
}

void ComposePage::removeSaved(const PresetEntry& entry) {
    studio().commander().edit(
        studio().databases().currentNumber(), RemoveItem{kVariant, entry.name.toStdString()}, [this, entry] {
            leftBehind_ = {entry.document, entry.name};
            return_->setEnabled(true);
            readSaved();
            strip_->showMessage({StripKind::Info,
                                 tr("%1 is deleted. Return to it opens it as a draft that can be saved again.").arg(entry.name),
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
        const auto before = std::pair(draft_.document(), draft_.name());
        openDraft(found.control.document, found.name);
        leftBehind_ = before;
        return_->setEnabled(true);
        strip_->showMessage(
            {StripKind::Ok,
             tr("Control of equal size: %1 with f = %2, %3.").arg(found.baseline, count(found.control.width), found.difference),
             {},
             {return_}});
    });
}

void ComposePage::addControlToPlan() {
    findControl([this](const NamedControl& found) {
        table_->model().add({found.name.toStdString(), found.control.document, {}, readSeeds(plan_->seeds())},
                            tr("control: %1").arg(found.difference));
    });
}

void ComposePage::refreshPlan() {
    if (draft_.document().is_object()) {
        table_->setDraft(plan_->row(), draft_.assumed());
        std::optional<PlanRow> baseline;
        if (draft_.baselineFacts())
            baseline = PlanRow{
                draft_.baselineName().toStdString(), controlDocument(draft_.document(), draft_.baselineDocument()), {}, {1}};
        table_->setBaseline(baseline);
    }
    showSteps();
    autosave_.start();
}

void ComposePage::showSteps() { totals_->showStep(table_->stepOfDraft(), table_->stepOfBaseline()); }

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

void ComposePage::showPlan() {
    docks_.back()->show();
    bottom_->setCurrentWidget(table_);
    growBottom();
    table_->setFocus(Qt::ShortcutFocusReason);
}

void ComposePage::startRuns() {
    table_->setStarting(true);
    inBackground(
        this, [rows = table_->model().included()] { return checkedRuns(rows); },
        [this](const std::vector<RunSpec>& specs) {
            table_->setStarting(false);
            bool next = true;
            const int database = studio().databases().currentNumber();
            for (const RunSpec& spec : specs)
                studio().commander().submit(database, spec, [this, isFirst = std::exchange(next, false)](const RunRef& run) {
                    if (!isFirst) return;
                    studio().setCurrentRun(run);
                    studio().go(PageId::Watch);
                });
        },
        [this](Problem problem) {
            table_->setStarting(false);
            problem.safe = tr("nothing was queued");
            studio().report(problem);
        });
}

}  // namespace heddle::ui
