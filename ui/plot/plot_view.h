// SPDX-License-Identifier: GPL-3.0-or-later
// What every plot can do besides drawing: be a table, be copied, be exported, speak.
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

    /// What is shown now, as a table.
    virtual PlotTable table() const = 0;
    /// Paints the chart at `size` logical pixels on any device: screen image, SVG, PDF.
    virtual void paintOn(QPaintDevice& device, QSize size) = 0;

    PlotMode mode() const { return mode_; }
    void setMode(PlotMode mode);

    /// The chart in the light theme, whichever is shown: pictures go into papers.
    QImage image(QSize size, double devicePixelRatio);
    QByteArray svg(QSize size);
    Picture picture(QSize size);
    /// PNG, SVG and tab-separated text at once.
    void copyToClipboard();

Q_SIGNALS:
    void modeChanged(heddle::ui::PlotMode mode);

protected:
    explicit PlotView(QWidget* parent);
    /// Sets the chart itself. For the constructor of the plot.
    void setChart(QWidget* chart);
    /// The same for a plot that paints by itself: its chart is an area whose viewport paintScreen() paints.
    void makeCanvas();
    QAbstractScrollArea& canvas() const { return *canvas_; }
    /// paintOn() in the size of the viewport.
    virtual void paintScreen(QWidget& viewport);
    /// An event of the viewport, not of painting; true: it is dealt with.
    virtual bool chartEvent(QEvent& /*event*/) { return false; }
    /// Paints the chart again, soon.
    virtual void redraw();
    /// Call it when table() has changed. Costs nothing while the chart is shown.
    void tableChanged();
    /// Describes what is chosen in the chart to screen readers.
    void say(const QString& words);
    /// Sets anew, from the theme, the colours that the plot keeps. Paints nothing.
    virtual void recolour() {}
    void keyPressEvent(QKeyEvent* event) override;
    /// Where a plain arrow key leads, (1, 0) for Right; (0, 0) of every other key.
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
