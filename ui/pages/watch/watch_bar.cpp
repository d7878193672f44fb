// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/watch_bar.h"

#include "ui/data/studio.h"
#include "ui/plot/smoothing.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/button_folder.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace heddle::ui::watch {
namespace {

constexpr int kSlider = 1000;

/// The slider is logarithmic from 1; its left end switches smoothing off.
int stepsAt(int slider) {
    return slider <= 0 ? 0 : int(std::lround(std::pow(double(kMostSmoothing), double(slider) / kSlider)));
}
int sliderAt(int steps) {
    return steps <= 0 ? 0 : int(std::lround(kSlider * std::log(double(steps)) / std::log(double(kMostSmoothing))));
}

QLabel* word(const QString& text, QWidget* parent, bool secondary = false) {
    auto* label = new QLabel(text, parent);
    label->setContentsMargins(px(4), 0, px(2), 0);
    if (secondary) setCaption(*label);
    return label;
}

}  // namespace

WatchBar::WatchBar(RunActions& onRuns, QWidget* parent)
    : QToolBar(tr("Watch"), parent),
      runs_(new QComboBox(this)),
      axes_(new QComboBox(this)),
      onRuns_(onRuns),
      follow_(new QAction(tr("Follow runs"), this)),
      log_(new QAction(tr("log y"), this)),
      link_(new QAction(tr("Link cursors"), this)) {
    setObjectName(QStringLiteral("watch_bar"));
    setMovable(false);
    setFloatable(false);
    runs_->setAccessibleName(tr("Run shown"));
    runs_->setMinimumWidth(px(178));
    runs_->setMaximumWidth(px(240));
    runs_->setPlaceholderText(tr("no run"));
    runs_->setFont(strongFont(Type::Body));
    addWidget(runs_);
    connect(runs_, &QComboBox::activated, this,
            [this](int row) { Q_EMIT runChosen(RunRef::fromKey(runs_->itemData(row).toString())); });
    follow_->setCheckable(true);
    follow_->setChecked(true);
    follow_->setIcon(themeIcon(Icon::Follow));
    follow_->setToolTip(tr("Show each run as it starts; choosing a run that does not train switches this off"));
    QToolButton* follow = addButton(follow_);
    addSeparator();
    buildVerbs();
    QToolButton* clone = addButton(&onRuns_.clone());
    addSeparator();
    buildAxis();
    buildSmoothing();
    addSeparator();
    link_->setCheckable(true);
    link_->setChecked(true);
    link_->setIcon(themeIcon(Icon::Link));
    link_->setToolTip(tr("One cross-hair for all curves (L)"));
    new ButtonFolder(*this, {follow, clone, addButton(link_)});
}

QToolButton* WatchBar::addButton(QAction* action) {
    auto* button = new QToolButton(this);  // not addAction(): its letters would work while the bar's boxes have the focus
    button->setDefaultAction(action);
    addWidget(button);
    button->setAutoRaise(false);
    button->setToolButtonStyle(action->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
    return button;
}

void WatchBar::buildVerbs() {
    for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Stop, RunVerb::Checkpoint}) {
        QAction& action = onRuns_.action(verb);
        QToolButton* button = addButton(&action);
        button->setObjectName(QStringLiteral("verb%1").arg(int(verb)));
        const int more = textWidth(pendingWord(verb), button->font()) - textWidth(action.iconText(), button->font());
        button->setMinimumWidth(button->sizeHint().width() + std::max(0, more));  // "Pausing…" moves nothing
    }
}

void WatchBar::buildAxis() {
    addWidget(word(tr("x"), this, true));
    axes_->setAccessibleName(tr("x-axis"));
    axes_->setToolTip(tr("What the x-axis counts (X)"));
    addWidget(axes_);
    setAxes({XAxis::Steps});
    connect(axes_, &QComboBox::activated, this, [this] {
        wished_ = axis();
        Q_EMIT axisChanged();
    });
    log_->setCheckable(true);
    log_->setToolTip(tr("Logarithmic y-axis of the loss (Y)"));
    addButton(log_);
}

void WatchBar::buildSmoothing() {
    addWidget(word(tr("Smoothing"), this));
    slider_ = new QSlider(Qt::Horizontal, this);
    slider_->setAccessibleName(tr("Smoothing"));
    slider_->setRange(0, kSlider);
    slider_->setFixedWidth(px(88));
    steps_ = new QSpinBox(this);
    steps_->setAccessibleName(tr("Smoothing in steps"));
    steps_->setRange(0, kMostSmoothing);
    steps_->setSpecialValueText(tr("off"));
    steps_->setSuffix(tr(" steps"));
    steps_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    steps_->setAlignment(Qt::AlignRight);
    steps_->setFixedWidth(px(78));
    steps_->setKeyboardTracking(false);
    steps_->setGroupSeparatorShown(true);
    const QString tip =
        tr("Causal moving average (EMA): the mean of the full series up to each step, a row weighted by e^(−age/n), n in "
           "steps; off at first for runs of less than 400 steps");
    slider_->setToolTip(tip);
    steps_->setToolTip(tip);
    addWidget(slider_);
    auto* gap = new QWidget(this);
    gap->setFixedWidth(px(4));
    addWidget(gap);
    addWidget(steps_);
    connect(slider_, &QSlider::valueChanged, this, [this](int value) { steps_->setValue(stepsAt(value)); });
    connect(steps_, &QSpinBox::valueChanged, this, [this](int steps) {
        const QSignalBlocker quiet(slider_);
        if (stepsAt(slider_->value()) != steps) slider_->setValue(sliderAt(steps));
        smoothingIsChosen_ = true;
        Q_EMIT smoothingChanged(steps);
    });
}

void WatchBar::setRuns(const std::vector<const Run*>& runs, const RunRef& current) {
    const QSignalBlocker quiet(runs_);
    bool same = runs_->count() == int(runs.size());
    for (int i = 0; same && i < runs_->count(); ++i)
        same = runs_->itemData(i).toString() == runs[std::size_t(i)]->ref.key() &&
               runs_->itemText(i) == runLabel(*runs[std::size_t(i)]);
    if (!same) {
        runs_->clear();
        for (const Run* run : runs) runs_->addItem(runLabel(*run), run->ref.key());
    }
    runs_->setCurrentIndex(runs_->findData(current.key()));
    runs_->setEnabled(!runs.empty());
}

void WatchBar::setAxes(const QList<XAxis>& possible) {
    QList<int> now;
    for (int i = 0; i < axes_->count(); ++i) now << axes_->itemData(i).toInt();
    QList<int> wanted;
    for (const XAxis one : possible) wanted << int(one);
    if (now == wanted) return;
    const QString names[] = {tr("Step"), tr("Epoch"), tr("Tokens"), tr("Time")};
    const QSignalBlocker quiet(axes_);
    axes_->clear();
    for (const XAxis one : possible) axes_->addItem(names[int(one)], int(one));
    axes_->setCurrentIndex(std::max(0, axes_->findData(int(wished_))));
}

XAxis WatchBar::axis() const { return XAxis(axes_->currentData().toInt()); }

void WatchBar::wishAxis(XAxis axis) {
    wished_ = axis;
    const int row = axes_->findData(int(axis));
    if (row < 0 || row == axes_->currentIndex()) return;
    axes_->setCurrentIndex(row);
    Q_EMIT axisChanged();
}

void WatchBar::nextAxis() {
    if (axes_->count() > 0) wishAxis(XAxis(axes_->itemData((axes_->currentIndex() + 1) % axes_->count()).toInt()));
}

int WatchBar::smoothing() const { return steps_->value(); }
void WatchBar::setSmoothing(int steps) {
    steps_->setValue(steps);
    smoothingIsChosen_ = true;
}

void WatchBar::suggestSmoothing(std::int64_t steps) {
    if (smoothingIsChosen_) return;
    steps_->setValue(usualSmoothing(steps));
    smoothingIsChosen_ = false;
}

int usualSmoothing(std::int64_t totalSteps) {
    constexpr std::int64_t kLeast = 400, kShare = 200;
    if (totalSteps < kLeast) return 0;
    int steps = 1;
    for (int power = 1; power <= kMostSmoothing; power *= 10)
        for (const int lead : {1, 2, 5})
            if (std::int64_t(lead) * power <= std::min<std::int64_t>(totalSteps / kShare, kMostSmoothing)) steps = lead * power;
    return steps;
}

void WatchBar::focusSmoothing() { slider_->setFocus(Qt::ShortcutFocusReason); }

}  // namespace heddle::ui::watch
