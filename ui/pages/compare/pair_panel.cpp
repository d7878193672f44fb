// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/pair_panel.h"

#include "engine/base/contains.h"

#include "ui/data/gate_data.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QSignalBlocker>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kMostGroups = 60;  ///< in the boxes

/// The newest run of each seed of a group that has trained and can be read.
std::map<std::uint64_t, RunPointer> runsBySeed(const RunTable& table, const std::string& group) {
    std::map<std::uint64_t, RunPointer> runs;
    for (const RunPointer& run : table.runs)  // the oldest first
        if (run->record.groupKey == group && run->record.step > 0 && !run->record.damaged) runs[run->record.seed] = run;
    return runs;
}

using Maps = decltype(RunDetail::maps);
using Gates = decltype(RunDetail::histograms);

/// The entries of both maps, with what `inBoth` says of their values, unless that is empty.
template <class Map, class InBoth>
Map common(const Map& a, const Map& b, const InBoth& inBoth) {
    Map both;
    for (const auto& [key, ofA] : a)
        if (const auto ofB = b.find(key); ofB != b.end())
            if (auto value = inBoth(ofA, ofB->second); !value.empty()) both.emplace(key, std::move(value));
    return both;
}

std::vector<Step> stepsInBoth(const std::vector<Step>& a, const std::vector<Step>& b) {
    std::vector<Step> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

template <class Steps>
std::pair<Maps, Gates> recordedInBoth(const RunDetail& a, const RunDetail& b, const Steps& inBoth) {
    const auto ofProbes = [&](const auto& x, const auto& y) { return common(x, y, inBoth); };
    return {common(a.maps, b.maps, ofProbes), common(a.histograms, b.histograms, inBoth)};
}

/// Why a pair of panels shows nothing, where each side has recorded something (true) or nothing; `common`: the steps of both.
QString reasonOf(bool hasA, bool hasB, const std::vector<Step>& common) {
    if (!hasA && !hasB) return PairPanel::tr("Neither run has recorded any.");
    if (!hasA) return PairPanel::tr("A has recorded none.");
    if (!hasB) return PairPanel::tr("B has recorded none.");
    return common.empty() ? PairPanel::tr("No step in common: the runs recorded them at other steps, or of other sites.")
                          : PairPanel::tr("The first step in common is %1.").arg(count(common.front()));
}

void fillChoices(QComboBox& box, const QList<std::pair<QString, QString>>& entries, const QString& chosen) {
    const QSignalBlocker blocker(box);
    QList<std::pair<QString, QString>> now;
    for (int i = 0; i < box.count(); ++i) now.append({box.itemData(i).toString(), box.itemText(i)});
    if (now != entries) {  // a list that is open stays open
        box.clear();
        for (const auto& [key, words] : entries) box.addItem(words, key);
    }
    box.setCurrentIndex(std::max(0, box.findData(chosen)));
    box.setEnabled(entries.size() > 1);
    box.setVisible(!entries.isEmpty());
}

std::string keyIn(const QComboBox& box) { return box.currentData().toString().toStdString(); }

}  // namespace

CommonSteps commonSteps(const RunDetail& a, const RunDetail& b) {
    std::set<Step> maps, gates;
    const auto [mapsOfBoth, gatesOfBoth] = recordedInBoth(a, b, stepsInBoth);
    for (const auto& [site, probes] : mapsOfBoth)
        for (const auto& [probe, steps] : probes) maps.insert(steps.begin(), steps.end());
    for (const auto& [site, steps] : gatesOfBoth) gates.insert(steps.begin(), steps.end());
    return {{maps.begin(), maps.end()}, {gates.begin(), gates.end()}};
}

std::shared_ptr<const RunDetail> pairedDetail(const RunDetail& detail, const RunDetail& other, Step step) {
    auto paired = std::make_shared<RunDetail>();
    paired->record = detail.record;
    paired->attempts = detail.attempts;
    paired->stepsPerEpoch = detail.stepsPerEpoch;
    std::tie(paired->maps, paired->histograms) =
        recordedInBoth(detail, other, [step](const std::vector<Step>& own, const std::vector<Step>& others) {
            const std::vector<Step> both = upTo(stepsInBoth(own, others), step);
            return both.empty() ? both : upTo(own, both.back());
        });
    return paired;
}

PairPanel::PairPanel(Studio& studio, const ComparedView& view, QWidget* parent)
    : Panel(tr("Attention and gates"), parent),
      studio_(studio),
      view_(view),
      details_(studio.databases(), this),
      groups_{addChoice(tr("Group A")), addChoice(tr("Group B"))},
      seeds_(addChoice(tr("Seed"))) {
    groups_[0]->setObjectName(QStringLiteral("sideA"));
    groups_[1]->setObjectName(QStringLiteral("sideB"));
    seeds_->setObjectName(QStringLiteral("sideSeeds"));
    for (const std::size_t side : {0U, 1U})
        connect(groups_[side], &QComboBox::activated, this, [this, side] {
            chosen_[side] = keyIn(*groups_[side]);
            refresh();
        });
    buildMoves();
    connect(seeds_, &QComboBox::activated, this, &PairPanel::chooseRuns);
    connect(&details_, &RunDetails::changed, this, &PairPanel::showDetails);
    connect(&details_, &RunDetails::failed, this, [this](const Problem& problem) {
        problems_[runs_] = problem;
        showDetails();
        Q_EMIT failed(problem);
    });
    connect(&studio.databases(), &Databases::changed, this, [this] {
        if (isVisible()) details_.refreshThrottled();
    });
}

/// The keys of Watch.
void PairPanel::buildMoves() {
    const auto add = [this](const char* name, const QString& text, Qt::Key key, const std::function<void()>& does) {
        moves_ << makeAction(this, {name, text, {}, key, {}, Qt::WidgetWithChildrenShortcut}, [this, does] {
            if (scrub_) does();
        });
    };
    add("pairEarlier", tr("Earlier step of both runs"), Qt::Key_Left, [this] { scrub_->goPrevious(); });
    add("pairLater", tr("Later step of both runs"), Qt::Key_Right, [this] { scrub_->goNext(); });
    add("pairFirst", tr("First step of both runs"), Qt::Key_Home, [this] { scrub_->goFirst(); });
    add("pairNewest", tr("Newest step of both runs"), Qt::Key_End, [this] { scrub_->follow(); });
    add("pairPlay", tr("Play steps of both runs"), Qt::Key_P, [this] { scrub_->togglePlay(); });
    add("pairPreviousHead", tr("Previous head of both runs"), Qt::Key_BracketLeft, [this] { attention_[0]->nextHead(-1); });
    add("pairNextHead", tr("Next head of both runs"), Qt::Key_BracketRight, [this] { attention_[0]->nextHead(1); });
}

/// When it is shown for the first time: opening the page need not wait for its plots.
void PairPanel::build() {
    auto* body = new QWidget(this);
    body->setMinimumSize(px(560), px(420));  // scrolled in less room
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(0, 0, 0, 0);
    for (const std::size_t side : {0U, 1U}) {
        labels_[side] = new ElidedLabel(body);
        labels_[side]->setFont(strongFont(Type::Body));
        labels_[side]->setContentsMargins(px(10), px(2), px(4), 0);
        grid->addWidget(labels_[side], 0, int(side));
        attention_[side] = new AttentionPanel(studio_.databases(), {}, body);  // Watch stores its own choices
        gates_[side] = new GatesPanel(studio_.databases(), {}, body);
        attention_[side]->setAccessibleName(side == 0 ? tr("Attention of A") : tr("Attention of B"));
        gates_[side]->setAccessibleName(side == 0 ? tr("Gates of A") : tr("Gates of B"));
        grid->addWidget(attention_[side], 1, int(side));
        grid->addWidget(gates_[side], 2, int(side));
        grid->setColumnStretch(int(side), 1);
        for (Panel* panel : std::initializer_list<Panel*>{attention_[side], gates_[side]}) {
            connect(panel, &Panel::expandRequested, this, &Panel::expandRequested);
            connect(panel, &Panel::failed, this, &Panel::failed);
            for (PlotView* plot : panel->plots()) {
                const bool isMap = qobject_cast<MapView*>(plot) != nullptr;  // there, arrow keys move between cells
                plot->addActions(isMap ? moves_.mid(2) : moves_);
            }
        }
    }
    grid->addWidget(mapsReason_ = new EmptyState(body), 1, 0, 1, 2);
    grid->addWidget(gatesReason_ = new EmptyState(body), 2, 0, 1, 2);
    mapsReason_->setObjectName(QStringLiteral("mapsReason"));
    gatesReason_->setObjectName(QStringLiteral("gatesReason"));
    // What is chosen at one side is shown at the other.
    for (const std::size_t side : {0U, 1U}) {
        connect(attention_[side], &AttentionPanel::choiceChanged, this,
                [this, side] { attention_[1 - side]->showLike(*attention_[side]); });
        connect(gates_[side], &GatesPanel::choiceChanged, this, [this, side] { gates_[1 - side]->showLike(*gates_[side]); });
    }
    grid->setRowStretch(1, 1);
    grid->setRowStretch(2, 1);
    scrub_ = new ScrubBar(body);
    connect(scrub_, &ScrubBar::stepChanged, this, &PairPanel::showStep);
    grid->addWidget(scrub_, 3, 0, 1, 2);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(body);
    setBody(area);
}

void PairPanel::refresh() {
    if (!scrub_) build();
    fillGroups();
    fillSeeds();
    chooseRuns();
}

void PairPanel::fillGroups() {
    QList<std::pair<QString, QString>> names;
    std::set<std::string> listed;
    const std::string &baseline = view_.comparer.comparison()->baseline, selected = view_.table.currentGroup();
    for (const RunGroup& group : view_.table.model().arrangement()->groups) {
        const bool isWanted = group.key == baseline || group.key == selected || contains(chosen_, group.key);
        if ((names.size() >= kMostGroups && !isWanted) || !listed.insert(group.key).second) continue;
        names.append({QString::fromStdString(group.key), group.name});
    }
    const auto firstOf = [&](const std::array<std::string, 2>& wishes, const std::string& other) {
        for (const std::string& wish : wishes)
            if (listed.contains(wish) && wish != other) return wish;
        for (const auto& [key, name] : names)
            if (key.toStdString() != other) return key.toStdString();
        return std::string();
    };
    const std::string a = firstOf({chosen_[0], baseline}, {});
    const std::array<std::string, 2> usual{a, firstOf({chosen_[1], selected}, chosen_[1] == a ? std::string() : a)};
    for (const std::size_t side : {0U, 1U}) {
        auto entries = names;
        if (side == 1 && names.size() < 2) entries.clear();  // a group is not put beside itself
        for (auto& [key, name] : entries) name = (side == 0 ? tr("A: %1") : tr("B: %1")).arg(name);
        fillChoices(*groups_[side], entries, QString::fromStdString(usual[side]));
    }
}

/// Seeds of both groups make pairs; without any, the newest run of each stands for its group.
void PairPanel::fillSeeds() {
    const RunTable& table = *view_.table.table();
    const auto a = runsBySeed(table, keyIn(*groups_[0])), b = runsBySeed(table, keyIn(*groups_[1]));
    QList<std::pair<QString, QString>> entries;
    const auto add = [&](const RunPointer& one, const RunPointer& other) {
        const Run &left = one->record, &right = other->record;
        const QString words =
            left.seed == right.seed ? tr("seed %1").arg(left.seed) : tr("seeds %1 and %2").arg(left.seed).arg(right.seed);
        entries.append({left.ref.key() + QLatin1Char('\n') + right.ref.key(), words});
    };
    for (const auto& [seed, run] : a)
        if (const auto pair = b.find(seed); pair != b.end()) add(run, pair->second);
    if (entries.isEmpty() && !a.empty() && !b.empty()) add(a.rbegin()->second, b.rbegin()->second);
    fillChoices(*seeds_, entries, seeds_->currentData().toString());
}

void PairPanel::chooseRuns() {
    const QStringList keys = seeds_->currentData().toString().split(QLatin1Char('\n'));
    const auto before = runs_;
    for (const std::size_t side : {0U, 1U}) runs_[side] = RunRef::fromKey(keys.value(int(side)));
    if (runs_[0].empty() || runs_[1].empty()) {
        details_.setRuns({});
        setNote({});
        return setPlaceholder(
            tr("Nothing to put side by side"),
            tr("Attention and gates are shown of two groups whose runs have trained. Choose them as A and B."));
    }
    details_.setRuns({runs_[0], runs_[1]});
    if (runs_ == before)
        details_.refreshThrottled();
    else
        details_.refresh();
    showDetails();
}

void PairPanel::showDetails() {
    if (runs_[0].empty() || runs_[1].empty()) return;
    const auto a = details_.of(runs_[0]), b = details_.of(runs_[1]);
    if (!a || !b) {
        setNote({});
        const auto problem = problems_.find(runs_);
        if (problem == problems_.end()) return setPlaceholder(tr("The runs are being read…"), {});
        return setPlaceholder(problem->second.what, problem->second.next);
    }
    problems_.erase(runs_);
    common_ = commonSteps(*a, *b);
    std::set<Step> steps(common_.maps.begin(), common_.maps.end());
    steps.insert(common_.gates.begin(), common_.gates.end());
    setNote(steps.empty() ? QString() : tr("recorded · %Ln step(s) in common", nullptr, int(steps.size())));
    setPlaceholder({}, {});
    scrub_->setVisible(!steps.empty());
    scrub_->setDetail(a.get(), {steps.begin(), steps.end()});
    showStep();
}

void PairPanel::setReason(EmptyState& reason, const std::array<Panel*, 2>& panels, const QString& title, const QString& text) {
    reason.setWords(title, text);
    reason.setVisible(!title.isEmpty());
    for (Panel* panel : panels) panel->setVisible(title.isEmpty());
}

/// Each pair of pictures is of the last step up to the slider that both runs have of its site: never of two steps.
void PairPanel::showStep() {
    const auto a = details_.of(runs_[0]), b = details_.of(runs_[1]);
    if (!a || !b) return;
    const Step step = scrub_->step();
    const std::array paired{pairedDetail(*a, *b, step), pairedDetail(*b, *a, step)};
    for (const std::size_t side : {0U, 1U}) {
        Subject subject;
        subject.run = runs_[side];
        subject.detail = paired[side];
        subject.step = step;
        subject.order = studio_.colours().orderOf(subject.detail->record);
        subject.label = runLabel(subject.detail->record);
        labels_[side]->setText((side == 0 ? tr("A: %1") : tr("B: %1")).arg(subject.label));
        attention_[side]->setSubject(subject);
        gates_[side]->setSubject(subject);
    }
    setReason(*mapsReason_, {attention_[0], attention_[1]},  // both sides have the same sites here
              paired[0]->maps.empty() ? tr("No attention maps side by side") : QString(),
              reasonOf(!a->maps.empty(), !b->maps.empty(), common_.maps));
    setReason(*gatesReason_, {gates_[0], gates_[1]}, paired[0]->histograms.empty() ? tr("No gates side by side") : QString(),
              reasonOf(!a->histograms.empty(), !b->histograms.empty(), common_.gates));
}

}  // namespace heddle::ui
