// SPDX-License-Identifier: GPL-3.0-or-later
// The document that Compose edits: a run spec as JSON, every edit one undo step, beside a pinned baseline.
#pragma once

#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/draft/draft_facts.h"
#include "ui/pages/compose/draft/slot_site.h"
#include "ui/text/problem.h"

#include <QObject>
#include <QUndoStack>

#include <functional>

namespace heddle::ui {

/// A draft, what it is compared with, and what they come to.
struct DraftOpening {
    Json document, baseline;
    QString name, baselineName;
    AssumedVocabulary assumed;  ///< with which they were evaluated
    Evaluation evaluation;
    Facts baselineFacts;
};

/// Evaluates both documents, run specs or bare variants; for any thread.
DraftOpening prepareOpening(const std::pair<Json, QString>& draft, const std::pair<Json, QString>& baseline,
                            const AssumedVocabulary& assumed);

class VariantDraft : public QObject {
    Q_OBJECT

public:
    explicit VariantDraft(QObject* parent = nullptr);
    ~VariantDraft() override;

    /// A run spec or a bare variant becomes the document; the history starts anew.
    void open(const Json& document, const QString& name);
    /// The same of a draft and its baseline that were evaluated in the background.
    void open(DraftOpening opening);
    const Json& document() const { return document_; }
    const QString& name() const { return name_; }
    void setName(const QString& name);
    /// Since it was opened or marked as saved.
    bool isModified() const { return !history_.isClean() || renamed_; }
    void markSaved();
    QUndoStack& history() { return history_; }

    /// Applies `path=value` assignments (engine/spec/run_spec.h) as one undo step; failed() says what cannot be applied.
    void apply(const std::vector<std::string>& assignments, const QString& words);
    /// Gives one member of the document a value, as an undo step called "path = value".
    void assign(const std::string& path, const Json& value);
    /// Puts another document in its place, as one undo step.
    void replace(const Json& document, const QString& words);
    /// How far an edit of a slot goes: the layers of the site, or that slot wherever the model has it.
    enum class Reach { Site, Model };
    void chooseBlock(const SlotSite& site, Reach reach, const std::string& block);
    void setParameter(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& parameter);

    /// Adds or removes the score carry from the attention `offset` layers before, as one undo step.
    void toggleCarry(const SlotSite& score, int offset);
    /// Puts a sublayer at another place of every layer of its stack, as one undo step.
    void moveSublayer(const SublayerPlace& sublayer, int place);

    /// Of the newest document that was valid; null before there was one.
    const Facts& facts() const { return facts_; }
    const std::vector<heddle::Problem>& problems() const { return evaluation_.problems; }
    const std::vector<DraftDifference>& differences() const { return evaluation_.differences; }
    /// True if a module of the draft is another one in the baseline.
    bool differs(const std::string& modulePath) const { return evaluation_.differing.contains(modulePath); }
    bool isSettled() const { return evaluating_ == 0; }

    void setBaseline(const Json& document, const QString& name);
    const QString& baselineName() const { return baselineName_; }
    const Json& baselineDocument() const { return baselineDocument_; }
    const Facts& baselineFacts() const { return baselineFacts_; }

    const AssumedVocabulary& assumed() const { return assumed_; }
    void setAssumed(const AssumedVocabulary& assumed);

Q_SIGNALS:
    /// Document, problems, facts, differences or baseline are others now.
    void changed();
    void nameChanged();
    void failed(const heddle::ui::Problem& problem);

private:
    friend class DraftEdit;
    void start(const QString& name);
    void put(const Json& document);
    /// Applies a change of the document as one undo step. What it throws goes to failed(), and the document stays as it was.
    void edit(const QString& words, const std::function<void(Json& next)>& change);
    void evaluate();
    void take(Evaluation evaluation);
    void applyToSlot(const SlotSite& site, Reach reach, const std::pair<std::string, Json>& member, const QString& words);

    Json document_, baselineDocument_;
    QString name_, baselineName_;
    QUndoStack history_;
    bool renamed_ = false;
    AssumedVocabulary assumed_;
    Evaluation evaluation_;
    Facts facts_, baselineFacts_;
    int generation_ = 0, evaluating_ = 0;
};

}  // namespace heddle::ui
