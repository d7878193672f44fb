// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of interventions on a fixed set of examples with their intervals, the output before and after, and the ranking of
// all heads or gates.
#pragma once

#include "engine/run/measurement.h"
#include "ui/plot/plot_table.h"

#include <QWidget>

#include <memory>

class QLabel;
class QTableWidget;

namespace heddle::ui {

class EffectView : public QWidget {
    Q_OBJECT

public:
    explicit EffectView(QWidget* parent);

    struct Shown {
        std::shared_ptr<const Measurement> a;
        std::shared_ptr<const Measurement> b;       ///< the same measurement of the model of B, or null
        QString modelA, modelB;                     ///< "eau-full s1, checkpoint of step 400"
        std::shared_ptr<const TextEffect> outputs;  ///< of the sentence that was shown at the time, or null
        QString words;                              ///< shown in place of the numbers if `a` is null
        bool operator==(const Shown&) const = default;
    };
    void setShown(const Shown& shown);
    const Shown& shown() const { return shown_; }
    /// Shows a note above the numbers.
    void setNote(const QString& words);
    /// The measurement for an export: plain numbers, a row for each metric or each changed part. The changes of B have their
    /// own columns, empty where the two were not measured on the same data by the same rule.
    PlotTable table() const;

Q_SIGNALS:
    /// A head of the ranking was chosen.
    void headChosen(const QString& sublayer, int head);

private:
    void showEffect(const EffectReport& report);
    void showRanking(const RankReport& report);
    void showChangesOfB(QTableWidget& table) const;
    void showOutputs();
    void showWarnings(const std::vector<std::string>& warnings);

    Shown shown_;
    QLabel *note_, *outputs_, *warnings_;
    QTableWidget *effect_, *ranking_;
};

}  // namespace heddle::ui
