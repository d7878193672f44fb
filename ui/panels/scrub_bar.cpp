// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scrub_bar.h"

#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kFrameMs = 200;

}  // namespace

ScrubBar::ScrubBar(QWidget* parent) : QWidget(parent), scrubber_(new Scrubber(this)) {
    setFixedHeight(px(46));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(10), 0, px(10), 0);
    row->setSpacing(px(8));
    auto* name = new QLabel(tr("Snapshot"), this);
    name->setFont(strongFont(Type::Section));
    row->addWidget(name);
    previous_ = button(tr("Previous snapshot"), tr("Previous snapshot (Left)"));
    playButton_ = button(tr("Play the snapshots"), tr("Play through training"));
    next_ = button(tr("Next snapshot"), tr("Next snapshot (Right)"));
    previous_->setIcon(themeIcon(Icon::ChevronLeft));
    next_->setIcon(themeIcon(Icon::ChevronRight));
    row->addWidget(scrubber_, 1);
    field_ = new QSpinBox(this);
    field_->setAccessibleName(tr("Step of the snapshot"));
    field_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    field_->setGroupSeparatorShown(true);
    field_->setAlignment(Qt::AlignRight);
    field_->setFont(numberFont(Type::Body));
    field_->setKeyboardTracking(false);
    field_->setFixedWidth(px(76));
    field_->setMaximum(0);
    row->addWidget(field_);
    note_ = new QLabel(this);
    note_->setFont(numberFont(Type::Caption));
    note_->setForegroundRole(QPalette::PlaceholderText);
    note_->setMinimumWidth(textWidth(tr("epoch 100; 100 kept"), note_->font()));
    row->addWidget(note_);
    follow_ = new QPushButton(tr("Follow"), this);
    follow_->setCheckable(true);
    follow_->setToolTip(tr("Stay at the newest snapshot (End)"));
    row->addWidget(follow_);
    play_.setInterval(kFrameMs);
    connectAll();
    showState();
}

void ScrubBar::connectAll() {
    connect(previous_, &QToolButton::clicked, this, &ScrubBar::goPrevious);
    connect(next_, &QToolButton::clicked, this, &ScrubBar::goNext);
    connect(playButton_, &QToolButton::clicked, this, &ScrubBar::togglePlay);
    connect(&play_, &QTimer::timeout, this, &ScrubBar::playOn);
    connect(scrubber_, &QAbstractSlider::valueChanged, this, [this](int step) {
        showState();
        Q_EMIT stepChanged(step);
    });
    connect(scrubber_, &Scrubber::followChanged, this, &ScrubBar::showState);
    connect(follow_, &QPushButton::clicked, this,
            [this](bool checked) { scrubber_->setFollow(checked ? Follow::On : Follow::Off); });
    connect(field_, &QSpinBox::valueChanged, this, [this](int step) {
        scrubber_->goTo(step);
        showState();  // the field shows an existing snapshot
    });
}

QToolButton* ScrubBar::button(const QString& name, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setFixedSize(px(24), px(24));
    made->setAccessibleName(name);
    made->setToolTip(tip);
    layout()->addWidget(made);
    return made;
}

void ScrubBar::setDetail(const RunDetail* detail, const std::vector<int>& snapshots) {
    scrubber_->setEvents(detail ? detail->flags() : QList<CurveEvent>{});
    const auto best = detail ? detail->bestStep() : std::nullopt;
    scrubber_->setBest(best ? std::optional(int(*best)) : std::nullopt);
    const int last = std::max(detail ? int(std::max(detail->record.totalSteps, detail->record.step)) : 0,
                              snapshots.empty() ? 1 : snapshots.back());
    if (snapshots == scrubber_->snapshots() && last == scrubber_->maximum()) return;
    scrubber_->setSteps(last);
    scrubber_->setSnapshots(snapshots);
    showState();
}

void ScrubBar::setNote(const QString& note) { note_->setText(note); }

void ScrubBar::goPrevious() { scrubber_->goBy(-1); }
void ScrubBar::goNext() { scrubber_->goBy(1); }
void ScrubBar::goFirst() { scrubber_->goBy(-int(scrubber_->snapshots().size())); }
void ScrubBar::follow() { scrubber_->setFollow(Follow::On); }

void ScrubBar::hideEvent(QHideEvent* event) {
    if (!event->spontaneous() && play_.isActive()) togglePlay();
    QWidget::hideEvent(event);
}

void ScrubBar::togglePlay() {
    if (play_.isActive()) {
        play_.stop();
    } else if (scrubber_->snapshots().size() > 1) {
        if (step() == scrubber_->snapshots().back()) goFirst();
        play_.start();
    }
    showState();
}

void ScrubBar::playOn() {
    if (scrubber_->snapshots().empty() || step() == scrubber_->snapshots().back()) play_.stop();
    if (play_.isActive()) goNext();
    showState();
}

void ScrubBar::showState() {
    const std::vector<int>& steps = scrubber_->snapshots();
    const QSignalBlocker blocker(field_);
    field_->setRange(0, std::max(1, scrubber_->maximum()));
    field_->setValue(scrubber_->value());
    for (QWidget* part : std::initializer_list<QWidget*>{field_, scrubber_, follow_}) part->setEnabled(!steps.empty());
    previous_->setEnabled(!steps.empty() && step() > steps.front());
    next_->setEnabled(!steps.empty() && step() < steps.back());
    playButton_->setEnabled(steps.size() > 1);
    playButton_->setIcon(themeIcon(play_.isActive() ? Icon::Pause : Icon::Play));
    follow_->setChecked(scrubber_->follow() == Follow::On);
}

void ScrubBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    painter.fillRect(QRect(0, 0, width(), 1), Theme::color(Token::Line));
}

}  // namespace heddle::ui
