// SPDX-License-Identifier: GPL-3.0-or-later
// What interventions cost: effects on a fixed set of examples with their intervals, the output before and after, and the
// ranking of all heads or gates.
#pragma once

#include "engine/run/measurement.h"

#include <QWidget>

class QLabel;
class QTableWidget;

namespace heddle::ui {

class EffectView : public QWidget {
    Q_OBJECT

public:
    explicit EffectView(QWidget* parent);

    /// Numbers of a model; `model` names it: "eau-full s1, checkpoint of step 400".
    void setEffect(const QString& model, const EffectReport& report, const TextEffect& outputs);
    void setRanking(const QString& model, const RankReport& report);
    /// Puts the changes of B beside those that are shown: of the same question, measured on the same data by the same rule.
    void setBeside(const QString& model, const Measurement& other);
    /// Shows words in place of the numbers.
    void showText(const QString& words);
    /// Shows words above the numbers.
    void setNote(const QString& words);
    /// What the user can do while nothing has been measured.
    static QString hint();

Q_SIGNALS:
    /// A head of the ranking was chosen.
    void headChosen(const QString& sublayer, int head);

private:
    void setOutputs(const TextEffect& outputs);
    void setWarnings(const std::vector<std::string>& warnings);

    QLabel *note_, *outputs_, *warnings_;
    QTableWidget *effect_, *ranking_;
};

}  // namespace heddle::ui
