// SPDX-License-Identifier: GPL-3.0-or-later
// The drafts that are open: which one is shown, and what a session keeps of them.
#include "engine/spec/run_spec.h"
#include "ui/pages/compose/draft/draft_edit.h"

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kKeptSteps = 20;  // of a history, in a session

Json sessionOf(const OpenDraft& draft) {
    const QUndoStack& history = draft.history;
    const int end = history.index(), first = std::max(0, end - kKeptSteps);
    const int saved = history.cleanIndex() > end ? -1 : history.cleanIndex() - first;  // behind `end`: among undone steps
    Json steps = Json::array();
    for (int i = first; i < end; ++i)
        steps.push_back({{"words", history.text(i).toStdString()},
                         {"before", static_cast<const DraftEdit*>(history.command(i))->before()}});
    return {{"name", draft.name.toStdString()},
            {"seeds", draft.seeds.toStdString()},
            {"renamed", draft.renamed},
            {"document", draft.document},
            {"steps", std::move(steps)},
            {"saved_at", std::max(-1, saved)}};  // the number of steps after which it was saved; -1: none
}

QString textAt(const Json& object, const char* key) { return text(object.at(key).get<std::string>()); }

}  // namespace

std::unique_ptr<OpenDraft> VariantDraft::makeDraft() {
    auto draft = std::make_unique<OpenDraft>();
    draft->id = ++lastId_;
    histories_.addStack(&draft->history);
    return draft;
}

void VariantDraft::makeShown(OpenDraft& draft) {
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

int VariantDraft::keep(const Json& document, const QString& name) {
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
    if (!isSettled()) Q_EMIT changed();  // what was known of it, until it is evaluated
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
        drafts.push_back(sessionOf(*draft));
    }
    return {{"shown", shown}, {"drafts", std::move(drafts)}};
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
            draft.history.push(new DraftEdit(*this, std::pair(steps[i].at("before"), after), textAt(steps[i], "words")));
        }
        if (saved == int(steps.size())) draft.history.setClean();
    }
    OpenDraft& shown = *restored.at(session.at("shown").get<std::size_t>());
    drafts_.swap(restored);
    makeShown(shown);
    evaluate();
    Q_EMIT nameChanged();
}

}  // namespace heddle::ui
