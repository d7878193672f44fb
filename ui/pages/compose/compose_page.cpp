// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/compose_page.h"

#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/draft/memory_meter.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/pages/compose/panels/data_panel.h"
#include "ui/pages/compose/panels/dims_panel.h"
#include "ui/pages/compose/panels/draft_button.h"
#include "ui/pages/compose/panels/json_panel.h"
#include "ui/pages/compose/panels/part_inspector.h"
#include "ui/pages/compose/panels/parts_panel.h"
#include "ui/pages/compose/panels/table_models.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/pages/compose/plan/plan_panel.h"
#include "ui/pages/compose/plan/plan_table.h"
#include "ui/text/number.h"

#include <QAction>
#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kAutosaveMs = 1000;

}  // namespace

ComposePage::ComposePage(Studio& studio)
    : Page(studio, PageId::Compose, QStringLiteral("compose")),
      draft_(nullptr),
      meter_(new MemoryMeter(studio, this)),
      baselineMeter_(new MemoryMeter(studio, this)) {
    makeActions();
    makeToolBar();
    makeMiddle();
    makeLeft();
    makeRight();
    makeBottom();
    connectParts();
    autosave_.setSingleShot(true);
    autosave_.setInterval(kAutosaveMs);
    connect(&autosave_, &QTimer::timeout, this, [this] { saveSession(this->studio().settings()); });
    connect(&draft_, &VariantDraft::changed, this, &ComposePage::draftChanged);
    for (const MemoryMeter* meter : {meter_, baselineMeter_})
        connect(meter, &MemoryMeter::changed, this, &ComposePage::showMemory);
    connect(&draft_, &VariantDraft::nameChanged, this, &ComposePage::nameChanged);
    connect(&draft_, &VariantDraft::failed, this, [this](const Problem& problem) { this->studio().report(problem); });
    connect(&studio, &Studio::composeRequested, this,
            [this](const Json& document, const QString& name, const RunRef& run, const std::string& key) {
                if (run.empty()) return openDraft(document, name);
                const Json seed = document.is_object() ? document.value("seed", Json(1)) : Json(1);
                openDraft(document, name, text(seed.dump()));
                table_->model().setTicked(QStringLiteral("1"));  // its other rows belong to another experiment
                countAsBuilt(run);
                if (key.empty()) return;
                bottom_->setCurrentWidget(json_);
                json_->goTo(key);
            });
    Databases& databases = studio.databases();
    connect(&databases, &Databases::currentChanged, this, &ComposePage::readSaved);
    for (const auto news : {&Databases::currentChanged, &Databases::runsChanged})
        connect(&databases, news, this, &ComposePage::offerSample);
    for (const auto news : {&Databases::opened, &Databases::closed}) connect(&databases, news, this, &ComposePage::findOver);
    connect(&databases, &Databases::changed, this, [this] {
        if (shown_) readSaved();
    });
    rememberLayout();
    readLibrary();
    draftChanged();
}

ComposePage::~ComposePage() { draft_.disconnect(this); }

QList<QAction*> ComposePage::editActions() const {
    return {undo_,      redo_,    save_,  rename_, copyLayer_, pasteLayer_, pasteOnto_,
            carryFrom_, earlier_, later_, export_, find_,      pin_,        matched_};
}

QList<QAction*> ComposePage::viewActions() const {
    return {unfold_, mark_, overMenu_->menuAction(), carries_, zoomIn_, zoomOut_, zoomReset_, fit_};
}

QList<QAction*> ComposePage::runActions() const { return {planAction_}; }

void ComposePage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) return;
    readSaved();
    offerSample();
    meter_->setFacts(draft_.facts());
    baselineMeter_->setFacts(draft_.baselineFacts());
    fitOnce();
}

/// Fits the diagram to the view the first time that there is one, after the layout has given the view its size.
void ComposePage::fitOnce() {
    if (fitted_ || !shown_ || !draft_.facts()) return;
    QTimer::singleShot(0, this, [this] {
        if (!std::exchange(fitted_, true)) view_->fit(DiagramView::Fit::Readable);
    });
}

bool ComposePage::isSettled() const {
    return reading_ == 0 && draft_.isSettled() && draft_.facts() && (fitted_ || !shown_) && meter_->isSettled() &&
           baselineMeter_->isSettled() && table_->isSettled();
}

void ComposePage::connectParts() {
    connect(view_, &DiagramView::siteChosen, this, [this](const std::optional<SlotSite>& site) {
        if (site) docks_[1]->raise();
        setSite(site);
    });
    connect(view_, &DiagramView::inspectRequested, this, [this] {
        docks_[1]->show();
        docks_[1]->raise();
        inspector_->focusChoices();
    });
    connect(view_, &DiagramView::blockAdded, this, [this](const SlotSite& site, const std::string& block) {
        draft_.chooseBlock(site, VariantDraft::Reach::Site, block);
        setSite(site);
    });
    connect(view_, &DiagramView::sublayerDropped, &draft_, &VariantDraft::moveSublayer);
    connect(view_, &DiagramView::carryDrawn, this, [this](const SlotSite& score, int offset) {
        draft_.toggleCarry(score, offset);
        setSite(score);
    });
    connect(view_, &DiagramView::menuRequested, this, &ComposePage::showLayerMenu);
    connect(view_, &DiagramView::foldToggled, this, &ComposePage::foldToggled);
    connect(inspector_, &PartInspector::siteChosen, this, &ComposePage::setSite);
    connect(parts_, &PartsPanel::presetOpened, this,
            [this](const PresetEntry& entry) { openDraft(entry.document, entry.name); });
    connect(parts_, &PartsPanel::pinRequested, this, [this](const PresetEntry& entry) { pin(entry.document, entry.name); });
    connect(parts_, &PartsPanel::removeRequested, this, &ComposePage::removeSaved);
    connect(parts_, &PartsPanel::blockChosen, this, &ComposePage::useBlock);
    connect(parts_, &PartsPanel::moduleChosen, this, &ComposePage::goTo);
    connect(&table_->model(), &PlanModel::draftEdited, this, &ComposePage::editDraft);
    connect(&table_->model(), &PlanModel::gridRefused, this, [this] {
        strip_->showMessage({StripKind::Warn,
                             tr("The settings were not taken: their value grid makes more than %1 rows.").arg(kMostRowsOfGrid),
                             tr("Name fewer values, or put the grid into several rows.")});
    });
    connect(table_, &PlanTable::costsChanged, this, &ComposePage::showSteps);
    connect(table_, &PlanTable::startRequested, this, &ComposePage::startRuns);
    connect(table_, &PlanTable::controlRequested, this, &ComposePage::addControlToPlan);
    connect(table_, &PlanTable::edited, &autosave_, qOverload<>(&QTimer::start));
    connect(table_, &PlanTable::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(table_, &PlanTable::saved, this, [this](const QString& file) {
        strip_->showMessage({StripKind::Ok, tr("The plan is saved."), tr("heddle sweep %1 trains it.").arg(file)});
    });
}

/// Everything that shows the draft is brought up to date in place.
void ComposePage::draftChanged() {
    if (site_ && draft_.facts()) {
        const auto& variant = draft_.facts()->variant;
        if (site_->hasLayers()) site_->last = std::min(site_->last, int(layersOf(variant, site_->stack).size()) - 1);
        if (!choiceAt(variant, *site_)) site_.reset();
    }
    totals_->show(draft_);
    meter_->setFacts(shown_ ? draft_.facts() : nullptr);
    baselineMeter_->setFacts(shown_ ? draft_.baselineFacts() : nullptr);
    showMemory();
    refreshOver();
    relayout();
    parts_->refresh(draft_);
    dims_->refresh();
    json_->refresh();
    costs_->show(draft_);
    costTable_->setFixedHeight(costTable_->sizeHintForRow(0) * std::max(1, costs_->rowCount()) +
                               costTable_->header()->sizeHint().height() + 2);
    costTitle_->setWords(draft_.facts() ? tr("of %1").arg(count(draft_.facts()->cost.parameters)) : QString());
    differences_->show(draft_);
    problems_->show(draft_);
    bottom_->setTabText(0, problems_->problems() > 0 ? tr("Problems  %1").arg(problems_->problems()) : tr("Problems"));
    bottom_->setTabText(1,
                        differences_->rowCount() > 0 ? tr("Differences  %1").arg(differences_->rowCount()) : tr("Differences"));
    for (QAction* action : {pin_, matched_, unfold_, mark_, fit_, planAction_, rename_, export_})
        action->setEnabled(draft_.facts() != nullptr);
    nameChanged();
}

void ComposePage::nameChanged() {
    draftButton_->setWords(draft_.name(), draft_.isModified() ? tr("modified") : QString());
    save_->setEnabled(!draft_.name().isEmpty() && draft_.document().is_object());
    showBuilt();
    plan_->refresh();
    refreshPlan();
    data_->refresh();
    if (draft_.document().is_object()) autosave_.start();
}

void ComposePage::showMemory() { totals_->showMemory(draft_, *meter_, *baselineMeter_); }

void ComposePage::relayout() {
    options_.selected = site_;
    view_->setDiagram(layoutDiagram(draft_, options_));
    setSite(site_);
    fitOnce();
}

void ComposePage::setSite(const std::optional<SlotSite>& site) {
    site_ = site;
    // A slot that holds the standard block is drawn while it is selected.
    const auto isDrawnWhileSelected = [](const std::optional<SlotSite>& one) { return one && isSecondary(one->slot); };
    if (options_.selected != site && draft_.facts() &&
        (isDrawnWhileSelected(site) || isDrawnWhileSelected(options_.selected))) {
        options_.selected = site;
        view_->setDiagram(layoutDiagram(draft_, options_));
    }
    view_->setCurrent(site);
    inspector_->setSite(site);
    parts_->setSite(site);
    refreshLayerActions();
    slotTitle_->setTitle(site ? tr("Slot: %1").arg(QString::fromStdString(site->slot)) : tr("Slot"));
    slotTitle_->setWords(site && draft_.facts() ? displayPath(*site, draft_.facts()->variant) : QString());
}

/// On the first start a slot is selected, so that the inspector shows what the page is for.
void ComposePage::selectFirstDifference() {
    const auto& boxes = view_->diagram().boxes;
    const auto first = std::find_if(boxes.begin(), boxes.end(), [](const auto& box) { return box.differs && box.isSlot(); });
    if (first != boxes.end()) setSite(std::optional(*first->site));
}

void ComposePage::goTo(const std::string& path) {
    if (!draft_.facts()) return;
    const auto site = siteOfPath(path, draft_.facts()->variant);
    if (!site) return;
    SlotSite chosen = *site;
    if (view_->diagram().boxOf(chosen) < 0) setSite(chosen);
    // One layer of a folded frame stands for all that are drawn as one.
    if (const int box = view_->diagram().boxOf(chosen); box >= 0) chosen = *view_->diagram().box(box).site;
    setSite(chosen);
    if (const int box = view_->currentBox(); box >= 0) view_->ensureVisible(view_->diagram().box(box).rect);
}

void ComposePage::foldToggled(const std::string& stack) {
    auto stacks = options_.unfolded;
    if (!stacks.erase(stack)) stacks.insert(stack);
    setUnfolded(std::move(stacks));
}

void ComposePage::setUnfolded(std::set<std::string> stacks) {
    options_.unfolded = std::move(stacks);
    if (!draft_.facts()) return unfold_->setChecked(options_.unfolded.size() == 2);
    const auto all = stacksOf(draft_.facts()->variant.topology);
    const auto isOpen = [this](const std::string& stack) { return options_.unfolded.contains(stack); };
    unfold_->setChecked(std::all_of(all.begin(), all.end(), isOpen));
    std::optional<SlotSite> keep = site_;
    if (keep && keep->hasLayers()) {
        const bool open = options_.unfolded.contains(keep->stack);
        const int count = int(layersOf(draft_.facts()->variant, keep->stack).size());
        if (open && keep->first == 0 && keep->last == count - 1) keep->last = keep->first;
        if (!open && keep->first == keep->last) {
            view_->setDiagram(layoutDiagram(draft_, options_));
            if (const int box = view_->diagram().boxOf(*keep); box >= 0) keep = view_->diagram().box(box).site;
        }
    }
    site_ = keep;
    relayout();
}

void ComposePage::useBlock(const std::string& slot, const std::string& block) {
    if (!draft_.facts()) return;
    if (site_ && site_->slot == slot) return inspector_->choose(block);
    const auto sites = sitesOf(draft_.facts()->variant, slot);
    if (sites.empty()) return;
    draft_.chooseBlock(sites.front(), VariantDraft::Reach::Model, block);
    goTo(modulePath(sites.front(), 0));
}

void ComposePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    const auto put = [&](const char* key, const QVariant& value) {
        settings.setValue(name() + QLatin1Char('/') + QLatin1String(key), value);
    };
    const auto json = [](const Json& document) { return QString::fromStdString(document.dump()); };
    if (draft_.document().is_object()) put("drafts", json(draft_.session()));
    if (draft_.baselineDocument().is_object()) {
        put("baseline", json(draft_.baselineDocument()));
        put("baselineName", draft_.baselineName());
    }
    put("wordsSource", qint64(draft_.assumed().source));
    put("wordsTarget", qint64(draft_.assumed().target));
    put("classes", qint64(draft_.assumed().classes));
    table_->saveSession(settings);
    put("mark", mark_->isChecked());
    put("carries", carries_->isChecked());
    saveOver(settings);
    QStringList unfolded;
    for (const auto& stack : options_.unfolded) unfolded << QString::fromStdString(stack);
    put("unfolded", unfolded);
}

void ComposePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    const auto get = [&](const char* key) { return settings.value(name() + QLatin1Char('/') + QLatin1String(key)); };
    const auto document = [&](const char* key) {
        const Json read = Json::parse(get(key).toString().toStdString(), nullptr, false);
        return read.is_object() ? read : Json();
    };
    AssumedVocabulary assumed;
    if (const qint64 words = get("wordsSource").toLongLong(); words > 0) assumed.source = words;
    if (const qint64 words = get("wordsTarget").toLongLong(); words > 0) assumed.target = words;
    assumed.classes = std::max(0LL, get("classes").toLongLong());
    draft_.setAssumed(assumed);
    table_->restoreSession(settings);
    if (get("mark").isValid()) mark_->setChecked(get("mark").toBool());
    if (get("carries").isValid()) carries_->setChecked(get("carries").toBool());
    restoreOver(settings);
    std::set<std::string> unfolded;
    for (const QString& stack : get("unfolded").toStringList()) unfolded.insert(stack.toStdString());
    if (const Json baseline = document("baseline"); baseline.is_object())
        draft_.setBaseline(baseline, get("baselineName").toString());
    const QString kept = get("drafts").toString();
    Json drafts;
    if (const Json draft = document("draft"); kept.isEmpty() && draft.is_object()) {  // of a version with one draft
        const Json one{{"document", draft},
                       {"name", get("draftName").toString().toStdString()},
                       {"seeds", get("seeds").toString().toStdString()},
                       {"renamed", false},
                       {"steps", Json::array()},
                       {"saved_at", get("draftModified").toBool() ? -1 : 0}};
        drafts = {{"drafts", Json::array({one})}, {"shown", 0}};
    }
    if (!kept.isEmpty() || drafts.is_object()) try {
            draft_.restore(kept.isEmpty() ? drafts : parseJson(kept.toStdString(), "the last drafts"));
        } catch (const std::exception& error) {  // written by another version
            settings.setValue(name() + QStringLiteral("/draftsUnread"), kept);
            studio().report(Problem{tr("The drafts of the last session could not be read: %1").arg(problemOf(error).what),
                                    settings.fileName(), tr("They are kept there as compose/draftsUnread."),
                                    tr("Open them with the version that wrote them.")});
        }
    setUnfolded(std::move(unfolded));
}

}  // namespace heddle::ui
