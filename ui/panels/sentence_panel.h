// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence that is shown, a probe of the run or a text that the user writes, and the outputs of the runs for it.
#pragma once

#include "engine/run/search_options.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace heddle::ui {

class PanelTitle;

class SentencePanel : public QWidget {
    Q_OBJECT

public:
    explicit SentencePanel(QWidget* parent);

    /// A dock may take it for its title bar.
    QWidget* titleRow() const;

    /// The recorded probes, by number; the chosen one stays chosen where it is still there.
    void setProbes(const QStringList& probes);
    int probe() const;
    /// Chooses a probe; setProbes() may still have to bring it.
    void chooseProbe(int probe);
    /// The free text; empty: a probe is shown.
    const QString& freeText() const { return freeText_; }
    SearchOptions search() const;
    /// Whether a model can read a free text, else why not.
    void setReadable(bool readable, const QString& reason);

    struct Output {
        QString source, reference, a, b;  ///< empty: there is none
        QString nameA, nameB;
    };
    void setOutput(const Output& output);
    /// Shows in place of an output what is being done, or what went wrong.
    void setOutputNote(const QString& note);
    QString outputText() const;  ///< as plain text

Q_SIGNALS:
    /// Another probe, or another free text.
    void sentenceChanged();

private:
    void runFree();

    PanelTitle* title_;
    QListWidget* probes_;
    QLineEdit* text_;
    QComboBox* search_;
    QPushButton* run_;
    QLabel* output_;
    QString freeText_;
    int wished_ = 0;  ///< the probe chosen last
};

/// `words` with those underlined that `reference` does not have at their place (by the longest common subsequence), as rich
/// text.
QString withDifferences(const QString& words, const QString& reference);

}  // namespace heddle::ui
