// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a trained model that are changed, and what that costs: effects on a fixed set of examples, outputs before and after,
// and the ranking of all heads or gates. Nothing is written to the run.
#pragma once

#include "engine/run/inspection.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;
class QToolButton;
class QTreeWidget;

namespace heddle::ui {

class InterventionsPanel : public QWidget {
    Q_OBJECT

public:
    explicit InterventionsPanel(QWidget* parent);

    /// What can be changed in the model that is shown; interventions that it does not allow go away.
    void setTargets(const InterventionTargets& targets);
    /// No model can be asked, for this reason; empty: one can.
    void setObstacle(const QString& reason);

    /// Adds an intervention, switched on; one that is there is switched on.
    void add(const Intervention& intervention);
    /// Those that are switched on.
    std::vector<Intervention> active() const;
    QStringList mutedHeads() const;  ///< "PATH:HEAD" of those that are active

    std::int64_t examples() const;
    bool decodes() const;
    void setEffect(const EffectReport& report);
    void setOutputs(const TextEffect& outputs);
    void setRanking(const RankReport& report);
    void setProgress(std::int64_t done, std::int64_t all);
    /// While something is measured only Cancel can be pressed.
    void setBusy(bool busy);
    /// Instead of an effect.
    void say(const QString& words);

Q_SIGNALS:
    void activeChanged();
    void measureWanted();
    void rankWanted(heddle::RankRequest::What what);
    void cancelWanted();
    /// A head of the ranking was chosen.
    void headChosen(const QString& path, int head);

private:
    void buildList(QWidget* box);
    void buildEffect(QWidget* box);
    void fillMenu(const InterventionTargets& targets);
    void ask(const char* kind, const std::string& path, double low, double high);
    void showButtons();

    std::vector<Intervention> list_;
    QTreeWidget* shown_;
    QMenu* menu_;
    QToolButton* add_;
    QPushButton *clear_, *measure_, *rank_, *cancel_;
    QComboBox* ranked_;
    QSpinBox* examples_;
    QCheckBox* decode_;
    QLabel *note_, *outputs_;
    QProgressBar* progress_;
    QTableWidget *effect_, *ranking_;
    QString obstacle_;
    bool busy_ = false;
};

/// "Mute head", "Clamp gate": what an intervention does, for people.
QString wordsOf(const Intervention& intervention);

}  // namespace heddle::ui
