// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/watch_bar.h"

#include "ui/data/studio.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/panels/run_picker.h"
#include "ui/plot/smoothing.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"
#include "ui/widgets/stored_choices.h"
#include "ui/widgets/tool_bar_compactor.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::ui::watch {
namespace {

constexpr int kSlider = 1000, kDefault = -1;

/// The slider is logarithmic from 1; its left end switches smoothing off.
int stepsAt(int slider) {
    return slider <= 0 ? 0 : int(std::lround(std::pow(double(kMostSmoothing), double(slider) / kSlider)));
}
int sliderAt(int steps) {
    return steps <= 0 ? 0 : int(std::lround(kSlider * std::log(double(steps)) / std::log(double(kMostSmoothing))));
}

QLabel* makeLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setContentsMargins(px(4), 0, px(2), 0);
    return label;
}

}  // namespace

WatchBar::WatchBar(Studio& studio, RunActions& onRuns, QWidget* parent)
    : QToolBar(tr("Watch"), parent),
      studio_(studio),
      onRuns_(onRuns),
      runs_(new RunPicker(studio, tr("Run shown"), this)),
      axes_(new QComboBox(this)),
      follow_(toggle({"followRuns",
                      tr("Follow runs"),
                      Icon::Follow,
                      {},
                      tr("Show each run as it starts; choosing a run that does not train switches this off")},
                     Toggle::On)),
      log_(toggle({"logY", tr("log y"), {}, {}, tr("Logarithmic y-axis of the loss (Y)")}, Toggle::Off)),
      link_(toggle({"linkCursors", tr("Link cursors"), Icon::Link, {}, tr("Show the cursor on all curves (L)")}, Toggle::On)) {
    setObjectName(QStringLiteral("watch_bar"));
    setMovable(false);
    setFloatable(false);
    runs_->setObjectName(QStringLiteral("runShown"));
    runs_->setFont(strongFont(Type::Body));
    addWidget(runs_);
    connect(runs_, &RunPicker::runChosen, this, &WatchBar::choose);
    connect(&studio.databases(), &Databases::opened, this, [this] { live_.reset(); });  // its runs did not start now
    connect(&studio.databases(), &Databases::closed, this, [this] { live_.reset(); });
    QToolButton* follow = addButton(*this, follow_, Qt::ToolButtonTextBesideIcon);
    addSeparator();
    buildVerbs();
    QToolButton* clone = addButton(*this, &onRuns_.clone(), Qt::ToolButtonTextBesideIcon);
    addSeparator();
    buildAxis();
    buildSmoothing();
    addSeparator();
    new ToolBarCompactor(*this, {follow, clone, addButton(*this, link_, Qt::ToolButtonTextBesideIcon)});
}

QAction* WatchBar::toggle(const ActionInfo& info, Toggle state) {
    QAction* action = makeAction(this, info);
    action->setCheckable(true);
    action->setChecked(state == Toggle::On);
    return action;
}

void WatchBar::buildVerbs() {
    for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Stop, RunVerb::Checkpoint}) {
        QAction& action = onRuns_.action(verb);
        QToolButton* button = addButton(*this, &action, Qt::ToolButtonTextBesideIcon);
        const int more = textWidth(pendingWord(verb), button->font()) - textWidth(action.iconText(), button->font());
        button->setMinimumWidth(button->sizeHint().width() + std::max(0, more));  // "Pausing…" does not move other buttons
    }
}

void WatchBar::buildAxis() {
    //: The x-axis.
    QLabel* x = makeLabel(tr("x"), this);
    setCaption(*x);
    addWidget(x);
    axes_->setObjectName(QStringLiteral("xAxis"));
    axes_->setAccessibleName(tr("x-axis"));
    axes_->setToolTip(tr("Quantity on the x-axis (X)"));
    addWidget(axes_);
    setAxes({XAxis::Steps});
    connect(axes_, &QComboBox::activated, this, [this] {
        wanted_ = axis();
        Q_EMIT axisChanged();
    });
    addButton(*this, log_, Qt::ToolButtonTextBesideIcon);
}

void WatchBar::buildSmoothing() {
    addWidget(makeLabel(tr("Smoothing"), this));
    slider_ = new QSlider(Qt::Horizontal, this);
    slider_->setObjectName(QStringLiteral("smoothing"));
    slider_->setAccessibleName(tr("Smoothing"));
    slider_->setRange(0, kSlider);
    slider_->setFixedWidth(px(88));
    steps_ = new QSpinBox(this);
    steps_->setObjectName(QStringLiteral("smoothingSteps"));
    steps_->setAccessibleName(tr("Smoothing in steps"));
    steps_->setRange(0, kMostSmoothing);
    //: No smoothing.
    steps_->setSpecialValueText(tr("off"));
    steps_->setSuffix(tr(" steps"));
    steps_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    steps_->setAlignment(Qt::AlignRight);
    steps_->setFixedWidth(px(78));
    steps_->setKeyboardTracking(false);
    steps_->setGroupSeparatorShown(true);
    const QString tip =
        tr("Causal exponential moving average (EMA): the mean of the rows up to each step, each weighted by e^(−age/n), with n "
           "in steps. Runs of less than 400 steps are not smoothed by default.");
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

void WatchBar::chooseRun() {
    const auto& runs = studio_.databases().runs();
    const RunRef& current = studio_.currentRun();
    const auto isKnown = [&] { return studio_.databases().run(current) != nullptr; };
    follow();
    if (isKnown()) seen_ = current;
    if (!runs.empty() && !isKnown() && (current.empty() || current == seen_)) {
        const auto live = std::find_if(runs.begin(), runs.end(), [](const Run* run) { return isLive(*run); });
        studio_.setCurrentRun(live == runs.end() ? runs.front()->ref : (*live)->ref);
    }
    runs_->setChosen(current);
    applyDefaultSmoothing();
    setEnabled(!runs.empty());
}

void WatchBar::follow() {
    std::set<RunRef> live;
    const Run* started = nullptr;
    for (const Run* run : studio_.databases().runs()) {  // newest first
        if (!isLive(*run)) continue;
        if (live_ && !live_->contains(run->ref) && !started) started = run;
        live.insert(run->ref);
    }
    live_ = std::move(live);
    if (started && follow_->isChecked()) studio_.setCurrentRun(started->ref);
}

void WatchBar::choose(const RunRef& run) {
    if (run == studio_.currentRun()) return;
    const Run* record = studio_.databases().run(run);
    if (record && !isLive(*record)) follow_->setChecked(false);
    studio_.setCurrentRun(run);
}

void WatchBar::setAxes(const QList<XAxis>& possible) {
    if (std::exchange(possible_, possible) == possible) return;
    const QString names[] = {tr("Step"), tr("Epoch"), tr("Tokens"), tr("Time")};
    const QSignalBlocker quiet(axes_);
    axes_->clear();
    for (const XAxis one : possible) axes_->addItem(names[int(one)], int(one));
    axes_->setCurrentIndex(std::max(0, axes_->findData(int(wanted_))));
}

XAxis WatchBar::axis() const { return XAxis(axes_->currentData().toInt()); }

void WatchBar::setAxis(XAxis axis) {
    wanted_ = axis;
    const int row = axes_->findData(int(axis));
    if (row < 0 || row == axes_->currentIndex()) return;
    axes_->setCurrentIndex(row);
    Q_EMIT axisChanged();
}

void WatchBar::nextAxis() {
    if (axes_->count() > 0) setAxis(XAxis(axes_->itemData((axes_->currentIndex() + 1) % axes_->count()).toInt()));
}

int WatchBar::smoothing() const { return steps_->value(); }
void WatchBar::setSmoothing(int steps) {
    steps_->setValue(steps);
    smoothingIsChosen_ = true;
}

void WatchBar::applyDefaultSmoothing() {
    const Run* run = studio_.databases().run(studio_.currentRun());
    if (!run || smoothingIsChosen_) return;
    steps_->setValue(defaultSmoothing(run->step));
    smoothingIsChosen_ = false;
}

int defaultSmoothing(std::int64_t totalSteps) {
    constexpr std::int64_t kLeast = 400, kShare = 200;
    if (totalSteps < kLeast) return 0;
    int steps = 1;
    for (int power = 1; power <= kMostSmoothing; power *= 10)
        for (const int lead : {1, 2, 5})
            if (std::int64_t(lead) * power <= std::min<std::int64_t>(totalSteps / kShare, kMostSmoothing)) steps = lead * power;
    return steps;
}

void WatchBar::storeChoices(StoredChoices& choices) {
    choices.add(QStringLiteral("watch/log_y"), *log_);
    choices.add(QStringLiteral("watch/link"), *link_);
    choices.add(QStringLiteral("watch/follow"), *follow_);
    choices.add(
        QStringLiteral("watch/axis"), [this] { return int(axis()); },
        [this](const QVariant& stored) { setAxis(XAxis(stored.toInt())); });
    choices.add(
        QStringLiteral("watch/smoothing"), [this] { return smoothingIsChosen_ ? smoothing() : kDefault; },
        [this](const QVariant& stored) {
            if (stored.toInt() != kDefault) setSmoothing(stored.toInt());
        });
}

void WatchBar::focusSmoothing() { slider_->setFocus(Qt::ShortcutFocusReason); }

}  // namespace heddle::ui::watch
