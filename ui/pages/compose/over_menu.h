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
    bool isSettled() const { return evaluating_.isIdle(); }
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
    /// Draws the draft alone and says why.
    void giveUp(const QString& why, const QString& next);
    /// Looks up the document of the choice, once the place that holds it has been read. Shows a message when it is gone.
    void find();
    /// Returns the document: null when it is gone, nothing while its place has not been read yet.
    std::optional<Json> documentOf(const Choice& choice) const;
    /// Brings what is drawn over up to date with the baseline and the assumed vocabularies.
    void refresh();

    VariantDraft& draft_;
    VariantLibrary& library_;
    Studio& studio_;
    MessageStrip& strip_;
    DraftDiagram& diagram_;
    Choice choice_;
    Json document_;                             ///< null for the baseline, and until find() has found it
    std::optional<AssumedVocabulary> assumed_;  ///< with which it is evaluated or was asked to be
    Query<Facts> evaluating_{this, [this](Result<Facts> facts) {
                                 if (!facts) return studio_.report(facts.problem());
                                 if (*facts) return diagram_.setOver({choice_.name, *facts});
                                 giveUp(tr("%1 is not valid any more and cannot be drawn.").arg(choice_.name),
                                        tr("Open it as a draft to see its problems."));
                             }};
};

}  // namespace heddle::ui
