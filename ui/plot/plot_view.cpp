// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_view.h"

#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMimeData>
#include <QStackedLayout>
#include <QTableView>

namespace heddle::ui {

PlotView::PlotView(QWidget* parent) : QWidget(parent), stack_(new QStackedLayout(this)) {
    stack_->setContentsMargins(0, 0, 0, 0);
    setFocusPolicy(Qt::StrongFocus);
}

PlotView::~PlotView() = default;

void PlotView::setChart(QWidget* chart) {
    stack_->addWidget(chart);
    chart->setFocusProxy(this);
}

void PlotView::setMode(PlotMode mode) {
    if (mode == mode_) return;
    mode_ = mode;
    if (mode == PlotMode::Table && !tableView_) {
        model_ = new PlotTableModel(this);
        tableView_ = new QTableView(this);
        tableView_->setModel(model_);
        tableView_->setAccessibleName(tr("Shown data as a table"));
        tableView_->setFont(numberFont(Type::Body));
        tableView_->setFrameShape(QFrame::NoFrame);
        tableView_->setAlternatingRowColors(true);
        tableView_->verticalHeader()->hide();
        tableView_->verticalHeader()->setDefaultSectionSize(px(24));
        tableView_->setSelectionBehavior(QAbstractItemView::SelectRows);
        stack_->addWidget(tableView_);
    }
    stack_->setCurrentIndex(mode == PlotMode::Table ? 1 : 0);
    Q_EMIT modeChanged(mode);
    tableChanged();
    if (mode == PlotMode::Table) {
        tableView_->resizeColumnsToContents();
        tableView_->setFocus();
    } else {
        setFocus();
    }
}

void PlotView::tableChanged() {
    if (model_ && mode_ == PlotMode::Table) model_->setTable(table());
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copyToClipboard();
    if (event->key() == Qt::Key_T && event->modifiers() == Qt::NoModifier)
        return setMode(mode_ == PlotMode::Chart ? PlotMode::Table : PlotMode::Chart);
    QWidget::keyPressEvent(event);
}

void PlotView::paintLight(QPaintDevice& device, QSize size) {
    {
        const Theme::LightLook look;
        recolour();
        paintOn(device, size);
    }
    recolour();
}

Picture PlotView::picture(QSize size) {
    return {accessibleName(), size, [this, size](QPaintDevice& device) { paintLight(device, size); }};
}

QImage PlotView::image(QSize size, double devicePixelRatio) { return imageOf(picture(size), devicePixelRatio); }

QByteArray PlotView::svg(QSize size) { return svgOf(picture(size)); }

void PlotView::copyToClipboard() {
    auto* mime = new QMimeData;
    mime->setImageData(image(size(), 2));
    mime->setData(QStringLiteral("image/svg+xml"), svg(size()));
    mime->setText(toTsv(table()));
    QApplication::clipboard()->setMimeData(mime);
}

}  // namespace heddle::ui
