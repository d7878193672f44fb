// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_view.h"

#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QAccessibleWidget>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMimeData>
#include <QStackedLayout>
#include <QTableView>

namespace heddle::ui {

namespace {

/// The accessible object of a chart, with its name and the description of what is chosen; as a table, a group with the table.
class PlotAccessible : public QAccessibleWidget {
public:
    explicit PlotAccessible(PlotView& view) : QAccessibleWidget(&view), view_(view) {}
    QAccessible::Role role() const override { return isChart() ? QAccessible::Chart : QAccessible::Grouping; }
    int childCount() const override { return isChart() ? 0 : QAccessibleWidget::childCount(); }
    QString text(QAccessible::Text which) const override {
        if (which == QAccessible::Help) return PlotView::tr("Press T to show the data as a table");
        return QAccessibleWidget::text(which);
    }

private:
    bool isChart() const { return view_.mode() == PlotMode::Chart; }
    PlotView& view_;
};

QAccessibleInterface* describe(const QString&, QObject* object) {
    auto* view = qobject_cast<PlotView*>(object);
    return view ? new PlotAccessible(*view) : nullptr;
}

}  // namespace

class PlotView::Canvas : public QAbstractScrollArea {
public:
    explicit Canvas(PlotView* view) : QAbstractScrollArea(view), view_(*view) {
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        viewport()->setMouseTracking(true);
    }

protected:
    void paintEvent(QPaintEvent*) override { view_.paintScreen(*viewport()); }
    bool viewportEvent(QEvent* event) override {
        return (event->type() != QEvent::Paint && view_.chartEvent(*event)) || QAbstractScrollArea::viewportEvent(event);
    }

private:
    PlotView& view_;
};

PlotView::PlotView(QWidget* parent) : QWidget(parent), stack_(new QStackedLayout(this)) {
    QAccessible::installFactory(describe);  // only the first call has an effect
    stack_->setContentsMargins(0, 0, 0, 0);
    setFocusPolicy(Qt::StrongFocus);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        recolour();
        redraw();
    });
}

/// The canvas sends events to this object until it is deleted, so it is deleted first.
PlotView::~PlotView() { delete canvas_; }

void PlotView::setChart(QWidget* chart) {
    stack_->addWidget(chart);
    chart->setFocusProxy(this);
}

void PlotView::makeCanvas() { setChart(canvas_ = new Canvas(this)); }

void PlotView::paintScreen(QWidget& viewport) { paintOn(viewport, viewport.size()); }

void PlotView::redraw() { canvas_->viewport()->update(); }

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

void PlotView::describeChoice(const QString& text) {
    setAccessibleDescription(text);
    QAccessibleEvent said(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&said);
}

QPoint PlotView::stepOf(const QKeyEvent& event) {
    if (event.modifiers() != Qt::NoModifier) return {};
    switch (event.key()) {
    case Qt::Key_Left: return {-1, 0};
    case Qt::Key_Right: return {1, 0};
    case Qt::Key_Up: return {0, -1};
    case Qt::Key_Down: return {0, 1};
    default: return {};
    }
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
