// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a model that are changed, and beside them what that costs (EffectView). They are tried on a copy; a run in training
// can be asked to go on with them.
#pragma once

#include "engine/run/inspection.h"
#include "engine/run/intervention_change.h"

#include <QWidget>

#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QMenu;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QToolButton;
class QTreeWidget;

namespace heddle::ui {

class EffectView;
class ElidedLabel;
class PanelTitle;

class InterventionsPanel : public QWidget {
    Q_OBJECT

public:
    explicit InterventionsPanel(QWidget* parent);

    /// A dock may take it for its title bar.
    QWidget* titleRow() const;

    /// What can be changed in the model that is shown; interventions that it does not allow go away.
    void setTargets(const InterventionTargets& targets);
    /// Names the model that is measured: "eau-full s1, checkpoint of step 400"; or says why none can be.
    void setModel(const QString& model, const QString& error);
    /// The measurements of the model that are kept, as question and words, and the question of the one that is shown.
    void setKept(const QList<std::pair<QString, QString>>& kept, const QString& shown);
    /// The measured effects are of no model that is shown.
    void forgetEffects();

    /// The interventions in force in the run's training, which are added to the list; nothing: the run is not in training.
    void setInTraining(const std::optional<std::vector<Intervention>>& inForce);
    /// The change after which the training has the interventions that are switched on here, and no others.
    InterventionChange trainingChange() const;

    /// Adds an intervention, switched on; one that is there is switched on.
    void add(const Intervention& intervention);
    /// Adds an intervention, or takes it away if it is there and switched on.
    void toggle(const Intervention& intervention);
    /// Asks for the value of a gate in a sublayer; says so where there is none.
    void clampGateOf(const QString& sublayer);
    /// Those that are switched on.
    std::vector<Intervention> active() const;
    QStringList mutedHeads() const;  ///< "PATH:HEAD" of those that are active

    std::int64_t examples() const;
    bool decodes() const;
    /// The measured effects.
    EffectView& effects() { return *effects_; }
    void setProgress(std::int64_t done, std::int64_t all);
    /// While something is measured only Cancel can be pressed.
    void setBusy(bool busy);

Q_SIGNALS:
    void activeChanged();
    void measureRequested();
    void rankRequested(heddle::RankRequest::What what);
    void cancelRequested();
    void keptChosen(const QString& question);
    void exportRequested();
    void trainingChangeRequested();

private:
    void buildList(QWidget* box);
    void fillMenu(const InterventionTargets& targets);
    void ask(const char* kind, const std::string& path, double low, double high);
    void showButtons();

    PanelTitle* title_;
    std::vector<Intervention> list_;
    std::vector<ModuleExposure> clampable_;
    QTreeWidget* shown_;
    QMenu* menu_;
    QToolButton* add_;
    QPushButton *clear_, *measure_, *rank_, *train_;
    QComboBox *ranked_, *kept_;
    QPushButton* export_;
    QSpinBox* examples_;
    QCheckBox* decode_;
    QProgressBar* progress_;
    EffectView* effects_;
    ElidedLabel* inTraining_;
    std::optional<std::vector<Intervention>> inForce_;
    QString error_;
    bool busy_ = false;
};

/// "Mute head", "Clamp": what an intervention does, for people.
QString wordsOf(const Intervention& intervention);
/// "dec.1.cross:2" of "decoder.layers.1.cross:2".
QString shortWords(const Intervention& intervention);

}  // namespace heddle::ui
