// SPDX-License-Identifier: GPL-3.0-or-later
// A panel of a page. It shows a subject (a run at a step), keeps its choices and does not depend on the page. It has a title
// row, a body and a foot. With plots in its body it has buttons for export, full size and a menu; a command on a plot (table,
// copy, export) acts on the plot that has the focus, or on the first.
#pragma once

#include "ui/data/subject.h"
#include "ui/plot/plot_view.h"
#include "ui/text/problem.h"
#include "ui/widgets/stored_choices.h"

class QComboBox;
class QHBoxLayout;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace heddle::ui {

class EmptyState;
class PanelTitle;

class Panel : public QWidget {
    Q_OBJECT

public:
    Panel(const QString& title, QWidget* parent);

    /// Shows another run or step. The panel is empty until the details of another run are read.
    void setSubject(const Subject& subject);
    /// The choices that the page stores and restores.
    const StoredChoices& choices() const { return choices_; }

    QString title() const;
    /// The row with the title; a dock may use it as its title bar.
    QWidget* titleRow() const;
    /// Secondary text beside the title.
    void setNote(const QString& note, const QString& tip = {});
    /// Why the subject has nothing for this panel at any step; else empty. A page may fold such a panel.
    const QString& emptyReason() const { return emptyReason_; }
    const QList<PlotView*>& plots() const { return plots_; }
    PlotView* currentPlot() const;

    void toggleTable();
    void copy();
    /// Opens the export dialog.
    void exportAs();
    /// Sets the icon and tip of the button for full size.
    void setExpanded(bool expanded);

Q_SIGNALS:
    void expandRequested();
    void failed(const heddle::ui::Problem& problem);
    void emptyReasonChanged();

protected:
    StoredChoices choices_;

    const Subject& subject() const { return subject_; }
    /// Shows the subject, whose details are read. `before`: the subject before it. The default is for panels without a subject.
    virtual void showSubject(const Subject& /*before*/) {}
    /// Clears what was read, since the subject is another run or none. Calls setEmpty().
    virtual void clearRun() {}
    /// Text in place of the body until the subject is read.
    void setEmpty(const QString& title);
    /// `body` fills the panel; `plots` are in it, the main one first.
    void setBody(QWidget* body, const QList<PlotView*>& plots = {});
    /// An area that scrolls a plot if it is higher than the panel.
    QWidget* scrolled(PlotView* plot);
    void setScrolledBody(PlotView* plot) { setBody(scrolled(plot), {plot}); }
    /// A small choice in the title row, before the note.
    void addToHead(QWidget* choice);
    /// A box in the title row to choose what the panel shows. Hidden while it is empty.
    QComboBox* addChoice(const QString& name);
    /// Fills a box with entries and their keys if they changed. Chooses `preferred`, else the first.
    static void fillChoice(QComboBox& box, const QStringList& keys, const QStringList& words, const QString& preferred);
    /// A control at the right end of the title row.
    void addToHeadEnd(QWidget* control);
    /// The row below the plots, made at the first call.
    QHBoxLayout* foot();
    /// Text in place of the body; empty: the body again.
    void setPlaceholder(const QString& title, const QString& text);
    /// The same if the subject has nothing for this panel at any step; sets emptyReason().
    void setEmptyReason(const QString& title, const QString& text);
    void paintEvent(QPaintEvent* event) override;

private:
    QToolButton* headButton(const char* objectName, const QString& accessibleName);
    void addPlotButtons();
    void recolour();
    void showText(const QString& title, const QString& text);
    void noteEmptyReason(const QString& reason);

    Subject subject_;
    QString emptyReason_;
    QVBoxLayout* column_;
    PanelTitle* head_;
    QHBoxLayout* foot_ = nullptr;
    QToolButton* expand_ = nullptr;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QList<PlotView*> plots_;
};

/// The panels of a page: which one commands act on, and which one is at full size.
class PanelGroup : public QObject {
    Q_OBJECT

public:
    explicit PanelGroup(QObject* parent) : QObject(parent) {}

    /// At least one; commands act on the first while none has the focus.
    void setPanels(const QList<Panel*>& panels);
    const QList<Panel*>& panels() const { return panels_; }
    /// All plots of the panels.
    QList<QWidget*> plots() const;

    /// The panel with plots that has the focus, else the one at full size, else the first.
    Panel* current() const;
    Panel* expanded() const { return expanded_; }
    /// Shows `panel` at full size; null: all panels at their places.
    void expand(Panel* panel);
    /// Shows the current panel at full size, or ends full size.
    void toggleFullSize();

Q_SIGNALS:
    /// Another panel is at full size now, or none; the page arranges them. `before` was at full size until now, or null.
    void expandedChanged(heddle::ui::Panel* before);
    void failed(const heddle::ui::Problem& problem);

private:
    QList<Panel*> panels_;
    Panel* expanded_ = nullptr;
};

/// Writes what `plot` shows to `file`, in the format of the file extension. Throws std::runtime_error.
void writePlot(PlotView& plot, const QString& file);

}  // namespace heddle::ui
