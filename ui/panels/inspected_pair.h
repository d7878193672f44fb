// SPDX-License-Identifier: GPL-3.0-or-later
// What the panels of Inspect show: the runs A and B, one sentence, a family of maps, and a head.
#pragma once

#include "ui/data/inspected_run.h"
#include "ui/data/inspector.h"

namespace heddle::ui {

class Studio;

class InspectedPair : public QObject {
    Q_OBJECT

public:
    InspectedPair(Studio& studio, Inspector::Opener openModel);

    Studio& studio() const { return studio_; }
    Inspector& inspector() { return inspector_; }
    InspectedRun& a() { return a_; }
    InspectedRun& b() { return b_; }
    bool isSettled() const { return a_.isSettled() && b_.isSettled() && !inspector_.isBusy(); }

    /// Null while the details of a run are read, and without a run.
    void setRuns(std::shared_ptr<const RunDetail> a, std::shared_ptr<const RunDetail> b);

    const InspectedSentence& sentence() const { return sentence_; }
    void setSentence(const InspectedSentence& sentence);
    MapFamily family() const { return family_; }
    void setFamily(MapFamily family);

    struct Head {
        QString path;      ///< of the module that has the map; empty: no head
        QString sublayer;  ///< that the head belongs to
        int number = 0;
        bool operator==(const Head&) const = default;
    };
    const Head& chosenHead() const { return chosen_; }
    /// The head that is shown enlarged: the one under the pointer, else the chosen one.
    const Head& shownHead() const { return shown_; }
    void setHeads(const Head& chosen, const Head& shown);

    /// Why heads of A and B must not be subtracted (engine/analysis/head_pairing.h); empty: they correspond.
    const QString& whyHeadsDiffer() const { return whyHeadsDiffer_; }
    /// Why there is nothing to show of A.
    QString reason() const;
    /// "eau-full s1, step 400": the run and the step of the maps; empty without maps.
    QString mapsLabel(const InspectedRun& run) const;
    /// "eau-full s1, checkpoint of step 400": the model that computes; empty without one.
    static QString modelLabel(const InspectedRun& run);

Q_SIGNALS:
    void changed();
    void headChanged();

private:
    void compareHeads();
    void giveSentenceToB();

    Studio& studio_;
    Inspector inspector_;
    InspectedRun a_, b_;
    InspectedSentence sentence_;
    MapFamily family_ = MapFamily::Weights;
    Head chosen_, shown_;
    std::pair<RunRef, RunRef> compared_;  ///< the runs of `whyHeadsDiffer_`
    QString whyHeadsDiffer_;
};

}  // namespace heddle::ui
