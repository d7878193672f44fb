// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: which run, what to do with it, how curves are drawn.
#pragma once

#include "engine/run/run_state.h"
#include "storage/records.h"
#include "ui/watch/curve_card.h"

#include <QToolBar>

#include <optional>

class QComboBox;
class QPushButton;
class QSlider;
class QSpinBox;

namespace heddle::ui::watch {

class WatchBar : public QToolBar {
    Q_OBJECT

public:
    explicit WatchBar(QWidget* parent);

    void setRuns(const std::vector<storage::RunRecord>& runs, const std::string& current);
    /// Nothing: no run; all verbs are off.
    void setState(std::optional<RunState> state);
    /// x-axes that the run can offer.
    void setAxes(const QList<XAxis>& possible);

    XAxis axis() const;
    /// Takes the axis as soon as the run offers it.
    void wishAxis(XAxis axis);
    void nextAxis();
    int smoothing() const;
    void setSmoothing(int steps);
    /// Actions of the verbs, made once: visible where the state allows them.
    const QList<QAction*>& verbActions() const { return verbs_; }
    QAction* cloneAction() const { return clone_; }
    QAction* logAction() const { return log_; }
    QAction* linkAction() const { return link_; }
    void focusSmoothing();
    /// Puts a control of the page at the right end.
    void addAtEnd(QWidget* control);

Q_SIGNALS:
    void runChosen(const QString& run);
    void verbChosen(heddle::RunVerb verb);
    void axisChanged();
    void smoothingChanged(int steps);

private:
    void buildVerbs();
    void buildAxis();
    void buildSmoothing();
    QPushButton* buttonFor(QAction* action);

    QComboBox *runs_, *axes_;
    XAxis wished_ = XAxis::Step;
    QList<QAction*> verbs_;
    QAction *clone_, *log_, *link_;
    QSlider* slider_ = nullptr;
    QSpinBox* steps_ = nullptr;
};

}  // namespace heddle::ui::watch
