// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/inspect_bar.h"

#include "ui/data/studio.h"
#include "ui/panels/run_picker.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"
#include "ui/widgets/stored_choices.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>

#include <utility>

namespace heddle::ui {

InspectBar::InspectBar(InspectedPair& pair, QWidget* parent)
    : QToolBar(tr("Inspect"), parent),
      pair_(pair),
      swap_(makeAction(this, {"swapRuns", tr("Swap A and B"), Icon::Swap})),
      link_(makeAction(this, {"linkRuns",
                              tr("Link A and B"),
                              Icon::Link,
                              {},
                              tr("The slider moves both runs. Off: it moves only A, so that B can show another step of the "
                                 "same run")})) {
    setObjectName(QStringLiteral("inspect_bar"));
    setMovable(false);
    boxA_ = runBox("runA", tr("Run A"), tr("A"));
    addAction(swap_);
    //: There is no run B.
    boxB_ = runBox("runB", tr("Run B"), tr("B"), tr("none"));
    addSeparator();
    families_ = new Segments({tr("Attention"), tr("Scores"), tr("Gates"), tr("Logits")}, this);
    const QStringList tips{tr("Attention weights"), tr("Scores before the softmax, without those of earlier layers"),
                           tr("Gates over pairs of positions"), tr("Scores including those carried from earlier layers")};
    constexpr const char* kNames[kMapFamilies]{"attention", "scores", "gates", "logits"};
    for (int i = 0; i < kMapFamilies; ++i) {
        families_->button(i).setObjectName(QString::fromLatin1(kNames[i]));
        families_->button(i).setToolTip(tips[i]);
    }
    addWidget(families_);
    addSeparator();
    link_->setCheckable(true);
    link_->setChecked(true);
    addButton(*this, link_, Qt::ToolButtonTextBesideIcon);
    connect(families_, &Segments::chosen, this, [this](int family) { pair_.setFamily(MapFamily(family)); });
    connect(&pair_, &InspectedPair::changed, this, &InspectBar::showFamilies);
    connect(swap_, &QAction::triggered, this, [this] {
        if (b_.empty()) return;
        std::swap(a_, b_);
        showRuns();
        Q_EMIT runsChosen();
    });
    for (const auto& [box, run] : {std::pair(boxA_, &a_), std::pair(boxB_, &b_)})
        connect(box, &RunPicker::runChosen, this, [this, run = run](const RunRef& chosen) {
            *run = chosen;
            showRuns();
            Q_EMIT runsChosen();
        });
}

RunPicker* InspectBar::runBox(const char* id, const QString& name, const QString& letter, const QString& none) {
    auto* label = new QLabel(letter, this);
    label->setFont(strongFont(Type::Body));
    label->setContentsMargins(px(4), 0, px(4), 0);
    auto* box = new RunPicker(pair_.studio(), name, this, none);
    box->setObjectName(QString::fromLatin1(id));
    label->setBuddy(box);
    addWidget(label);
    addWidget(box);
    return box;
}

void InspectBar::setRunA(const RunRef& run) {
    a_ = run;
    showRuns();
}

void InspectBar::chooseRuns() {
    const Studio& studio = pair_.studio();
    const Databases& databases = pair_.studio().databases();
    setEnabled(!databases.runs().empty());
    for (RunRef* run : {&a_, &b_})
        if (!databases.run(*run)) *run = {};
    if (a_.empty() && databases.run(studio.currentRun())) a_ = studio.currentRun();
    if (a_.empty() && !databases.runs().empty()) a_ = databases.runs().front()->ref;
    for (const RunRef& run : studio.comparedRuns())
        if (b_.empty() && run != a_ && databases.run(run)) b_ = run;
    showRuns();
}

void InspectBar::showRuns() {
    boxA_->setChosen(a_);
    boxB_->setChosen(b_);
    swap_->setEnabled(!b_.empty());
    link_->setEnabled(!b_.empty());
}

/// Disables families without maps for the sentence.
void InspectBar::showFamilies() {
    for (int i = 0; i < kMapFamilies; ++i) {
        const auto maps = pair_.a().mapsOf(MapFamily(i));
        families_->button(i).setEnabled((maps && maps->has(MapFamily(i))) || i == families_->current());
    }
}

void InspectBar::storeChoices(StoredChoices& choices) {
    choices.add(
        QStringLiteral("inspect/family"), [this] { return families_->current(); },
        [this](const QVariant& stored) {
            families_->setCurrent(stored.toInt());
            pair_.setFamily(MapFamily(families_->current()));
        });
}

}  // namespace heddle::ui
