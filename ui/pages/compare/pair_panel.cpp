// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/pair_panel.h"

#include "engine/base/contains.h"

#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/table/run_table_panel.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QComboBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QSignalBlocker>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace heddle::ui {
namespace {

constexpr int kMostGroups = 60;  ///< in the boxes

/// The newest run of each seed of a group that has trained.
std::map<std::uint64_t, RunPointer> runsBySeed(const RunTable& table, const std::string& group) {
    std::map<std::uint64_t, RunPointer> runs;
    for (const RunPointer& run : table.runs)  // the oldest first
        if (run->record.groupKey == group && run->record.step > 0) runs[run->record.seed] = run;
    return runs;
}

std::vector<Step> inBoth(const std::set<Step>& a, const std::set<Step>& b) {
    std::vector<Step> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

std::set<Step> mapSteps(const RunDetail& detail) {
    std::set<Step> steps;
    for (const auto& [site, probes] : detail.maps)
        for (const auto& [probe, ofProbe] : probes) steps.insert(ofProbe.begin(), ofProbe.end());
    return steps;
}

std::set<Step> gateSteps(const RunDetail& detail) {
    std::set<Step> steps;
    for (const auto& [site, ofSite] : detail.histograms) steps.insert(ofSite.begin(), ofSite.end());
    return steps;
}

void fill(QComboBox& box, const QList<std::pair<QString, QString>>& entries, const QString& chosen) {
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
    return {inBoth(mapSteps(a), mapSteps(b)), inBoth(gateSteps(a), gateSteps(b))};
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
    connect(seeds_, &QComboBox::activated, this, &PairPanel::chooseRuns);
    connect(&details_, &RunDetails::changed, this, &PairPanel::showDetails);
    connect(&details_, &RunDetails::failed, this, &Panel::failed);
    connect(&studio.databases(), &Databases::changed, this, [this] {
        if (isVisible()) details_.refreshThrottled();
    });
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
        attention_[side] = new AttentionPanel(studio_.databases(), body);
        gates_[side] = new GatesPanel(studio_.databases(), body);
        grid->addWidget(attention_[side], 1, int(side));
        grid->addWidget(gates_[side], 2, int(side));
        grid->setColumnStretch(int(side), 1);
        for (Panel* panel : std::initializer_list<Panel*>{attention_[side], gates_[side]}) {
            connect(panel, &Panel::expandRequested, this, &Panel::expandRequested);
            connect(panel, &Panel::failed, this, &Panel::failed);
        }
    }
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
        for (auto& [key, name] : entries) name = (side == 0 ? tr("A: %1") : tr("B: %1")).arg(name);
        fill(*groups_[side], entries, QString::fromStdString(usual[side]));
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
    fill(*seeds_, entries, seeds_->currentData().toString());
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
    if (!a || !b) return setPlaceholder(tr("The runs are being read…"), {});
    const CommonSteps common = commonSteps(*a, *b);
    std::set<Step> steps(common.maps.begin(), common.maps.end());
    steps.insert(common.gates.begin(), common.gates.end());
    setNote(tr("recorded · %Ln step(s) in common", nullptr, int(steps.size())));
    if (steps.empty())
        return setPlaceholder(tr("No step in common"), tr("Maps and gates of the two runs were recorded at different steps."));
    setPlaceholder({}, {});
    scrub_->setDetail(a.get(), {steps.begin(), steps.end()});
    showStep();
}

/// Each pair of pictures is of the last step up to the slider that both runs have: never of two steps.
void PairPanel::showStep() {
    const auto a = details_.of(runs_[0]), b = details_.of(runs_[1]);
    if (!a || !b) return;
    const CommonSteps common = commonSteps(*a, *b);
    const Step step = scrub_->step();
    for (const std::size_t side : {0U, 1U}) {
        Subject subject;
        subject.run = runs_[side];
        subject.detail = side == 0 ? a : b;
        subject.order = studio_.colours().orderOf(subject.detail->record);
        subject.label = runLabel(subject.detail->record);
        labels_[side]->setText((side == 0 ? tr("A: %1") : tr("B: %1")).arg(subject.label));
        subject.step = stepAtOrBefore(common.maps, step).value_or(step);
        attention_[side]->setSubject(subject);
        subject.step = stepAtOrBefore(common.gates, step).value_or(step);
        gates_[side]->setSubject(subject);
    }
}

}  // namespace heddle::ui
