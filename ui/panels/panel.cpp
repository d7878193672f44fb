// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/panel.h"

#include "engine/analysis/table_export.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/picture.h"

#include <QApplication>
#include <QBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>

#include <utility>

namespace heddle::ui {

Panel::Panel(const QString& title, QWidget* parent)
    : QWidget(parent),
      column_(new QVBoxLayout(this)),
      head_(new PanelTitle(title, this)),
      emptyTitle_(new QLabel(this)),
      emptyText_(new QLabel(this)),
      stack_(new QStackedWidget(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    setAccessibleName(title);
    column_->addWidget(head_);
    buildHead();
    auto* empty = new QWidget(stack_);
    auto* words = new QVBoxLayout(empty);
    words->setContentsMargins(px(24), px(24), px(24), px(24));
    words->setSpacing(px(4));
    emptyTitle_->setFont(strongFont(Type::Body));
    emptyText_->setWordWrap(true);
    emptyText_->setForegroundRole(QPalette::PlaceholderText);
    words->addWidget(emptyTitle_);
    words->addWidget(emptyText_);
    words->addStretch();
    stack_->addWidget(empty);
    column_->addWidget(stack_, 1);
    connect(&Theme::instance(), &Theme::changed, this, &Panel::recolour);
    recolour();
}

void Panel::recolour() {
    QPalette ground = stack_->palette();
    ground.setColor(QPalette::Window, Theme::color(Token::Base));
    stack_->setPalette(ground);
    stack_->setAutoFillBackground(true);
    update();
}

void Panel::buildHead() {
    QToolButton* save = headButton(tr("Export %1").arg(title()));
    save->setIcon(themeIcon(Icon::Export, Token::Text2));
    save->setToolTip(tr("Export as SVG, PDF, PNG or table (Ctrl+E)"));
    connect(save, &QToolButton::clicked, this, &Panel::exportAs);
    expand_ = headButton(tr("Full size: %1").arg(title()));
    connect(expand_, &QToolButton::clicked, this, &Panel::expandRequested);
    setExpanded(false);
    QToolButton* more = headButton(tr("More for %1").arg(title()));
    more->setIcon(themeIcon(Icon::Menu, Token::Text2));
    more->setToolTip(tr("Table, copy, export"));
    auto* menu = new QMenu(more);
    menu->addAction(themeIcon(Icon::Table, Token::Text2), tr("Table or chart"), this, &Panel::toggleTable);
    menu->addAction(themeIcon(Icon::Copy, Token::Text2), tr("Copy"), this, &Panel::copy);
    menu->addAction(themeIcon(Icon::Export, Token::Text2), tr("Export…"), this, &Panel::exportAs);
    connect(more, &QToolButton::clicked, menu, [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
}

QToolButton* Panel::headButton(const QString& name) {
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setFixedSize(px(24), px(22));
    button->setAccessibleName(name);
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
    stack_->addWidget(body);
    stack_->setCurrentWidget(body);
}

void Panel::setScrolledBody(PlotView* plot) {
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(plot);
    scroll->setFocusPolicy(Qt::NoFocus);
    setBody(scroll, {plot});
}

void Panel::addToHead(QWidget* choice) { head_->addBeforeNote(choice); }

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
    if (before.run != subject_.run || (before.detail && !subject_.detail)) forgetRun();
    if (subject_.detail) showSubject(before);
}

/// Leaves emptyReason() as it is, so that a panel that is folded away does not unfold for a moment.
void Panel::setEmpty(const QString& title) {
    setNote({});
    showWords(title, subject_.run.empty() ? tr("Choose a run.") : QString());
}

void Panel::setPlaceholder(const QString& title, const QString& text) {
    showWords(title, text);
    noteEmptyReason({});
}

void Panel::setEmptyReason(const QString& title, const QString& text) {
    showWords(title, text);
    noteEmptyReason(title);
}

void Panel::noteEmptyReason(const QString& reason) {
    if (reason == emptyReason_) return;
    emptyReason_ = reason;
    Q_EMIT emptyReasonChanged();
}

void Panel::showWords(const QString& title, const QString& text) {
    emptyTitle_->setText(title);
    emptyText_->setText(text);
    stack_->setCurrentIndex(title.isEmpty() ? 1 : 0);
    if (foot_) foot_->parentWidget()->setVisible(title.isEmpty());  // a scale of nothing says nothing
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

void writePlot(PlotView& plot, const QString& file) {
    if (tableFormatOf(file.toStdString())) return writeWhole(file, tableBytes(plot.table(), file));
    writePicture(plot.picture(plot.size()), file);
}

}  // namespace heddle::ui
