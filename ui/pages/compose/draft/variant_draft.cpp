// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/variant_draft.h"

#include "engine/spec/run_spec.h"
#include "engine/spec/sublayer_order.h"
#include "ui/pages/compose/draft/draft_edit.h"
#include "ui/pages/compose/draft/slot_edit.h"
#include "ui/threads/background.h"

#include <algorithm>

namespace heddle::ui {
namespace {

/// Evaluating 12 layers takes some 3 ms; a longer model is evaluated in the background.
constexpr std::int64_t kLayersAtOnce = 16;

/// The layers of a site that hold the same block as its first one.
std::vector<SlotSite> alike(const ResolvedVariant& variant, const SlotSite& site, const std::string& block) {
    std::vector<SlotSite> sites;
    for (int layer = site.first; layer <= site.last; ++layer) {
        const SlotSite one = site.inLayer(layer);
        if (const auto* choice = choiceAt(variant, one); choice && choice->id == block) sites.push_back(one);
    }
    if (int(sites.size()) == site.last - site.first + 1) return {site};
    return sites;
}

}  // namespace

DraftOpening prepareOpening(const std::pair<Json, QString>& draft, const std::pair<Json, QString>& baseline,
                            const AssumedVocabulary& assumed) {
    DraftOpening made{
        asRunDocument(draft.first), asRunDocument(baseline.first), draft.second, baseline.second, assumed, {}, {}};
    made.baselineFacts = factsOf(made.baseline, assumed);
    made.evaluation = evaluateDraft(made.document, assumed, made.baselineFacts);
    return made;
}

VariantDraft::VariantDraft(QObject* parent) : QObject(parent) {
    drafts_.push_back(makeDraft());
    makeShown(*drafts_.front());
    connect(&histories_, &QUndoGroup::cleanChanged, this, &VariantDraft::nameChanged);
}

// An undo stack emits signals while it is destroyed; this object cannot receive them any more.
VariantDraft::~VariantDraft() { histories_.disconnect(); }

void VariantDraft::start(const QString& name, Place place) {
    ++generation_;  // what is still being evaluated is of no use any more
    const QString seeds = shown_->seeds;
    if (document().is_object() && (isModified() || place == Place::Beside)) {
        drafts_.push_back(makeDraft());
        makeShown(*drafts_.back());
    } else {
        shown_->id = ++lastId_;
        shown_->history.clear();
        shown_->facts.reset();
    }
    shown_->name = freeName(name, shown_);
    shown_->seeds = seeds;
    shown_->renamed = false;
}

void VariantDraft::open(const Json& document, const QString& name, const QString& seeds, Place place) {
    const Json run = asRunDocument(document);
    start(name, place);
    const Json seed = run.is_object() ? run.value("seed", Json()) : Json();
    if (!seeds.isEmpty())
        shown_->seeds = seeds;
    else if (seed.is_number_unsigned())
        shown_->seeds = text(seed.dump());
    put(run);
    Q_EMIT nameChanged();
}

void VariantDraft::open(DraftOpening opening) {
    baselineDocument_ = std::move(opening.baseline);
    baselineName_ = opening.baselineName;
    baselineFacts_.reset();
    if (opening.assumed != assumed_) return open(opening.document, opening.name);
    start(opening.name, Place::OfSavedDraft);
    shown_->document = std::move(opening.document);
    baselineFacts_ = opening.baselineFacts;
    take(std::move(opening.evaluation));
    Q_EMIT nameChanged();
}

void VariantDraft::setName(const QString& name) {
    if (name == this->name() || name.isEmpty()) return;
    shown_->name = freeName(name, shown_);
    shown_->renamed = true;
    Q_EMIT nameChanged();
}

void VariantDraft::setSeeds(const QString& seeds) {
    if (seeds == shown_->seeds) return;
    shown_->seeds = seeds;
    Q_EMIT nameChanged();
}

void VariantDraft::markSaved(int id, const Json& document) {
    for (const auto& draft : drafts_) {
        if (draft->id != id || draft->document != document) continue;
        draft->renamed = false;
        draft->history.setClean();
        Q_EMIT nameChanged();
    }
}

void VariantDraft::apply(const std::vector<std::string>& assignments, const QString& words) {
    edit(words, [&](Json& next) {
        for (const auto& assignment : assignments) applySet(next, assignment);
    });
}

void VariantDraft::assign(const std::string& path, const Json& value) {
    apply({path + "=" + value.dump()}, QStringLiteral("%1 = %2").arg(text(path), text(value.dump())));
}

void VariantDraft::edit(const QString& words, const std::function<void(Json& next)>& change) {
    Json next = document();
    try {
        change(next);
    } catch (const std::exception& error) {
        return Q_EMIT failed(problemOf(error));
    }
    replace(next, words);
}

void VariantDraft::replace(const Json& document, const QString& words) {
    Json next = asRunDocument(document);
    if (next != this->document()) history().push(new DraftEdit(*this, std::move(next), words));
}

void VariantDraft::chooseBlock(const SlotSite& site, Reach reach, const std::string& block) {
    applyToSlot(site, reach, {kindKey(site.slot), block}, tr("%1: %2").arg(text(site.slot), text(block)));
}

void VariantDraft::setParameter(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& parameter) {
    applyToSlot(site, reach, parameter,
                tr("%1 %2 = %3").arg(text(site.slot), text(parameter.first), text(parameter.second.dump())));
}

void VariantDraft::applyToSlot(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& member,
                               const QString& words) {
    const auto* chosen = facts() ? choiceAt(facts()->variant, site) : nullptr;
    if (!chosen) return;
    const bool isParameter = member.first != kindKey(site.slot);
    std::vector<SlotSite> places;
    for (const auto& wide : reach == Reach::Model ? sitesOf(facts()->variant, site.slot) : std::vector<SlotSite>{site})
        for (const auto& place : isParameter ? alike(facts()->variant, wide, chosen->id) : std::vector<SlotSite>{wide})
            places.push_back(place);
    edit(words, [&](Json& next) {
        for (const auto& place : places) {
            const int count = !place.hasLayers() ? 0 : int(layersOf(facts()->variant, place.stack).size());
            writeSlot(next, {place, member.first, member.second}, count);
        }
    });
}

void VariantDraft::toggleCarry(const SlotSite& score, int offset) {
    const BlockChoice* chosen = facts() ? choiceAt(facts()->variant, score) : nullptr;
    if (!chosen || offset < 1 || offset > score.first) return;
    std::vector<int> offsets = carriedFrom(*chosen);
    const auto known = std::find(offsets.begin(), offsets.end(), offset);
    const bool adds = known == offsets.end();
    adds ? void(offsets.push_back(offset)) : void(offsets.erase(known));
    std::sort(offsets.begin(), offsets.end());
    SlotEdit slot{score, "offsets", offsets};
    if (offsets.empty())
        slot = {score, {}, {{kindKey(score.slot), "none"}}};
    else if (holdsNothing(*chosen))
        slot = {score, {}, {{kindKey(score.slot), "add"}, {"offsets", offsets}}};
    const QString words = adds ? tr("scores of layer %1 to %2") : tr("no scores of layer %1 to %2");
    edit(words.arg(score.first - offset).arg(score.first),
         [&](Json& next) { writeSlot(next, slot, int(layersOf(facts()->variant, score.stack).size())); });
}

void VariantDraft::moveSublayer(const SublayerPlace& sublayer, int place) {
    edit(tr("%1 to place %2").arg(text(sublayer.name)).arg(place + 1),
         [&](Json& next) { heddle::moveSublayer(next["variant"], sublayer, place); });
}

void VariantDraft::put(const Json& document) {
    shown_->document = document;
    evaluate();
}

void VariantDraft::setBaseline(const Json& document, const QString& name) {
    baselineDocument_ = asRunDocument(document);
    baselineName_ = name;
    baselineFacts_.reset();
    evaluate();
}

void VariantDraft::setAssumed(const AssumedVocabulary& assumed) {
    if (assumed == assumed_) return;
    assumed_ = assumed;
    baselineFacts_.reset();
    evaluate();
}

void VariantDraft::evaluate() {
    const int generation = ++generation_;
    const auto work = [document = document(), baseline = baselineDocument_, assumed = assumed_, known = baselineFacts_] {
        const Facts facts = known || !baseline.is_object() ? known : factsOf(baseline, assumed);
        return std::pair(evaluateDraft(document, assumed, facts), facts);
    };
    if (layersIn(document()) + layersIn(baselineDocument_) <= 2 * kLayersAtOnce) {
        auto [evaluation, baseline] = work();
        baselineFacts_ = baseline;
        return take(std::move(evaluation));
    }
    ++evaluating_;
    inBackground(
        this, work,
        [this, generation](std::pair<Evaluation, Facts> result) {
            --evaluating_;
            if (generation != generation_) return;
            baselineFacts_ = result.second;
            take(std::move(result.first));
        },
        [this](const Problem& problem) {
            --evaluating_;
            Q_EMIT failed(problem);
        });
}

void VariantDraft::take(Evaluation evaluation) {
    if (evaluation.facts) {
        shown_->facts = evaluation.facts;
        shown_->evaluation = std::move(evaluation);
    } else {  // what was valid last stays in sight, with its differences
        shown_->evaluation.problems = std::move(evaluation.problems);
    }
    Q_EMIT changed();
}

}  // namespace heddle::ui
