// SPDX-License-Identifier: GPL-3.0-or-later
// The variant that the draft is drawn over: the baseline, a preset, a saved variant or that of a run.
#pragma once

#include "ui/pages/compose/draft_diagram.h"
#include "ui/pages/compose/variant_library.h"

#include <QMenu>

class QToolButton;

namespace heddle::ui {

class OverMenu : public QMenu {
    Q_OBJECT

public:
    OverMenu(VariantDraft& draft, VariantLibrary& library, Studio& studio, MessageStrip& strip, DraftDiagram& diagram);

    /// A button that opens the menu.
    QToolButton* makeButton(QWidget* parent);
    void saveSession(QSettings& settings) const;
    void restoreSession(const QSettings& settings);

Q_SIGNALS:
    void chosen();

private:
    enum class Kind { None, Baseline, Preset, Saved, Run };
    /// As a session keeps it.
    struct Choice {
        Kind kind = Kind::None;
        QString name;     ///< of the preset, the saved variant or the run
        std::string run;  ///< id of the run
        bool operator==(const Choice&) const = default;
    };
    void fill();
    void addRuns();
    QAction* add(QMenu& menu, const QString& words, const Choice& choice);
    void choose(const Choice& choice);
    /// Draws the draft alone and shows the reason.
    void drawAlone(const QString& why, const QString& next);
    /// Finds the document of the choice, once its source has been read. Shows a message if it no longer exists.
    void find();
    /// Returns the document: null if it no longer exists, nothing while its source has not been read.
    std::optional<Json> documentOf(const Choice& choice) const;
    /// Updates the variant drawn over after a change of the baseline or of the assumed vocabularies.
    void refresh();

    VariantDraft& draft_;
    VariantLibrary& library_;
    Studio& studio_;
    MessageStrip& strip_;
    DraftDiagram& diagram_;
    Choice choice_;
    Json document_;                             ///< null for the baseline, and until find() has found it
    std::optional<AssumedVocabulary> assumed_;  ///< of the newest evaluation
    Query<Facts> evaluating_{this, [this](Result<Facts> facts) {
                                 if (!facts) return studio_.report(facts.problem());
                                 if (*facts) return diagram_.setOver({choice_.name, *facts});
                                 drawAlone(tr("%1 is no longer valid and cannot be drawn.").arg(choice_.name),
                                           tr("Open it as a draft to see its problems."));
                             }};
};

}  // namespace heddle::ui
