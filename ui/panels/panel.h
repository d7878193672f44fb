// SPDX-License-Identifier: GPL-3.0-or-later
// The unit of a page: it shows a subject (a run at a step), keeps its choices, and knows nothing of the page that holds it. It
// has a title row with export, full size and menu; plots; a foot. A command on a plot (table, copy, export) acts on the plot
// that has the focus, or on the first.
#pragma once

#include "ui/data/subject.h"
#include "ui/plot/plot_view.h"
#include "ui/text/problem.h"

#include <QPointer>

class QHBoxLayout;
class QLabel;
class QSettings;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace heddle::ui {

class PanelTitle;

class Panel : public QWidget {
    Q_OBJECT

public:
    Panel(const QString& title, QWidget* parent);

    /// Shows another run or step. What belongs to another run goes at once: until the details of the new one are read, the
    /// panel is empty.
    void setSubject(const Subject& subject);
    /// The panel's own choices, in the group of settings that is open.
    virtual void saveSession(QSettings&) const {}
    virtual void restoreSession(QSettings&) {}

    QString title() const;
    /// The row with the title; a dock may take it for its title bar.
    QWidget* titleRow() const;
    /// Secondary words beside the title.
    void setNote(const QString& note, const QString& tip = {});
    /// Why the subject has nothing for this panel, at any step; empty while it has. A page may fold the panel away.
    const QString& emptyReason() const { return emptyReason_; }
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
    void emptyReasonChanged();

protected:
    const Subject& subject() const { return subject_; }
    /// Shows the subject, whose details are there. `before`: the last one. The default is for panels that show no subject.
    virtual void showSubject(const Subject& /*before*/) {}
    /// Forgets what was read: the subject is another run, or none. Calls setEmpty().
    virtual void forgetRun() {}
    /// Words in place of the body while nothing is known of the subject.
    void setEmpty(const QString& title);
    /// `body` takes the room; `plots` are in it, the main one first.
    void setBody(QWidget* body, const QList<PlotView*>& plots);
    /// The same for one plot that is scrolled where it is higher than the panel.
    void setScrolledBody(PlotView* plot);
    /// A small choice in the title row, before the note.
    void addToHead(QWidget* choice);
    /// The row below the plots; made when first asked for.
    QHBoxLayout* foot();
    /// Words in place of the body, or the body again when empty.
    void setPlaceholder(const QString& title, const QString& text);
    /// The same where the subject has nothing for this panel at any step; sets emptyReason().
    void setEmptyReason(const QString& title, const QString& text);
    void paintEvent(QPaintEvent* event) override;

private:
    QToolButton* headButton(const QString& name);
    void buildHead();
    void recolour();
    void showWords(const QString& title, const QString& text);
    void noteEmptyReason(const QString& reason);

    Subject subject_;
    QString emptyReason_;
    QVBoxLayout* column_;
    PanelTitle* head_;
    QHBoxLayout* foot_ = nullptr;
    QLabel *emptyTitle_, *emptyText_;
    QToolButton* expand_ = nullptr;
    QStackedWidget* stack_;
    QList<PlotView*> plots_;
};

/// Writes what `plot` shows to `file`; the format is that of its end. Throws std::runtime_error.
void writePlot(PlotView& plot, const QString& file);

}  // namespace heddle::ui
