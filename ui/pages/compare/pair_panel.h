// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded attention and gates of two runs side by side, each pair of pictures of one step.
#pragma once

#include "ui/data/run_details.h"
#include "ui/pages/compare/compare_views.h"

#include <array>
#include <map>
#include <memory>
#include <string>

class QComboBox;
class QLabel;

namespace heddle::ui {

class AttentionPanel;
class EmptyState;
class GatesPanel;
class ScrubBar;

/// The steps of which both runs have recorded maps of one site and sentence, and gates of one site, ascending.
struct CommonSteps {
    std::vector<Step> maps, gates;
};
CommonSteps commonSteps(const RunDetail& a, const RunDetail& b);
/// What the panels draw of `detail`: of each site (and sentence) that both have, the steps up to the last one that is common at
/// or before `step`. The last step of each site is thus one of both runs.
std::shared_ptr<const RunDetail> pairedDetail(const RunDetail& detail, const RunDetail& other, Step step);

class PairPanel : public Panel {
    Q_OBJECT

public:
    /// All must outlive the panel.
    PairPanel(Studio& studio, const ComparedView& view, QWidget* parent);

    /// Takes the groups of the table: A is the baseline and B the selected group, until the user chooses others.
    void refresh();
    /// The run that a side shows; empty: none.
    const RunRef& run(std::size_t side) const { return runs_[side]; }
    /// There once refresh() was called.
    AttentionPanel& attention(std::size_t side) const { return *attention_[side]; }
    GatesPanel& gates(std::size_t side) const { return *gates_[side]; }
    ScrubBar& scrub() const { return *scrub_; }
    /// For the menu: other steps and heads. Their keys work in the plots.
    const QList<QAction*>& moves() const { return moves_; }

private:
    void buildMoves();
    void build();
    void fillGroups();
    void fillSeeds();
    void chooseRuns();
    void showDetails();
    void showStep();
    /// Shows why a pair of panels has nothing to show; empty: the panels.
    void setReason(EmptyState& reason, const std::array<Panel*, 2>& panels, const QString& title, const QString& text);

    Studio& studio_;
    ComparedView view_;
    RunDetails details_;
    std::array<QComboBox*, 2> groups_;
    QComboBox* seeds_;
    std::array<QLabel*, 2> labels_{};
    std::array<AttentionPanel*, 2> attention_{};
    std::array<GatesPanel*, 2> gates_{};
    QList<QAction*> moves_;
    CommonSteps common_;  ///< of the two runs that are shown
    EmptyState *mapsReason_ = nullptr, *gatesReason_ = nullptr;
    ScrubBar* scrub_ = nullptr;
    std::array<std::string, 2> chosen_;  ///< keys of the groups that the user chose; empty: none
    std::array<RunRef, 2> runs_;
    std::map<std::array<RunRef, 2>, Problem> problems_;  ///< by pair: why its details cannot be read
};

}  // namespace heddle::ui
