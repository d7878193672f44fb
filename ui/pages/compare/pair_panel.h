// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded attention and gates of two runs side by side, each pair of pictures of one step.
#pragma once

#include "ui/data/run_details.h"
#include "ui/pages/compare/compare_views.h"

#include <array>
#include <string>

class QComboBox;
class QLabel;

namespace heddle::ui {

class AttentionPanel;
class GatesPanel;
class ScrubBar;

/// The steps of which both runs have recorded something, ascending.
struct CommonSteps {
    std::vector<Step> maps, gates;
};
CommonSteps commonSteps(const RunDetail& a, const RunDetail& b);

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

private:
    void build();
    void fillGroups();
    void fillSeeds();
    void chooseRuns();
    void showDetails();
    void showStep();

    Studio& studio_;
    ComparedView view_;
    RunDetails details_;
    std::array<QComboBox*, 2> groups_;
    QComboBox* seeds_;
    std::array<QLabel*, 2> labels_{};
    std::array<AttentionPanel*, 2> attention_{};
    std::array<GatesPanel*, 2> gates_{};
    ScrubBar* scrub_ = nullptr;
    std::array<std::string, 2> chosen_;  ///< keys of the groups that the user chose; empty: none
    std::array<RunRef, 2> runs_;
};

}  // namespace heddle::ui
