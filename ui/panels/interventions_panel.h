// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the model of A that are changed, and beside them what that costs (EffectView). They are tried on a copy; a run in
// training can be asked to go on with them.
#pragma once

#include "engine/run/intervention_change.h"
#include "ui/panels/effect_view.h"
#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"

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
    /// Mutes the chosen head or undoes that.
    void muteHead();
    /// Asks for the value of the gate in the sublayer of the chosen head.
    void clampGate();
    /// Writes the measurement that is shown (.csv, .md, .tex, .tsv); a message reports success or failure.
    void exportTo(const QString& file);

Q_SIGNALS:
    /// What muting each head costs ("PATH:HEAD"), as far as a ranking that is shown says it.
    void costsChanged(const QHash<QString, double>& costs);
    /// A head of the ranking was chosen.
    void headChosen(const QString& sublayer, int head);
    /// A training has changed as it was asked to.
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
    void run(std::vector<Intervention> tried, std::function<Answer(InspectionSession&)> work);
    void keepMeasurement(const RunRef& run, const ModelRef& model, Measurement measurement, const TextEffect& outputs);
    /// Those of the model that is shown of the run, the newest first.
    std::vector<Kept> measurementsOf(const InspectedRun& run) const;
    void showEffects();
    void showChoice(const std::vector<Kept>& all, const Kept& shown);
    void openExport();

    void showTraining();
    /// The change after which the training has the interventions that are active here, and no others.
    InterventionChange trainingChange() const;
    void askToChangeTraining();

    InspectedPair& pair_;
    InterventionList* list_;
    EffectView* effects_;
    QToolButton* add_;
    QPushButton *clear_, *export_, *measure_, *rank_, *train_;
    QComboBox *kept_, *ranked_;
    QSpinBox* examples_;
    QCheckBox* decode_;
    QProgressBar* progress_;
    ElidedLabel* inTraining_;

    bool measuring_ = false;
    std::shared_ptr<const InterventionTargets> targets_;
    std::vector<std::pair<ModelRef, Kept>> measured_;             ///< in this session
    std::pair<Kept, std::shared_ptr<const TextEffect>> outputs_;  ///< of the last measurement
    std::optional<std::pair<ModelRef, Problem>> failed_;
    std::string question_;                              ///< of the measurement that the user wants to see; of none: the newest
    std::optional<std::vector<Intervention>> inForce_;  ///< in the training of A; nothing: it is not in training
};

}  // namespace heddle::ui
