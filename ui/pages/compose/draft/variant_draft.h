// SPDX-License-Identifier: GPL-3.0-or-later
// The documents that Compose edits: run specs as JSON, compared with a pinned baseline. Each edit is one undo step. Several
// drafts can be open; one of them is shown.
#pragma once

#include "engine/spec/draft_facts.h"
#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/draft/slot_site.h"
#include "ui/threads/query.h"

#include <QObject>
#include <QUndoGroup>
#include <QUndoStack>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::ui {

/// An open draft: its document, its name and its undo history.
struct OpenDraft {
    int id = 0;
    Json document;
    QString name, seeds = QStringLiteral("1");  ///< seeds: of its row in the experiment plan, as text
    QUndoStack history;
    bool renamed = false;
    DraftEvaluation evaluation;
    Facts facts;                                       ///< of the newest document that was valid
    std::optional<std::int64_t> builtParameters = {};  ///< see VariantDraft::setBuilt()

    /// Since it was opened or marked as saved.
    bool isModified() const { return document.is_object() && (!history.isClean() || renamed); }
};

class VariantDraft : public QObject {
    Q_OBJECT

public:
    explicit VariantDraft(QObject* parent = nullptr);
    ~VariantDraft() override;

    /// ReplaceSaved: the document replaces the draft shown if that has no unsaved changes; otherwise it opens as another draft.
    /// AsNew: it always opens as another draft.
    enum class Opening { ReplaceSaved, AsNew };
    /// Opens and shows a run spec or a bare variant, with a history of its own. A draft with unsaved changes stays open. The
    /// name gets a number if another open draft has it. Without `seeds`, the draft takes the seed of the document, or, if that
    /// has none, the seeds of the draft shown before.
    void open(const Json& document, const QString& name, const QString& seeds = {}, Opening opening = Opening::ReplaceSaved);
    /// Opens a document as an unsaved draft without showing it. Returns its id.
    int openHidden(const Json& document, const QString& name);
    const std::vector<std::unique_ptr<OpenDraft>>& drafts() const { return drafts_; }
    /// The id of the draft that is shown.
    int id() const { return shown_->id; }
    /// Shows an open draft; does nothing for another id.
    void show(int id);
    /// Closes a draft, saved or not, unless it is the only one.
    void close(int id);

    const Json& document() const { return shown_->document; }
    const QString& name() const { return shown_->name; }
    /// The name gets a number if another open draft has it: the name is the key of the saved variant.
    void setName(const QString& name);
    const QString& seeds() const { return shown_->seeds; }
    void setSeeds(const QString& seeds);
    bool isModified() const { return shown_->isModified(); }
    /// Records that the document of a draft was saved; does nothing if the document has changed since, or the draft is closed.
    void markSaved(int id, const Json& document);
    QUndoStack& history() { return shown_->history; }
    /// The histories of all drafts; that of the draft shown is active.
    QUndoGroup& histories() { return histories_; }

    /// All open drafts with the last steps of their histories, the baseline and the assumed sizes, for restore().
    Json session() const;
    /// Opens the drafts of a session in place of those that are open. Throws for what is no session; then nothing changes.
    void restore(const Json& session);

    /// The slot that is selected in the draft shown.
    const std::optional<SlotSite>& site() const { return site_; }
    void select(const std::optional<SlotSite>& site);

    /// Applies `path=value` assignments (engine/spec/run_spec.h) as one undo step; failed() reports what cannot be applied.
    void apply(const std::vector<std::string>& assignments, const QString& words);
    /// Gives one member of the document a value, as an undo step called "path = value".
    void assign(const std::string& path, const Json& value);
    /// Replaces the document, as one undo step.
    void replace(const Json& document, const QString& words);
    /// What an edit of a slot changes: the layers of the site, or that slot in the whole model.
    enum class Reach { Site, Model };
    void chooseBlock(const SlotSite& site, Reach reach, const std::string& block);
    void setParameter(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& parameter);

    /// Adds or removes the score carry from the attention `offset` layers before, as one undo step.
    void toggleCarry(const SlotSite& score, int offset);
    /// Moves a sublayer to another place in every layer of its stack, as one undo step.
    void moveSublayer(const SublayerPlace& sublayer, int place);

    /// Of the newest document that was valid; null before there was one.
    const Facts& facts() const { return shown_->facts; }
    const std::vector<heddle::Problem>& problems() const { return shown_->evaluation.problems; }
    const std::vector<DraftDifference>& differences() const { return shown_->evaluation.differences; }
    /// True if a module of the draft differs from the baseline.
    bool differs(const std::string& modulePath) const { return shown_->evaluation.differing.contains(modulePath); }
    bool isSettled() const { return evaluating_.isIdle(); }

    void setBaseline(const Json& document, const QString& name);
    const QString& baselineName() const { return baselineName_; }
    const Json& baselineDocument() const { return baselineDocument_; }
    const Facts& baselineFacts() const { return baselineFacts_; }

    const AssumedVocabulary& assumed() const { return assumed_; }
    void setAssumed(const AssumedVocabulary& assumed);

    /// Records that the draft is the specification of a run whose model has another number of parameters.
    void setBuilt(int id, std::int64_t parameters);
    /// That number while the draft shown is still that specification.
    std::optional<std::int64_t> builtParameters() const { return isModified() ? std::nullopt : shown_->builtParameters; }

Q_SIGNALS:
    /// The document, the problems, the facts, the differences or the baseline have changed.
    void changed();
    void nameChanged();  ///< the name, the seeds or isModified() have changed
    void siteChanged();  ///< another slot is selected
    void failed(const heddle::ui::Problem& problem);

private:
    class Step;
    struct Evaluated {
        DraftEvaluation evaluation;
        Facts baseline;
    };
    /// Prepares for another document: empties the draft shown if it may be replaced; otherwise adds a draft and shows it.
    void start(const QString& name, Opening opening);
    std::unique_ptr<OpenDraft> makeDraft();
    void makeShown(OpenDraft& draft);
    QString freeName(const QString& wanted, const OpenDraft* own) const;
    void setDocument(const Json& document);
    /// Applies a change of the document as one undo step. What it throws goes to failed(), and the document stays as it was.
    void edit(const QString& words, const std::function<void(Json& next)>& change);
    void evaluate();
    void take(Evaluated evaluated);
    /// Limits the selection to the slots that the draft has, and emits changed().
    void notify();
    void applyToSlot(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& member, const QString& words);

    QUndoGroup histories_;
    std::vector<std::unique_ptr<OpenDraft>> drafts_;
    OpenDraft* shown_ = nullptr;
    int lastId_ = 0;
    std::optional<SlotSite> site_;
    Json baselineDocument_;
    QString baselineName_;
    AssumedVocabulary assumed_;
    Facts baselineFacts_;
    Query<Evaluated> evaluating_{this, [this](Result<Evaluated> evaluated) {
                                     if (!evaluated) return Q_EMIT failed(evaluated.problem());
                                     take(std::move(*evaluated));
                                 }};
};

}  // namespace heddle::ui
