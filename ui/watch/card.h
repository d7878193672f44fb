// SPDX-License-Identifier: GPL-3.0-or-later
// A pane of the page: title row with export, full size and menu; plots; a foot. What is done to a plot (table, copy, export) is
// done to the one that has the focus, or to the first.
#pragma once

#include "ui/plot/plot_view.h"
#include "ui/shell/problem.h"

#include <QPointer>

class QHBoxLayout;
class QLabel;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace heddle::ui::watch {

class Card : public QWidget {
    Q_OBJECT

public:
    Card(const QString& title, QWidget* parent);

    QString title() const;
    /// Secondary words beside the title.
    void setNote(const QString& note, const QString& tip = {});
    const QList<PlotView*>& plots() const { return plots_; }
    PlotView* currentPlot() const;

    void toggleTable();
    void copy();
    /// Asks for a file name: PNG, SVG or TSV by its end.
    void exportAs();
    /// The button's look: full size or not.
    void setExpanded(bool expanded);

Q_SIGNALS:
    void expandRequested();
    void failed(const heddle::ui::Problem& problem);

protected:
    /// `body` takes the room; `plots` are in it, the main one first.
    void setBody(QWidget* body, const QList<PlotView*>& plots);
    /// A small choice in the title row, before the note.
    void addToHead(QWidget* choice);
    /// The row below the plots; made when first asked for.
    QHBoxLayout* foot();
    /// Words in place of the body, or the body again when empty.
    void setPlaceholder(const QString& title, const QString& text);
    void paintEvent(QPaintEvent* event) override;

private:
    QToolButton* headButton(const QString& name);
    void buildHead(const QString& title);
    void recolour();

    QVBoxLayout* column_;
    QHBoxLayout* head_ = nullptr;
    QHBoxLayout* foot_ = nullptr;
    QLabel *title_, *note_, *emptyTitle_, *emptyText_;
    QToolButton* expand_ = nullptr;
    QStackedWidget* stack_;
    QList<PlotView*> plots_;
};

/// Writes what `plot` shows to `file`; the format is that of its end. Throws std::runtime_error.
void writePlot(PlotView& plot, const QString& file);

}  // namespace heddle::ui::watch
