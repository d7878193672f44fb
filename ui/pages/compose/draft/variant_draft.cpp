// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/variant_draft.h"

#include "engine/base/json.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/slot_site.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>

namespace heddle::ui {
namespace {

/// Evaluating 12 layers takes some 3 ms; a longer model is evaluated in the background.
constexpr std::int64_t kLayersAtOnce = 16;

constexpr int kKeptSteps = 20;  // of a history, in a session

QString textAt(const Json& object, const char* key) { return text(object.at(key).get<std::string>()); }

/// The layers of a site that hold the same block as its first one.
std::vector<SlotSite> sitesWithBlock(const ResolvedVariant& variant, const SlotSite& site, const std::string& block) {
    std::vector<SlotSite> sites;
    for (int layer = site.first; layer <= site.last; ++layer) {
        const SlotSite one = site.inLayer(layer);
        if (const auto* choice = choiceAt(variant, one); choice && choice->id == block) sites.push_back(one);
    }
    if (int(sites.size()) == site.last - site.first + 1) return {site};
    return sites;
}

/// The block of a slot that reads the layers of its option `offsets`.
std::string carryingBlock(const std::string& slot) {
    for (const BlockDescriptor* block : builtinCatalogue().ofSlot(slot))
        if (findField(parameterSchema(*block), "offsets")) return block->id;
    return kNoBlock;
}

}  // namespace

/// An undo step: the document before and after.
class VariantDraft::Step : public QUndoCommand {
public:
    Step(VariantDraft& draft, Json after, const QString& words)
        : Step(draft, std::pair(draft.document(), std::move(after)), words) {
        isDone_ = false;
    }
    /// A step of an earlier session: push() does not apply it again.
    Step(VariantDraft& draft, std::pair<Json, Json> documents, const QString& words)
        : QUndoCommand(words), draft_(draft), before_(std::move(documents.first)), after_(std::move(documents.second)) {}
    void undo() override { draft_.setDocument(before_); }
    void redo() override {
        if (!std::exchange(isDone_, false)) draft_.setDocument(after_);
    }
    static Json sessionOf(const OpenDraft& draft);

private:
    VariantDraft& draft_;
    Json before_, after_;
    bool isDone_ = true;
};

Json VariantDraft::Step::sessionOf(const OpenDraft& draft) {
    const QUndoStack& history = draft.history;
    const int end = history.index(), first = std::max(0, end - kKeptSteps);
    const int saved = history.cleanIndex() > end ? -1 : history.cleanIndex() - first;  // behind `end`: among undone steps
    Json steps = Json::array();
    for (int i = first; i < end; ++i)
        steps.push_back(
            {{"words", history.text(i).toStdString()}, {"before", static_cast<const Step*>(history.command(i))->before_}});
    return {{"name", draft.name.toStdString()},
            {"seeds", draft.seeds.toStdString()},
            {"renamed", draft.renamed},
            {"document", draft.document},
            {"steps", std::move(steps)},
            {"saved_at", std::max(-1, saved)}};  // the number of steps after which it was saved; -1: none
}

VariantDraft::VariantDraft(QObject* parent) : QObject(parent) {
    drafts_.push_back(makeDraft());
    makeShown(*drafts_.front());
    connect(&histories_, &QUndoGroup::cleanChanged, this, &VariantDraft::nameChanged);
}

// An undo stack emits signals while it is destroyed; this object cannot receive them any more.
VariantDraft::~VariantDraft() { histories_.disconnect(); }

void VariantDraft::start(const QString& name, Opening opening) {
    evaluating_.cancel();
    const QString seeds = shown_->seeds;
    if (document().is_object() && (isModified() || opening == Opening::AsNew)) {
        drafts_.push_back(makeDraft());
        makeShown(*drafts_.back());
    } else {
        shown_->id = ++lastId_;
        shown_->history.clear();
        shown_->facts.reset();
        shown_->evaluation = {};
    }
    shown_->name = freeName(name, shown_);
    shown_->seeds = seeds;
    shown_->renamed = false;
    shown_->builtParameters.reset();
}

void VariantDraft::open(const Json& document, const QString& name, const QString& seeds, Opening opening) {
    const Json run = asRunDocument(document);
    start(name, opening);
    const Json seed = run.is_object() ? run.value("seed", Json()) : Json();
    if (!seeds.isEmpty())
        shown_->seeds = seeds;
    else if (seed.is_number_unsigned())
        shown_->seeds = text(seed.dump());
    setDocument(run);
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
    if (next != this->document()) history().push(new Step(*this, std::move(next), words));
}

void VariantDraft::chooseBlock(const SlotSite& site, Reach reach, const std::string& block) {
    //: A slot and its new block, as the name of an undo step.
    applyToSlot(site, reach, {kindKey(site.slot), block}, tr("%1: %2").arg(text(site.slot), text(block)));
}

void VariantDraft::setParameter(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& parameter) {
    //: A slot, a parameter and its new value, as the name of an undo step.
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
        for (const auto& place : isParameter ? sitesWithBlock(facts()->variant, wide, chosen->id) : std::vector<SlotSite>{wide})
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
        slot = {score, {}, {{kindKey(score.slot), kNoBlock}}};
    else if (holdsNothing(*chosen))
        slot = {score, {}, {{kindKey(score.slot), carryingBlock(score.slot)}, {"offsets", offsets}}};
    const QString words = adds ? tr("add scores of layer %1 to %2") : tr("remove scores of layer %1 from %2");
    edit(words.arg(score.first - offset).arg(score.first),
         [&](Json& next) { writeSlot(next, slot, int(layersOf(facts()->variant, score.stack).size())); });
}

void VariantDraft::moveSublayer(const SublayerPlace& sublayer, int place) {
    //: A sublayer and its new place, as the name of an undo step.
    edit(tr("Move %1 to place %2").arg(text(sublayer.name)).arg(place + 1),
         [&](Json& next) { heddle::moveSublayer(next["variant"], sublayer, place); });
}

void VariantDraft::setDocument(const Json& document) {
    shown_->document = document;
    evaluate();
}

void VariantDraft::setBaseline(const Json& document, const QString& name) {
    baselineDocument_ = asRunDocument(document);
    baselineName_ = name;
    baselineFacts_.reset();
    evaluating_.cancel();  // it compares with the previous baseline
    evaluate();
}

void VariantDraft::setAssumed(const AssumedVocabulary& assumed) {
    if (assumed == assumed_) return;
    assumed_ = assumed;
    baselineFacts_.reset();
    evaluating_.cancel();
    evaluate();
}

void VariantDraft::setBuilt(int id, std::int64_t parameters) {
    for (const auto& draft : drafts_)
        if (draft->id == id) draft->builtParameters = parameters;
    Q_EMIT nameChanged();
}

void VariantDraft::evaluate() {
    const auto work = [document = document(), baseline = baselineDocument_, assumed = assumed_, known = baselineFacts_] {
        const Facts facts = known || !baseline.is_object() ? known : factsOf(baseline, assumed);
        return Evaluated{evaluateDraft(document, assumed, facts), facts};
    };
    if (layersIn(document()) + layersIn(baselineDocument_) > 2 * kLayersAtOnce) return evaluating_.ask(Pool{}, work);
    evaluating_.cancel();
    take(work());
}

void VariantDraft::take(Evaluated evaluated) {
    baselineFacts_ = std::move(evaluated.baseline);
    DraftEvaluation& evaluation = evaluated.evaluation;
    if (evaluation.facts) {
        shown_->facts = evaluation.facts;
        shown_->evaluation = std::move(evaluation);
    } else {  // the newest valid state stays visible, with its differences
        shown_->evaluation.problems = std::move(evaluation.problems);
    }
    notify();
}

void VariantDraft::notify() {
    if (site_ && facts()) {
        const ResolvedVariant& variant = facts()->variant;
        if (site_->hasLayers()) site_->last = std::min(site_->last, int(layersOf(variant, site_->stack).size()) - 1);
        if (!choiceAt(variant, *site_)) site_.reset();
    }
    Q_EMIT changed();
}

void VariantDraft::select(const std::optional<SlotSite>& site) {
    site_ = site;
    Q_EMIT siteChanged();
}

std::unique_ptr<OpenDraft> VariantDraft::makeDraft() {
    auto draft = std::make_unique<OpenDraft>();
    draft->id = ++lastId_;
    histories_.addStack(&draft->history);
    return draft;
}

void VariantDraft::makeShown(OpenDraft& draft) {
    evaluating_.cancel();  // the evaluation under way is of another document
    shown_ = &draft;
    histories_.setActiveStack(&draft.history);
}

QString VariantDraft::freeName(const QString& wanted, const OpenDraft* own) const {
    QString name = wanted;
    const auto isTaken = [&](const auto& draft) { return draft.get() != own && draft->name == name; };
    for (int number = 2; std::any_of(drafts_.begin(), drafts_.end(), isTaken); ++number)
        name = QStringLiteral("%1-%2").arg(wanted).arg(number);
    return name;
}

int VariantDraft::openHidden(const Json& document, const QString& name) {
    drafts_.push_back(makeDraft());
    OpenDraft& kept = *drafts_.back();
    kept.document = asRunDocument(document);
    kept.name = freeName(name, &kept);
    kept.renamed = true;
    Q_EMIT nameChanged();
    return kept.id;
}

void VariantDraft::show(int id) {
    const auto found = std::find_if(drafts_.begin(), drafts_.end(), [id](const auto& draft) { return draft->id == id; });
    if (found == drafts_.end() || found->get() == shown_) return;
    makeShown(**found);
    evaluate();
    if (!isSettled()) notify();  // with the last evaluation, until the new one is there
    Q_EMIT nameChanged();
}

void VariantDraft::close(int id) {
    const auto found = std::find_if(drafts_.begin(), drafts_.end(), [id](const auto& draft) { return draft->id == id; });
    if (found == drafts_.end() || drafts_.size() == 1) return;
    const std::unique_ptr<OpenDraft> closed = std::move(*found);
    drafts_.erase(found);
    if (closed.get() == shown_) show(drafts_.back()->id);
}

Json VariantDraft::session() const {
    Json drafts = Json::array();
    std::size_t shown = 0;
    for (const auto& draft : drafts_) {
        if (!draft->document.is_object()) continue;
        if (draft.get() == shown_) shown = drafts.size();
        drafts.push_back(Step::sessionOf(*draft));
    }
    return {{"shown", shown},
            {"drafts", std::move(drafts)},
            {"baseline", {{"document", baselineDocument_}, {"name", baselineName_.toStdString()}}},
            {"words", {{"source", assumed_.source}, {"target", assumed_.target}, {"classes", assumed_.classes}}}};
}

void VariantDraft::restore(const Json& session) {
    std::vector<std::unique_ptr<OpenDraft>> restored;
    for (const Json& one : session.at("drafts")) {
        restored.push_back(makeDraft());
        OpenDraft& draft = *restored.back();
        draft.document = asRunDocument(one.at("document"));
        draft.name = textAt(one, "name");
        draft.seeds = textAt(one, "seeds");
        draft.renamed = one.at("renamed").get<bool>();
        const Json& steps = one.at("steps");
        const int saved = one.at("saved_at").get<int>();
        if (saved < 0) draft.history.resetClean();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (saved == int(i)) draft.history.setClean();
            const Json& after = i + 1 < steps.size() ? steps[i + 1].at("before") : draft.document;
            draft.history.push(new Step(*this, std::pair(steps[i].at("before"), after), textAt(steps[i], "words")));
        }
        if (saved == int(steps.size())) draft.history.setClean();
    }
    OpenDraft& shown = *restored.at(session.at("shown").get<std::size_t>());
    const Json &baseline = session.at("baseline"), &words = session.at("words");
    QString baselineName = textAt(baseline, "name");
    const AssumedVocabulary assumed{words.at("source").get<std::int64_t>(), words.at("target").get<std::int64_t>(),
                                    words.at("classes").get<std::int64_t>()};
    baselineDocument_ = baseline.at("document");
    baselineName_ = std::move(baselineName);
    baselineFacts_.reset();
    assumed_ = assumed;
    drafts_.swap(restored);
    makeShown(shown);
    evaluate();
    Q_EMIT nameChanged();
}

}  // namespace heddle::ui
