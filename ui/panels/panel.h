// SPDX-License-Identifier: GPL-3.0-or-later
// The unit of a page: it shows a subject (a run at a step), keeps its choices, and knows nothing of the page that holds it. It
// has a title row, a body and a foot. With plots in its body it has buttons for export, full size and a menu; a command on a
// plot (table, copy, export) acts on the plot that has the focus, or on the first.
#pragma once

#include "ui/data/subject.h"
#include "ui/plot/plot_view.h"
#include "ui/text/problem.h"

#include <QVariant>

#include <functional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QSettings;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace heddle::ui {

class EmptyState;
class PanelTitle;
class Segments;

class Panel : public QWidget {
    Q_OBJECT

public:
    Panel(const QString& title, QWidget* parent);

    /// Shows another run or step. What belongs to another run goes at once: until the details of the new one are read, the
    /// panel is empty.
    void setSubject(const Subject& subject);
    /// Stores and restores the choices that the panel keeps.
    void saveSession(QSettings& settings) const;
    void restoreSession(const QSettings& settings);

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
    /// Has the session keep a choice under `key`; `write` is called if one is stored.
    void keep(const QString& key, std::function<QVariant()> read, std::function<void(const QVariant&)> write);
    template <class T>
    void keep(const QString& key, T& value) {
        keep(
            key, [&value] { return QVariant(value); }, [&value](const QVariant& stored) { value = stored.value<T>(); });
    }
    void keep(const QString& key, Segments& choice);
    /// `body` takes the room; `plots` are in it, the main one first.
    void setBody(QWidget* body, const QList<PlotView*>& plots = {});
    /// The same for one plot that is scrolled where it is higher than the panel.
    void setScrolledBody(PlotView* plot);
    /// A small choice in the title row, before the note.
    void addToHead(QWidget* choice);
    /// A box there, to choose what the panel shows. Hidden while it is empty.
    QComboBox* addChoice(const QString& name);
    /// Fills a box with entries, each with its key, where others stand in it. Chosen is `wished`, else the first.
    static void fillChoice(QComboBox& box, const QStringList& keys, const QStringList& words, const QString& wished);
    /// A control at the right end of the title row.
    void addToHeadEnd(QWidget* control);
    /// The row below the plots; made when first asked for.
    QHBoxLayout* foot();
    /// Words in place of the body, or the body again when empty.
    void setPlaceholder(const QString& title, const QString& text);
    /// The same where the subject has nothing for this panel at any step; sets emptyReason().
    void setEmptyReason(const QString& title, const QString& text);
    void paintEvent(QPaintEvent* event) override;

private:
    QToolButton* headButton(const QString& name);
    void addPlotButtons();
    void recolour();
    void showWords(const QString& title, const QString& text);
    void noteEmptyReason(const QString& reason);

    struct Choice {
        QString key;
        std::function<QVariant()> read;
        std::function<void(const QVariant&)> write;
    };
    Subject subject_;
    std::vector<Choice> choices_;
    QString emptyReason_;
    QVBoxLayout* column_;
    PanelTitle* head_;
    QHBoxLayout* foot_ = nullptr;
    QToolButton* expand_ = nullptr;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QList<PlotView*> plots_;
};

/// The panels of a page together: which one commands act on, and which one has the page for itself.
class PanelGroup : public QObject {
    Q_OBJECT

public:
    explicit PanelGroup(QObject* parent) : QObject(parent) {}

    /// At least one; the first is the one that commands act on while none has the focus.
    void setPanels(const QList<Panel*>& panels);
    const QList<Panel*>& panels() const { return panels_; }
    /// All plots of the panels.
    QList<QWidget*> plots() const;

    /// The panel with plots that has the focus, else the one at full size, else the first.
    Panel* current() const;
    Panel* expanded() const { return expanded_; }
    /// Gives the whole page to `panel`; null: gives all panels their places again.
    void expand(Panel* panel);
    /// The current panel to full size, or back.
    void toggleFullSize();

Q_SIGNALS:
    /// Another panel is at full size now, or none: the page arranges them. `before` was at full size until now, if not null.
    void expandedChanged(heddle::ui::Panel* before);
    void failed(const heddle::ui::Problem& problem);

private:
    QList<Panel*> panels_;
    Panel* expanded_ = nullptr;
};

/// Writes what `plot` shows to `file`; the format is that of its end. Throws std::runtime_error.
void writePlot(PlotView& plot, const QString& file);

}  // namespace heddle::ui
