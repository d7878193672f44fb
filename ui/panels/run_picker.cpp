// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_picker.h"

#include "ui/data/studio.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>

#include <map>

namespace heddle::ui {
namespace {

/// A square in the colour of a group, hollow for one without a colour.
QIcon square(int order, qreal ratio) {
    QPixmap picture(QSize(px(12), px(12)) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    const QRect inner(1, 1, px(12) - 3, px(12) - 3);
    const QColor colour = order >= 0 ? Theme::runAt(order).color : Theme::color(Token::Border);
    if (order >= 0) painter.fillRect(inner, colour);
    painter.setPen(colour);
    painter.drawRect(inner);
    return QIcon(picture);
}

}  // namespace

RunPicker::RunPicker(Studio& studio, const QString& name, QWidget* parent, const QString& none)
    : QComboBox(parent), studio_(studio), none_(none) {
    setAccessibleName(name);
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumWidth(px(178));
    setMaximumWidth(px(240));
    view()->setMinimumWidth(px(320));
    lineEdit()->setAccessibleName(name);
    lineEdit()->setPlaceholderText(tr("no run"));
    completer()->setCompletionMode(QCompleter::PopupCompletion);
    completer()->setFilterMode(Qt::MatchContains);
    completer()->setCaseSensitivity(Qt::CaseInsensitive);
    completer()->popup()->setAccessibleName(name);
    completer()->popup()->setMinimumWidth(px(320));
    connect(this, &QComboBox::activated, this, [this](int row) {
        chosen_ = RunRef::fromKey(itemData(row).toString());
        Q_EMIT runChosen(chosen_);
    });
    // Text that was typed without choosing a run is replaced.
    connect(lineEdit(), &QLineEdit::editingFinished, this, [this] { setEditText(itemText(currentIndex())); });
    connect(&studio.databases(), &Databases::runsChanged, this, &RunPicker::fill);
    connect(&studio.verbs(), &PendingVerbs::changed, this, &RunPicker::fill);
    connect(&studio.colours(), &VariantColours::changed, this, &RunPicker::fill);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        lines_.clear();  // their squares have the colours of the theme before
        fill();
    });
}

void RunPicker::setChosen(const RunRef& run) {
    chosen_ = run;
    fill();
}

void RunPicker::showEvent(QShowEvent* event) {
    fill();
    QComboBox::showEvent(event);
}

/// Runs with the same label are distinguished by the beginning of their ids.
std::vector<RunPicker::Line> RunPicker::lines() const {
    const auto& runs = studio_.databases().runs();
    std::map<QString, int> labels;
    for (const Run* run : runs) ++labels[runLabel(*run)];
    std::vector<Line> lines;
    for (const Run* run : runs) {
        QString label = runLabel(*run);
        if (labels[label] > 1) label += QStringLiteral(" · ") + QString::fromStdString(run->id).left(4);
        lines.push_back({run->ref.key(), tr("%1 · %2", "run, its state").arg(label, studio_.stateWord(*run)),
                         studio_.colours().orderOf(*run)});
    }
    return lines;
}

void RunPicker::fill() {
    if (!isVisible()) return;
    std::vector<Line> now = lines();
    const QSignalBlocker blocker(this);
    setEnabled(!now.empty());
    if (now != lines_ || count() == 0) {
        clear();
        if (!none_.isEmpty()) addItem(none_, QString());
        for (const Line& line : now) addItem(square(line.order, devicePixelRatioF()), line.text, line.key);
        lines_ = std::move(now);
        setCurrentIndex(-1);
    }
    const int row = chosen_.empty() ? -1 : findData(chosen_.key());
    if (row != currentIndex()) setCurrentIndex(row);
    if (row < 0 && !lineEdit()->hasFocus()) clearEditText();
    setToolTip(currentText());
    if (!lineEdit()->hasFocus()) lineEdit()->setCursorPosition(0);  // show the beginning of a long name
}

}  // namespace heddle::ui
