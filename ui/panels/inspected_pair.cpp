// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/inspected_pair.h"

#include "engine/analysis/head_pairing.h"
#include "ui/data/studio.h"
#include "ui/text/number.h"

#include <utility>

namespace heddle::ui {
namespace {

QString reasonOf(HeadPairing pairing, const Run& a, const Run& b) {
    switch (pairing) {
    case HeadPairing::OtherSeeds: return InspectedPair::tr("the runs began with seeds %1 and %2").arg(a.seed).arg(b.seed);
    case HeadPairing::OtherWeights: return InspectedPair::tr("the runs started with different weights");
    case HeadPairing::OtherShapes: return InspectedPair::tr("the models differ in layers, sublayers, heads or widths");
    case HeadPairing::UnknownShapes: return InspectedPair::tr("the specification of one of the runs cannot be read");
    default: return {};
    }
}

}  // namespace

InspectedPair::InspectedPair(Studio& studio, Inspector::Opener openModel)
    : studio_(studio),
      inspector_(std::move(openModel)),
      a_(studio.databases(), inspector_, nullptr),
      b_(studio.databases(), inspector_, nullptr) {
    for (InspectedRun* run : {&a_, &b_}) {
        connect(run, &InspectedRun::recordedChanged, this, &InspectedPair::changed);
        connect(run, &InspectedRun::failed, this, [this](const Problem& problem) { studio_.report(problem); });
    }
    connect(&a_, &InspectedRun::observedChanged, this, [this] {
        giveSentenceToB();
        Q_EMIT changed();
    });
    connect(&b_, &InspectedRun::observedChanged, this, &InspectedPair::changed);
}

void InspectedPair::setRuns(std::shared_ptr<const RunDetail> a, std::shared_ptr<const RunDetail> b) {
    a_.setRun(std::move(a));
    b_.setRun(std::move(b));
    compareHeads();
    Q_EMIT changed();
}

void InspectedPair::compareHeads() {
    const auto refOf = [](const InspectedRun& run) { return run.detail() ? run.detail()->record.ref : RunRef(); };
    const auto pair = std::pair(refOf(a_), refOf(b_));
    if (pair == std::exchange(compared_, pair)) return;
    whyHeadsDiffer_.clear();
    if (pair.first.empty() || pair.second.empty()) return;
    const Run &a = a_.detail()->record, &b = b_.detail()->record;
    const auto pairing = headPairing({a.id, a.lineage, a.spec, a.seed}, {b.id, b.lineage, b.spec, b.seed});
    if (!headsCorrespond(pairing))
        whyHeadsDiffer_ = tr("Heads do not correspond: %1. Compare them side by side; their difference has no meaning.")
                              .arg(reasonOf(pairing, a, b));
}

void InspectedPair::setSentence(const InspectedSentence& sentence) {
    sentence_ = sentence;
    a_.setSentence(sentence);
    giveSentenceToB();
    Q_EMIT changed();
}

/// B reads the sentence of A; for a free text also the translation by A as soon as it exists.
void InspectedPair::giveSentenceToB() {
    InspectedSentence given = sentence_;
    if (!given.text.isEmpty()) {
        if (!a_.observed() && a_.error().isEmpty()) return;
        given.target = a_.observed() ? QString::fromStdString(a_.observed()->output) : QString();
    }
    b_.setSentence(given);
}

void InspectedPair::setFamily(MapFamily family) {
    family_ = family;
    Q_EMIT changed();
}

void InspectedPair::setHeads(const Head& chosen, const Head& shown) {
    if (chosen == chosen_ && shown == shown_) return;
    chosen_ = chosen;
    shown_ = shown;
    Q_EMIT headChanged();
}

QString InspectedPair::reason() const {
    if (!a_.detail()) return studio_.databases().runs().empty() ? tr("Choose a run.") : tr("The run is being read…");
    if (!a_.error().isEmpty()) return a_.error();
    if (!a_.observed()) return tr("The model reads the sentence…");
    if (!a_.recordedError().isEmpty()) return a_.recordedError();
    return tr("Maps are stored at steps 1, 2, 4, … and then every record.maps_every steps, for record.probes sentences.");
}

QString InspectedPair::mapsLabel(const InspectedRun& run) const {
    const auto maps = run.mapsOf(family_);
    if (!maps) return {};
    if (maps != run.recorded()) return modelLabel(run);
    return tr("%1, step %2").arg(runLabel(run.detail()->record), count(maps->step()));
}

QString InspectedPair::modelLabel(const InspectedRun& run) {
    const auto model = run.model();
    return model ? tr("%1, checkpoint of step %2").arg(runLabel(run.detail()->record), count(model->step)) : QString();
}

}  // namespace heddle::ui
