// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspect page: heads, gates, losses and outputs of one run or two for a sentence at a step, and what changing a part of
// the model would cost. Models are opened from kept checkpoints, so that training is not disturbed.
#pragma once

#include "ui/data/inspected_run.h"
#include "ui/data/inspector.h"
#include "ui/data/run_details.h"
#include "ui/pages/page.h"
#include "ui/panels/panel_group.h"
#include "ui/plot/head_grid.h"

class QStackedWidget;

namespace heddle::ui {

class HeadGridPanel;
class HeadPanel;
class InterventionsPanel;
class ScrubBar;
class SentencePanel;
class TokenBarsPanel;

namespace inspect {
class InspectBar;
}  // namespace inspect

class RunActions;

class InspectPage : public Page {
    Q_OBJECT

public:
    InspectPage(Studio& studio, Inspector::Opener openModel);

    QString title() const override { return tr("Inspect"); }
    Icon icon() const override { return Icon::Inspect; }
    QList<QAction*> editActions() const override { return editActions_; }
    QList<QAction*> viewActions() const override { return viewActions_; }
    QList<QAction*> runActions() const override { return runActions_; }
    void setShown(bool shown) override;
    bool isSettled() const override;
    /// Writes the measurement that is shown (.csv, .md, .tex, .tsv); a message reports success or failure.
    void exportTo(const QString& file);
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

private:
    // inspect_build.cpp
    void build();
    void buildActions();
    void connectAll();
    void arrangePanels(const Panel* before);
    // inspect_flow.cpp: from the database and the models into the panels
    void refresh();
    void chooseRuns();
    void showDetails();
    void showSteps();
    void takeSentence();
    void showSentenceOfB();
    Query::Request probesRequest();
    void showMaps();
    /// The head under the pointer, else the chosen one.
    void showHead();
    void showBars();
    void showGates(const std::string& sublayer);
    void showOutput();
    void showModel();
    QString gridReason() const;
    QString gridNote() const;
    /// "eau-full s1, step 400": what the maps of the chosen family are of; empty without maps.
    QString mapsWords(const InspectedRun& run) const;
    /// "eau-full s1, checkpoint of step 400": the model that is asked; empty without one.
    QString modelWords(const InspectedRun& run) const;
    const Run* record(const InspectedRun& run) const;
    // inspect_measure.cpp: questions to the model of A
    void measure();
    void rank(RankRequest::What what);
    void setMeasuring(bool measuring);
    void setCosts(const RankReport& report);
    /// Shows what was measured if it is of the model that is shown, else nothing.
    void showEffects();
    void muteHead();
    /// Shows the interventions in the training of A in the panel.
    void showTraining();
    void changeTraining();

    RunDetails details_;
    QTimer detailsTimer_;  ///< details are thousands of rows: they are not read at every commit
    Inspector inspector_;
    InspectedRun *a_, *b_;
    Query* probes_;
    std::string probesOf_;
    QString apart_;                      ///< why heads of A and B do not correspond; empty: they do
    std::pair<RunRef, RunRef> apartOf_;  ///< A and B that apart_ is about
    bool shown_ = false, measuring_ = false;
    std::optional<HeadPlace> hovered_;                    ///< shown large while the pointer is over it
    std::shared_ptr<const InterventionTargets> offered_;  ///< in the menu of interventions
    using Kept = std::shared_ptr<const Measurement>;
    /// Those of the model that is shown of the run, the newest first.
    std::vector<Kept> measurementsOf(const InspectedRun& run) const;
    void keep(const RunRef& run, const ModelRef& model, Measurement measurement);
    void fail(const ModelRef& model, const Problem& problem);
    void exportMeasurement();
    std::vector<std::pair<ModelRef, Kept>> measured_;  ///< in this session
    std::optional<std::pair<ModelRef, Problem>> failed_;
    TextEffect outputs_;    ///< of the last effect
    std::string question_;  ///< of the measurement that the user wants to see; of none: the newest
    Kept shownA_, shownB_;
    std::string shownEffects_;  ///< what the panel shows; it is not filled again with the same

    RunActions* onRunA_;
    inspect::InspectBar* bar_;
    QStackedWidget* stack_;
    HeadGridPanel* grid_;
    HeadPanel* head_;
    TokenBarsPanel *losses_, *gates_;
    SentencePanel* sentence_;
    InterventionsPanel* interventions_;
    ScrubBar* scrub_;
    PanelGroup panels_{this};
    QByteArray beforeExpanding_;
    QAction* leaveFullSize_ = nullptr;
    QList<QAction*> editActions_, viewActions_, runActions_;
};

}  // namespace heddle::ui
