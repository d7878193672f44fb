// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the draft and the pinned baseline: parameters, difference, FLOPs, time and memory of a training step.
#pragma once

#include "ui/pages/compose/draft/memory_meter.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QWidget>

#include <array>

class QLabel;

namespace heddle::ui {

class TotalsStrip : public QWidget {
    Q_OBJECT

public:
    TotalsStrip(const VariantDraft& draft, Studio& studio, QWidget* parent);
    /// Shows the step time that the plan measured and its ratio to the baseline's; without a time the figure is hidden.
    void showStep(const std::optional<StepTime>& step, const std::optional<StepTime>& baseline);
    /// No memory is being measured.
    bool isSettled() const { return meter_.isSettled() && baselineMeter_.isSettled(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    enum What { Parameters, Baseline, Difference, Flops, Step, Memory, Vocabulary };
    struct Figure {
        QWidget* box;
        QLabel *title, *value, *note;
    };
    /// Without a value the figure is hidden. `ratio`: the part of the note that is a ratio to the baseline.
    struct Words {
        QString title, value = {}, note = {}, tip = {}, ratio = {};
    };
    Figure addFigure(const QString& name);
    void refresh();
    void showParameters();
    void showMemory();
    /// Measures the memory of a step while the strip is visible.
    void measure();
    void fit();
    void fill(What what, const Words& words);

    const VariantDraft& draft_;
    MemoryMeter meter_, baselineMeter_;
    std::array<Figure, 7> figures_;
};

}  // namespace heddle::ui
