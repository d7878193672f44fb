// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/panel.h"

#include "engine/analysis/table_export.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/picture.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QMenu>
#include <QPainter>
#include <QPointer>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace heddle::ui {

Panel::Panel(const QString& title, QWidget* parent)
    : QWidget(parent),
      column_(new QVBoxLayout(this)),
      head_(new PanelTitle(title, this)),
      stack_(new QStackedWidget(this)),
      empty_(new EmptyState(stack_)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    setAccessibleName(title);
    column_->addWidget(head_);
    stack_->addWidget(empty_);
    column_->addWidget(stack_, 1);
    connect(&Theme::instance(), &Theme::changed, this, &Panel::recolour);
}

/// Plots have their own background.
void Panel::recolour() {
    if (plots_.isEmpty()) return;
    QPalette ground = stack_->palette();
    ground.setColor(QPalette::Window, Theme::color(Token::Base));
    stack_->setPalette(ground);
    stack_->setAutoFillBackground(true);
    update();
}

void Panel::addPlotButtons() {
    QToolButton* save = headButton("export", tr("Export %1").arg(title()));
    save->setIcon(themeIcon(Icon::Export, Token::Text2));
    save->setToolTip(tr("Export as SVG, PDF, PNG or table (Ctrl+E)"));
    connect(save, &QToolButton::clicked, this, &Panel::exportAs);
    expand_ = headButton("fullSize", tr("Full size: %1").arg(title()));
    connect(expand_, &QToolButton::clicked, this, &Panel::expandRequested);
    setExpanded(false);
    QToolButton* more = headButton("more", tr("More for %1").arg(title()));
    more->setIcon(themeIcon(Icon::Menu, Token::Text2));
    more->setToolTip(tr("Table, copy, export"));
    auto* menu = new QMenu(more);
    menu->addAction(themeIcon(Icon::Table, Token::Text2), tr("Table or chart"), this, &Panel::toggleTable);
    menu->addAction(themeIcon(Icon::Copy, Token::Text2), tr("Copy"), this, &Panel::copy);
    menu->addAction(themeIcon(Icon::Export, Token::Text2), tr("Export…"), this, &Panel::exportAs);
    connect(more, &QToolButton::clicked, menu, [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
}

QToolButton* Panel::headButton(const char* objectName, const QString& accessibleName) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(objectName));
    button->setAutoRaise(true);
    button->setFixedSize(px(24), px(22));
    button->setAccessibleName(accessibleName);
    setControlRole(*button, ControlRole::Small);
    head_->add(button);
    return button;
}

QString Panel::title() const { return head_->title(); }

QWidget* Panel::titleRow() const { return head_; }

void Panel::setNote(const QString& note, const QString& tip) { head_->setNote(note, tip); }

void Panel::setExpanded(bool expanded) {
    expand_->setIcon(themeIcon(expanded ? Icon::Shrink : Icon::Expand, Token::Text2));
    expand_->setToolTip(expanded ? tr("Back to the page (Esc)") : tr("Full size (F)"));
}

void Panel::setBody(QWidget* body, const QList<PlotView*>& plots) {
    plots_ = plots;
    if (!plots_.isEmpty()) addPlotButtons();
    recolour();
    stack_->addWidget(body);
    stack_->setCurrentWidget(body);
}

QWidget* Panel::scrolled(PlotView* plot) {
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(plot);
    scroll->setFocusPolicy(Qt::NoFocus);
    return scroll;
}

void Panel::addToHead(QWidget* choice) { head_->addBeforeNote(choice); }

void Panel::addToHeadEnd(QWidget* control) { head_->add(control); }

QComboBox* Panel::addChoice(const QString& name) {
    auto* box = new QComboBox(this);
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    setControlRole(*box, ControlRole::Small);
    box->setMinimumWidth(px(60));   // in a narrow panel
    box->setMaximumWidth(px(168));  // beside the title and the note; the list that opens is as wide as its entries
    box->hide();
    addToHead(box);
    return box;
}

void Panel::fillChoice(QComboBox& box, const QStringList& keys, const QStringList& words, const QString& preferred) {
    QStringList now;
    for (int i = 0; i < box.count(); ++i) now << box.itemData(i).toString();
    if (now == keys) return;
    const QSignalBlocker blocker(box);
    box.clear();
    for (qsizetype i = 0; i < keys.size(); ++i) box.addItem(words[i], keys[i]);
    box.setCurrentIndex(std::max(0, box.findData(preferred)));
    box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + px(24));
    box.setEnabled(box.count() > 1);
    box.setVisible(box.count() > 0);
}

QHBoxLayout* Panel::foot() {
    if (foot_) return foot_;
    auto* row = new QWidget(this);
    row->setFixedHeight(px(28));
    foot_ = new QHBoxLayout(row);
    foot_->setContentsMargins(px(10), 0, px(8), 0);
    foot_->setSpacing(px(6));
    column_->addWidget(row);
    return foot_;
}

void Panel::setSubject(const Subject& subject) {
    if (subject == subject_) return;
    const Subject before = std::exchange(subject_, subject);
    if (before.run != subject_.run || (before.detail && !subject_.detail)) clearRun();
    if (subject_.detail) showSubject(before);
}

/// Keeps emptyReason(): a folded panel must not unfold for a moment.
void Panel::setEmpty(const QString& title) {
    setNote({});
    showText(title, subject_.run.empty() ? tr("Choose a run.") : QString());
}

void Panel::setPlaceholder(const QString& title, const QString& text) {
    showText(title, text);
    noteEmptyReason({});
}

void Panel::setEmptyReason(const QString& title, const QString& text) {
    showText(title, text);
    noteEmptyReason(title);
}

void Panel::noteEmptyReason(const QString& reason) {
    if (reason == emptyReason_) return;
    emptyReason_ = reason;
    Q_EMIT emptyReasonChanged();
}

void Panel::showText(const QString& title, const QString& text) {
    empty_->setWords(title, text);
    stack_->setCurrentIndex(title.isEmpty() ? 1 : 0);
    if (foot_) foot_->parentWidget()->setVisible(title.isEmpty());  // no scale without a plot
}

void Panel::paintEvent(QPaintEvent*) {
    if (!foot_ || foot_->parentWidget()->isHidden()) return;
    QPainter painter(this);
    const int top = height() - px(28);
    painter.fillRect(QRect(0, top, width(), px(28)), Theme::color(Token::Panel));
    painter.fillRect(QRect(0, top, width(), 1), Theme::color(Token::Line));
}

PlotView* Panel::currentPlot() const {
    for (PlotView* plot : plots_)
        if (plot->hasFocus() || plot->isAncestorOf(QApplication::focusWidget())) return plot;
    return plots_.isEmpty() ? nullptr : plots_.first();
}

void Panel::toggleTable() {
    if (PlotView* plot = currentPlot()) plot->setMode(plot->mode() == PlotMode::Chart ? PlotMode::Table : PlotMode::Chart);
}

void Panel::copy() {
    if (PlotView* plot = currentPlot()) plot->copyToClipboard();
}

void Panel::exportAs() {
    PlotView* plot = currentPlot();
    if (!plot) return;
    openExportDialog({tr("Export %1").arg(title()), pictureFilters() + tableFilters(), title().toLower()}, this,
                     [this, plot = QPointer(plot)](const QString& file) {
                         try {
                             if (plot) writePlot(*plot, file);
                         } catch (const std::exception& error) {
                             Q_EMIT failed({tr("%1 was not exported: %2").arg(title(), problemOf(error).what), file, {}, {}});
                         }
                     });
}

void PanelGroup::setPanels(const QList<Panel*>& panels) {
    panels_ = panels;
    for (Panel* panel : panels_) {
        connect(panel, &Panel::expandRequested, this, [this, panel] { expand(expanded_ == panel ? nullptr : panel); });
        connect(panel, &Panel::failed, this, &PanelGroup::failed);
    }
}

QList<QWidget*> PanelGroup::plots() const {
    QList<QWidget*> plots;
    for (const Panel* panel : panels_)
        for (PlotView* plot : panel->plots()) plots.append(plot);
    return plots;
}

Panel* PanelGroup::current() const {
    for (Panel* panel : panels_)
        if (!panel->plots().isEmpty() && panel->isAncestorOf(QApplication::focusWidget())) return panel;
    return expanded_ ? expanded_ : panels_.first();
}

void PanelGroup::expand(Panel* panel) {
    if (panel == expanded_) return;
    Panel* const before = std::exchange(expanded_, panel);
    if (before) before->setExpanded(false);
    Q_EMIT expandedChanged(before);
    if (!panel) return;
    panel->setExpanded(true);
    if (PlotView* plot = panel->currentPlot()) plot->setFocus();
}

void PanelGroup::toggleFullSize() {
    Panel* const panel = current();
    expand(expanded_ == panel ? nullptr : panel);
}

void writePlot(PlotView& plot, const QString& file) {
    if (tableFormatOf(file.toStdString())) return writeWhole(file, tableBytes(plot.table(), file));
    writePicture(plot.picture(plot.size()), file);
}

}  // namespace heddle::ui
