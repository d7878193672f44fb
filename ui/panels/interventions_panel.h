// SPDX-License-Identifier: GPL-3.0-or-later
// Interventions on the model of A and their effects (EffectView). They are measured on a copy; a run in training can be told
// to use them from its next step on.
#pragma once

#include "engine/run/intervention_change.h"
#include "ui/panels/effect_view.h"
#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"
#include "ui/threads/task.h"

#include <QHash>

class QCheckBox;
class QComboBox;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace heddle::ui {

class ElidedLabel;
class InterventionList;

class InterventionsPanel : public Panel {
    Q_OBJECT

public:
    InterventionsPanel(InspectedPair& pair, QWidget* parent);

    InterventionList& list() { return *list_; }
    /// Mutes the chosen head, or removes its mute.
    void muteHead();
    /// Asks the user for the value of the gate in the sublayer of the chosen head.
    void clampGate();
    /// Writes the measurement that is shown (.csv, .md, .tex, .tsv); a message reports success or failure.
    void exportTo(const QString& file);

Q_SIGNALS:
    /// The change of the loss when each head ("PATH:HEAD") is silenced, from the ranking that is shown.
    void costsChanged(const QHash<QString, double>& costs);
    /// A head of the ranking was chosen.
    void headChosen(const QString& sublayer, int head);
    /// A training has applied the interventions.
    void trainingChanged();

private:
    void buildHead();
    QWidget* buildBody();
    void show();
    void showButtons();

    using Kept = std::shared_ptr<const Measurement>;
    struct Answer {
        std::variant<EffectReport, RankReport> report;
        TextEffect outputs;
    };
    void measure();
    void rank();
    void run(std::vector<Intervention> tried, std::function<Answer(InspectionSession&, const TaskControl&)> work);
    void take(Result<Answer> answer);
    void keepMeasurement(const RunRef& run, const ModelRef& model, Measurement measurement, const TextEffect& outputs);
    /// The measurements of the model that is shown of the run, newest first.
    std::vector<Kept> measurementsOf(const InspectedRun& run) const;
    void showEffects();
    void showChoice(const std::vector<Kept>& all, const Kept& shown);
    void openExport();

    void showTraining();
    /// The change that gives the training exactly the active interventions.
    InterventionChange trainingChange() const;
    void askToChangeTraining();

    InspectedPair& pair_;
    InterventionList* list_;
    EffectView* effects_;
    QToolButton* add_;
    QPushButton *clear_, *export_, *measure_, *rank_, *train_;
    QComboBox *kept_, *ranked_, *ablation_;
    QSpinBox* examples_;
    QCheckBox* decode_;
    QProgressBar* progress_;
    ElidedLabel* inTraining_;

    struct Asked {
        RunRef run;
        ModelRef model;
        std::vector<Intervention> tried;
    };
    Asked asked_;  ///< of the measurement under way
    Task<Answer> measuring_;
    std::shared_ptr<const InterventionTargets> targets_;
    std::vector<std::pair<ModelRef, Kept>> measured_;             ///< in this session
    std::pair<Kept, std::shared_ptr<const TextEffect>> outputs_;  ///< of the last measurement
    std::optional<std::pair<ModelRef, Problem>> failed_;
    std::string question_;                              ///< of the measurement that the user chose; empty: the newest
    std::optional<std::vector<Intervention>> inForce_;  ///< in the training of A; nothing: A is not in training
};

}  // namespace heddle::ui
