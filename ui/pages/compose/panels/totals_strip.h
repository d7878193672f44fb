// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the variant beside the pinned baseline: parameters, difference, FLOPs.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QWidget>

class QLabel;

namespace heddle::ui {

class MemoryMeter;

class TotalsStrip : public QWidget {
    Q_OBJECT

public:
    explicit TotalsStrip(QWidget* parent);
    void show(const VariantDraft& draft);
    /// Notes how many parameters the model of the run has, when the draft is the run's specification and has another number;
    /// nothing removes the note.
    void showBuilt(const std::optional<std::int64_t>& parameters);
    /// Shows the memory of a training step and its ratio to the baseline's. The figure is hidden where the studio has no meter.
    void showMemory(const VariantDraft& draft, const MemoryMeter& meter, const MemoryMeter& baseline);
    /// Shows the time of a step that the plan has measured and its ratio to the baseline's; nothing hides the figure.
    void showStep(const std::optional<StepTime>& step, const std::optional<StepTime>& baseline);
    QString stepText() const;
    QString stepNote() const;
    QString memoryText() const;
    QString memoryNote() const;
    QString parametersText() const;
    QString parametersNote() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Figure {
        QWidget* box;
        QLabel *title, *value, *note;
        bool known = true;
    };
    Figure addFigure();
    void fit();
    static void fill(const Figure& figure, const QString& title, const QString& value, const QString& note);

    Figure parameters_, baseline_, difference_, flops_, step_, memory_, words_;
};

}  // namespace heddle::ui
