// SPDX-License-Identifier: GPL-3.0-or-later
// An undo step of a draft: its document before and after.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"

#include <utility>

namespace heddle::ui {

class DraftEdit : public QUndoCommand {
public:
    DraftEdit(VariantDraft& draft, Json after, const QString& words)
        : QUndoCommand(words), draft_(draft), before_(draft.document()), after_(std::move(after)) {}
    /// Restores a step of an earlier session: push() does not carry it out again.
    DraftEdit(VariantDraft& draft, std::pair<Json, Json> documents, const QString& words)
        : QUndoCommand(words),
          draft_(draft),
          before_(std::move(documents.first)),
          after_(std::move(documents.second)),
          isDone_(true) {}
    void undo() override { draft_.put(before_); }
    void redo() override {
        if (!std::exchange(isDone_, false)) draft_.put(after_);
    }
    const Json& before() const { return before_; }

private:
    VariantDraft& draft_;
    Json before_, after_;
    bool isDone_ = false;
};

}  // namespace heddle::ui
