// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/inspect_bar.h"

#include "ui/data/studio.h"
#include "ui/panels/run_picker.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>

#include <utility>

namespace heddle::ui {

InspectBar::InspectBar(InspectedPair& pair, QWidget* parent)
    : QToolBar(tr("Inspect"), parent),
      pair_(pair),
      swap_(new QAction(tr("Swap A and B"), this)),
      link_(new QAction(tr("A and B together"), this)) {
    setObjectName(QStringLiteral("inspect_bar"));
    setMovable(false);
    boxA_ = runBox(tr("Run A"), tr("A"));
    swap_->setIcon(themeIcon(Icon::Swap));
    addAction(swap_);
    boxB_ = runBox(tr("Run B"), tr("B"), tr("none"));
    addSeparator();
    families_ = new Segments({tr("Attention"), tr("Scores"), tr("Gates"), tr("Logits")}, this);
    const QStringList tips{tr("Attention weights"), tr("Scores before the softmax, without those of earlier layers"),
                           tr("Gates over pairs of positions"), tr("Scores with those that earlier layers carried on")};
    for (int i = 0; i < kMapFamilies; ++i) families_->button(i).setToolTip(tips[i]);
    addWidget(families_);
    addSeparator();
    link_->setCheckable(true);
    link_->setChecked(true);
    link_->setIcon(themeIcon(Icon::Link));
    link_->setToolTip(tr("The slider moves both runs; off: it moves A alone, so that B may be another step of the same run"));
    addAction(link_);
    if (auto* button = qobject_cast<QToolButton*>(widgetForAction(link_)))
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
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

RunPicker* InspectBar::runBox(const QString& name, const QString& letter, const QString& none) {
    auto* label = new QLabel(letter, this);
    label->setFont(strongFont(Type::Body));
    label->setContentsMargins(px(4), 0, px(4), 0);
    auto* box = new RunPicker(pair_.studio(), name, this, none);
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

/// The families that the sentence has no maps of cannot be chosen.
void InspectBar::showFamilies() {
    for (int i = 0; i < kMapFamilies; ++i) {
        const auto maps = pair_.a().mapsOf(MapFamily(i));
        families_->button(i).setEnabled((maps && maps->has(MapFamily(i))) || i == families_->current());
    }
}

void InspectBar::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("inspect/family"), families_->current());
}

void InspectBar::restoreSession(QSettings& settings) {
    families_->setCurrent(settings.value(QStringLiteral("inspect/family")).toInt());
    pair_.setFamily(MapFamily(families_->current()));
}

}  // namespace heddle::ui
