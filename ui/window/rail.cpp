// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/rail.h"

#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QActionGroup>
#include <QEvent>
#include <QFile>
#include <QLayout>
#include <QPainter>
#include <QThread>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kEveryMs = 2000;

QByteArray readSystemFile(const char* path) {
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// KiB of a line of /proc/meminfo.
double memory(const QByteArray& text, const char* key) {
    const qsizetype at = text.indexOf(key);
    if (at < 0) return 0;
    const QByteArray line = text.mid(at, text.indexOf('\n', at) - at).simplified();
    return line.split(' ').value(1).toDouble();
}

}  // namespace

DeviceTile::DeviceTile(QWidget* parent) : QWidget(parent), timer_(new QTimer(this)) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    timer_->setTimerType(Qt::VeryCoarseTimer);
    timer_->setInterval(kEveryMs);
    connect(timer_, &QTimer::timeout, this, &DeviceTile::poll);
    poll();
}

QSize DeviceTile::sizeHint() const { return {px(64), px(68)}; }

void DeviceTile::showEvent(QShowEvent* event) {
    timer_->start();
    QWidget::showEvent(event);
}

void DeviceTile::hideEvent(QHideEvent* event) {
    timer_->stop();
    QWidget::hideEvent(event);
}

/// The kernel makes both files in memory when they are read; no disk is used.
void DeviceTile::poll() {
    const QList<QByteArray> fields = readSystemFile("/proc/stat").split('\n').value(0).simplified().split(' ');
    qint64 all = 0;
    for (qsizetype i = 1; i < std::min<qsizetype>(fields.size(), 9); ++i) all += fields[i].toLongLong();
    const qint64 busy = all - fields.value(4).toLongLong() - fields.value(5).toLongLong();  // idle and waiting for disks
    if (all > allBefore_) load_ = double(busy - busyBefore_) / double(all - allBefore_);
    busyBefore_ = busy;
    allBefore_ = all;
    const QByteArray info = readSystemFile("/proc/meminfo");
    const double total = memory(info, "MemTotal:"), free = memory(info, "MemAvailable:");
    taken_ = total > 0 ? (total - free) / total : 0;
    takenBytes_ = (total - free) * 1024;
    const QString words =
        tr("Processor: %Ln thread(s), %1 % busy. Memory: %2 GiB of %3 GiB in use.", nullptr, QThread::idealThreadCount())
            .arg(number(load_ * 100, 0), number(takenBytes_ / (1 << 30), 1), number(total / (1 << 20), 1));
    setToolTip(words);
    setAccessibleName(words);
    update();
}

void DeviceTile::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(Theme::color(Token::Line));
    painter.drawLine(0, 0, width(), 0);
    const int left = px(5), wide = width() - 2 * left;
    int y = px(6);
    const auto line = [&](const QString& words, const QFont& font, Token token) {
        painter.setFont(font);
        painter.setPen(Theme::color(token));
        painter.drawText(QRect(left, y, wide, px(14)), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, wide));
        y += px(14);
    };
    const auto bar = [&](double share) {
        const QRect ground(left, y + px(1), wide, px(3));
        painter.fillRect(ground, Theme::color(Token::Line));
        painter.fillRect(QRect(ground.topLeft(), QSize(int(wide * std::clamp(share, 0.0, 1.0)), ground.height())),
                         Theme::color(Token::Run));
        y += px(7);
    };
    line(tr("cpu × %1").arg(QThread::idealThreadCount()), strongFont(Type::Caption), Token::Text);
    //: The load of the processor in percent.
    line(tr("%1 %").arg(number(load_ * 100, 0)), numberFont(Type::Caption), Token::Text);
    bar(load_);
    line(tr("%1 GiB").arg(number(takenBytes_ / (1 << 30), 1)), numberFont(Type::Caption), Token::Text);
    bar(taken_);
}

Rail::Rail(QWidget* parent) : QToolBar(tr("Pages"), parent), group_(new QActionGroup(this)) {
    setObjectName(QStringLiteral("rail"));
    setOrientation(Qt::Vertical);
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);  // its only entry would hide the rail
    toggleViewAction()->setVisible(false);
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    setIconSize({px(20), px(20)});
    layout()->setContentsMargins(0, 0, 0, 0);
    layout()->setSpacing(0);
    auto* space = new QWidget(this);
    space->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    space_ = addWidget(space);
    addWidget(tile_ = new DeviceTile(this));
    fitWidth();
}

QAction* Rail::addEntry(const QString& name, Icon icon, const QString& title) {
    auto* action =
        new QAction(themeIcon(icon, {Token::Text2, Token::Text, Token::Onsel, Token::Disabled, Token::Accent}), title, this);
    action->setObjectName(name);
    action->setCheckable(true);
    group_->addAction(action);
    insertAction(space_, action);
    if (auto* button = qobject_cast<QToolButton*>(widgetForAction(action))) {
        setControlRole(*button, ControlRole::Rail);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setObjectName(name);
        button->setAccessibleName(title);
    }
    fitWidth();
    return action;
}

void Rail::fitWidth() {
    int width = px(64);
    for (QAction* action : group_->actions()) width = std::max(width, textWidth(action->text(), typeFont(Type::Body)) + px(8));
    width = std::min(width, px(128));  // longer titles are elided; the tool tips show all of them
    for (QAction* action : group_->actions())
        if (QWidget* button = widgetForAction(action)) button->setFixedWidth(width);
    if (tile_) tile_->setFixedWidth(width);
    setFixedWidth(width);
}

bool Rail::event(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) fitWidth();
    return QToolBar::event(event);
}

void Rail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Window));
    painter.setPen(Theme::color(Token::Line));
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

}  // namespace heddle::ui
