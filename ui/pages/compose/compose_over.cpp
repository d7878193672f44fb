// SPDX-License-Identifier: GPL-3.0-or-later
// The variant that the draft is drawn over: the baseline, a preset, a saved variant or that of a run.
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/draft/built_model.h"
#include "ui/pages/compose/panels/totals_strip.h"
#include "ui/text/number.h"
#include "ui/threads/background.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

#include <algorithm>
#include <array>
#include <set>
#include <span>

namespace heddle::ui {
namespace {

constexpr int kMostRuns = 30;
/// Of ComposePage::OverKind, for the settings.
constexpr std::array<const char*, 5> kKindWords{"", "baseline", "preset", "saved", "run"};

/// Names the first modules that differ and counts the rest.
QString wordsOf(const std::vector<ModuleDifference>& differences) {
    constexpr std::size_t kNamed = 2;
    const auto module = [](const std::optional<BuiltModule>& built) {
        return built ? ComposePage::tr("%1 with %2").arg(QString::fromStdString(built->block), count(built->parameters))
                     : ComposePage::tr("nothing");
    };
    QStringList named;
    for (const ModuleDifference& one : std::span(differences).first(std::min(kNamed, differences.size())))
        named << ComposePage::tr("%1: %2 was built, now it would be %3")
                     .arg(QString::fromStdString(one.path), module(one.built), module(one.now));
    const QString words = named.join(QStringLiteral("; "));
    return differences.size() > kNamed
               ? ComposePage::tr("%1; and %Ln more module(s).", nullptr, int(differences.size() - kNamed)).arg(words)
               : words + QLatin1Char('.');
}

}  // namespace

void ComposePage::makeOverMenu() {
    overMenu_ = new QMenu(tr("Draw over another variant"), this);
    connect(overMenu_, &QMenu::aboutToShow, this, &ComposePage::fillOverMenu);
}

void ComposePage::fillOverMenu() {
    overMenu_->clear();
    auto* group = new QActionGroup(overMenu_);
    const auto add = [&](QMenu* menu, const QString& words, bool isChosen, const std::function<void()>& choose) {
        QAction* action = menu->addAction(words, this, choose);
        action->setCheckable(true);
        action->setChecked(isChosen);
        group->addAction(action);
        return action;
    };
    const OverChoice& now = over_.choice;
    add(overMenu_, tr("Draft alone"), now.kind == OverKind::None, [this] { drawOver({}); });
    const QString& baseline = draft_.baselineName();
    add(overMenu_, baseline.isEmpty() ? tr("Over the baseline: none is pinned") : tr("Over the baseline %1").arg(baseline),
        now.kind == OverKind::Baseline,
        [this] {
            drawOver({OverKind::Baseline, {}, {}});
        })
        ->setEnabled(draft_.baselineFacts() != nullptr);
    overMenu_->addSeparator();
    const auto draw = [&](QMenu& part, const PresetEntry& entry) {
        const OverChoice choice{entry.isSaved ? OverKind::Saved : OverKind::Preset, entry.name, {}};
        add(&part, entry.name, now == choice, [this, choice, document = entry.document] { drawOver(choice, document); });
    };
    addEntries(*overMenu_->addMenu(tr("Over a preset")), shipped_, draw);
    addEntries(*overMenu_->addMenu(tr("Over a saved variant")), saved_, draw);
    QMenu* runs = overMenu_->addMenu(tr("Over the variant of a run"));
    const Run* chosen = now.kind == OverKind::Run ? studio().databases().withId(now.run) : nullptr;
    std::set<std::string> seen;
    for (const Run* one : studio().databases().runs()) {
        const Run& run = *one;
        if (int(seen.size()) >= kMostRuns) break;
        if (run.damaged || !seen.insert(run.variantHash).second) continue;
        const Json document = Json::parse(run.spec, nullptr, false);
        if (!document.is_object()) continue;
        const OverChoice choice{OverKind::Run, QString::fromStdString(run.name), run.id};
        add(runs, choice.name, chosen && chosen->variantHash == run.variantHash,
            [this, choice, document] { drawOver(choice, document); });
    }
    runs->setEnabled(!runs->isEmpty());
}

void ComposePage::drawOver(const OverChoice& choice, const Json& document) {
    over_.choice = choice;
    over_.document = document;
    options_.over = {};
    over_.isAsked = false;
    ++over_.generation;
    if (choice.kind != OverKind::None) mark_->setChecked(true);
    refreshOver();
    relayout();
    autosave_.start();
}

void ComposePage::saveOver(QSettings& settings) const {
    const OverChoice& choice = over_.choice;
    settings.setValue(QStringLiteral("compose/over"), QLatin1String(kKindWords[std::size_t(choice.kind)]));
    settings.setValue(QStringLiteral("compose/overName"), choice.name);
    settings.setValue(QStringLiteral("compose/overRun"), QString::fromStdString(choice.run));
}

void ComposePage::restoreOver(const QSettings& settings) {
    const QString word = settings.value(QStringLiteral("compose/over")).toString();
    const auto* kind =
        std::find_if(kKindWords.begin(), kKindWords.end(), [&](const char* each) { return word == QLatin1String(each); });
    if (kind == kKindWords.end()) return;
    over_.choice = {OverKind(kind - kKindWords.begin()), settings.value(QStringLiteral("compose/overName")).toString(),
                    settings.value(QStringLiteral("compose/overRun")).toString().toStdString()};
    over_.document = {};
    findOver();
}

std::optional<Json> ComposePage::documentOf(const OverChoice& choice) const {
    const auto named = [&](const std::vector<PresetEntry>& entries) {
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == choice.name; });
        return found == entries.end() ? Json() : found->document;
    };
    const auto& databases = studio().databases();
    switch (choice.kind) {
    case OverKind::Preset: return shipped_.empty() ? std::nullopt : std::optional(named(shipped_));
    case OverKind::Saved: return savedOf_ == 0 ? std::nullopt : std::optional(named(saved_));
    case OverKind::Run:
        if (const Run* run = databases.withId(choice.run)) return Json::parse(run->spec, nullptr, false);
        for (const RunDatabase* database : databases.all())
            if (!database->isOpen()) return std::nullopt;
        return databases.all().empty() ? std::nullopt : std::optional(Json());
    default: return std::nullopt;
    }
}

void ComposePage::findOver() {
    if (over_.document.is_object()) return;
    const auto document = documentOf(over_.choice);
    if (!document) return;
    if (document->is_object()) {
        over_.document = *document;
        refreshOver();
        return relayout();
    }
    const QString name = over_.choice.name;
    const QString gone = over_.choice.kind == OverKind::Preset  ? tr("There is no preset %1 any more.").arg(name)
                         : over_.choice.kind == OverKind::Saved ? tr("The variant %1 is not saved in this database.").arg(name)
                         : document->is_discarded()             ? tr("The specification of the run %1 is damaged.").arg(name)
                                                                : tr("The run %1 is in no open database.").arg(name);
    drawOver({});
    strip_->showMessage({StripKind::Warn, gone, tr("The draft was drawn over it. Now it is drawn alone.")});
}

void ComposePage::refreshOver() {
    if (over_.choice.kind == OverKind::Baseline) {
        options_.over = {draft_.baselineName(), draft_.baselineFacts()};
        return;
    }
    if (!over_.document.is_object() || (over_.isAsked && over_.assumed == draft_.assumed())) return;
    over_.isAsked = true;
    over_.assumed = draft_.assumed();
    ++reading_;
    inBackground(
        this, [document = over_.document, assumed = over_.assumed] { return factsOf(document, assumed); },
        [this, generation = ++over_.generation](const Facts& facts) {
            --reading_;
            if (generation != over_.generation) return;
            const QString name = over_.choice.name;
            if (!facts) {
                drawOver({});
                return strip_->showMessage({StripKind::Warn, tr("%1 is not valid any more and cannot be drawn.").arg(name),
                                            tr("Open it as a draft to see its problems.")});
            }
            options_.over = {name, facts};
            relayout();
        },
        [this](const Problem& problem) {
            --reading_;
            studio().report(problem);
        });
}

void ComposePage::countAsBuilt(const RunRef& run) {
    struct Counted {
        std::optional<BuiltModel> built;
        std::int64_t parameters = 0;
        std::vector<ModuleDifference> differences;
    };
    studio().databases().read(
        run.database, this,
        [run = run.id, document = draft_.document()](storage::RunQuery& query) {
            Counted counted{readBuiltModel(query, run), 0, {}};
            const Facts facts = counted.built ? factsOf(document, counted.built->sizes) : nullptr;
            if (!facts) return counted;
            counted.parameters = facts->cost.parameters;
            if (!counted.built->modules.empty()) counted.differences = moduleDifferences(counted.built->modules, *facts);
            return counted;
        },
        [this, name = draft_.name()](const Counted& counted) {
            if (!counted.built || draft_.name() != name || draft_.isModified()) return;
            const BuiltModel& built = *counted.built;
            draft_.setAssumed(built.sizes);
            const bool isSameCount = built.parameters == counted.parameters,
                       isSame = isSameCount && counted.differences.empty();
            if (!isSameCount) built_ = {name, built.parameters};
            showBuilt();
            const QString title = isSame ? tr("%1 is drawn as it was built: %2 parameters.").arg(name, count(built.parameters))
                                  : isSameCount
                                      ? tr("%1 was built with other modules than its specification comes to.").arg(name)
                                      : tr("%1 was built with %2 parameters, its specification comes to %3.")
                                            .arg(name, count(built.parameters), count(counted.parameters));
            QString words = counted.differences.empty() ? QString() : wordsOf(counted.differences) + QLatin1Char(' ');
            words += tr("Its data had %1 / %2 words.").arg(count(built.sizes.source), count(built.sizes.target));
            QList<QAction*> actions;
            if (!strip_->isHidden()) {  // the draft before is not saved
                words += QLatin1Char(' ') + tr("The draft before stays open beside it.");
                actions << return_;
            }
            strip_->showMessage({isSame ? StripKind::Info : StripKind::Warn, title, words, actions});
        },
        [this](const Problem& problem) { studio().report(problem); });
}

void ComposePage::showBuilt() {
    const bool isOfRun = built_.parameters > 0 && draft_.name() == built_.draft && !draft_.isModified();
    totals_->showBuilt(isOfRun ? std::optional(built_.parameters) : std::nullopt);
}

}  // namespace heddle::ui
