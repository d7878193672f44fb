// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/inspect_bar.h"

#include "ui/data/studio.h"
#include "ui/panels/run_picker.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui::inspect {

InspectBar::InspectBar(Studio& studio, QWidget* parent)
    : QToolBar(tr("Inspect"), parent),
      studio_(studio),
      swap_(new QAction(tr("Swap A and B"), this)),
      link_(new QAction(tr("A and B together"), this)) {
    setObjectName(QStringLiteral("inspect_bar"));
    setMovable(false);
    setFloatable(false);
    boxA_ = runBox(tr("Run A"), tr("A"));
    swap_->setIcon(themeIcon(Icon::Swap));
    addAction(swap_);
    boxB_ = runBox(tr("Run B"), tr("B"));
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
    connect(families_, &Segments::chosen, this, &InspectBar::familyChosen);
    connect(swap_, &QAction::triggered, this, [this] {
        if (b_.empty()) return;
        std::swap(a_, b_);
        show();
        Q_EMIT runsChosen();
    });
    connect(boxA_, &RunPicker::runChosen, this, [this](const RunRef& run) {
        a_ = run;
        Q_EMIT runsChosen();
    });
    connect(boxB_, &RunPicker::runChosen, this, [this](const RunRef& run) {
        b_ = run;
        show();
        Q_EMIT runsChosen();
    });
    connect(&studio, &Studio::stylesChanged, this, &InspectBar::show);
    connect(&Theme::instance(), &Theme::changed, this, &InspectBar::show);
}

RunPicker* InspectBar::runBox(const QString& name, const QString& letter) {
    auto* label = new QLabel(letter, this);
    label->setFont(strongFont(Type::Body));
    label->setContentsMargins(px(4), 0, px(4), 0);
    auto* box = new RunPicker(studio_, name, this);
    label->setBuddy(box);
    addWidget(label);
    addWidget(box);
    return box;
}

void InspectBar::setRuns(const std::vector<const Run*>& runs) {
    const auto isThere = [&](const RunRef& ref) {
        return std::any_of(runs.begin(), runs.end(), [&](const Run* run) { return run->ref == ref; });
    };
    if (!isThere(a_)) a_ = {};
    if (!isThere(b_)) b_ = {};
    runs_.clear();
    for (const Run* run : runs) runs_.push_back(*run);
    show();
}

void InspectBar::setRunA(const RunRef& run) {
    a_ = run;
    show();
}

void InspectBar::setRunB(const RunRef& run) {
    b_ = run;
    show();
}

void InspectBar::show() {
    boxA_->setRuns(runs_, a_);
    boxB_->setRuns(runs_, b_, tr("none"));
    swap_->setEnabled(!b_.empty());
    link_->setEnabled(!b_.empty());
}

MapFamily InspectBar::family() const { return MapFamily(families_->current()); }

void InspectBar::setFamily(MapFamily family) { families_->setCurrent(int(family)); }

void InspectBar::setFamilies(const std::array<bool, kMapFamilies>& possible) {
    for (int i = 0; i < kMapFamilies; ++i)
        families_->button(i).setEnabled(possible[std::size_t(i)] || i == families_->current());
}

}  // namespace heddle::ui::inspect
