// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence that is shown, a probe of run A or a text that the user writes, and the outputs of the runs for it.
#pragma once

#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"
#include "ui/threads/query.h"

class QComboBox;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace heddle::ui {

class SentencePanel : public Panel {
    Q_OBJECT

public:
    SentencePanel(InspectedPair& pair, QWidget* parent);

    int probe() const;
    QString outputText() const;  ///< as plain text

private:
    QWidget* buildBody();
    void runFree();
    void giveSentence();
    void show();
    void readProbes();
    void takeProbes(Result<QStringList> probes);
    void setProbes(const QStringList& probes);
    QString output() const;

    InspectedPair& pair_;
    QListWidget* probes_;
    QLineEdit* text_;
    QComboBox* search_;
    QPushButton* run_;
    QLabel* output_;
    QString freeText_;   ///< empty: a probe is shown
    int preferred_ = 0;  ///< the probe chosen last
    RunRef probesOf_;
    Query<QStringList> probeQuery_{this, [this](Result<QStringList> probes) { takeProbes(std::move(probes)); }};
    ReportedProblems reported_;
};

/// `words` with those underlined that `reference` does not have at their place (by the longest common subsequence), as rich
/// text.
QString withDifferences(const QString& words, const QString& reference);

}  // namespace heddle::ui
