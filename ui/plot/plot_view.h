// SPDX-License-Identifier: GPL-3.0-or-later
// The base of every plot: table, copy, export, description for screen readers.
#pragma once

#include "ui/plot/plot_table.h"
#include "ui/widgets/picture.h"

#include <QWidget>

class QAbstractScrollArea;
class QStackedLayout;
class QTableView;

namespace heddle::ui {

enum class PlotMode { Chart, Table };

class PlotView : public QWidget {
    Q_OBJECT

public:
    ~PlotView() override;

    /// The shown data as a table.
    virtual PlotTable table() const = 0;
    /// Paints the chart at `size` logical pixels on any device: screen image, SVG, PDF.
    virtual void paintOn(QPaintDevice& device, QSize size) = 0;

    PlotMode mode() const { return mode_; }
    void setMode(PlotMode mode);

    /// The chart in the light theme for use in papers, also while the dark theme is shown.
    QImage image(QSize size, double devicePixelRatio);
    QByteArray svg(QSize size);
    Picture picture(QSize size);
    /// PNG, SVG and tab-separated text at once.
    void copyToClipboard();

Q_SIGNALS:
    void modeChanged(heddle::ui::PlotMode mode);

protected:
    explicit PlotView(QWidget* parent);
    /// Sets the widget of the chart. For the constructor of the plot.
    void setChart(QWidget* chart);
    /// The same for a plot that paints its chart: the chart is an area whose viewport paintScreen() paints.
    void makeCanvas();
    QAbstractScrollArea& canvas() const { return *canvas_; }
    /// paintOn() with the size of the viewport.
    virtual void paintScreen(QWidget& viewport);
    /// Handles an event of the viewport other than painting; true: handled.
    virtual bool chartEvent(QEvent& /*event*/) { return false; }
    /// Schedules a repaint of the chart.
    virtual void redraw();
    /// Call it when table() has changed. Does nothing while the chart is shown.
    void tableChanged();
    /// Describes what is chosen in the chart to screen readers.
    void describeChoice(const QString& text);
    /// Updates the colours that the plot keeps from the theme. Does not paint.
    virtual void recolour() {}
    void keyPressEvent(QKeyEvent* event) override;
    /// The direction of an arrow key without modifiers, (1, 0) for Right; (0, 0) for every other key.
    static QPoint stepOf(const QKeyEvent& event);

private:
    class Canvas;
    void paintLight(QPaintDevice& device, QSize size);

    PlotMode mode_ = PlotMode::Chart;
    QStackedLayout* stack_;
    QAbstractScrollArea* canvas_ = nullptr;
    QTableView* tableView_ = nullptr;
    PlotTableModel* model_ = nullptr;
};

}  // namespace heddle::ui
