// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/json_editor.h"

#include "engine/base/json.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>

#include <algorithm>
#include <utility>

namespace heddle::ui {

JsonEditor::JsonEditor(VariantDraft& draft, QWidget* parent)
    : QWidget(parent),
      draft_(draft),
      edit_(new QPlainTextEdit(this)),
      words_(makeCaption({}, this)),
      apply_(new QPushButton(tr("Apply"), this)),
      revert_(new QPushButton(tr("Revert"), this)) {
    edit_->setObjectName(QStringLiteral("jsonText"));
    apply_->setObjectName(QStringLiteral("applyJson"));
    revert_->setObjectName(QStringLiteral("revertJson"));
    edit_->setFont(typeFont(Type::Mono));
    edit_->setFrameShape(QFrame::NoFrame);
    edit_->setTabChangesFocus(true);
    edit_->setLineWrapMode(QPlainTextEdit::NoWrap);
    edit_->setAccessibleName(tr("Specification as JSON"));
    words_->setTextFormat(Qt::PlainText);
    for (QPushButton* button : {apply_, revert_}) setControlRole(*button, ControlRole::Small);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(px(8), px(4), px(8), px(4));
    row->addWidget(words_, 1);
    row->addWidget(revert_);
    row->addWidget(apply_);
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(edit_, 1);
    column->addLayout(row);
    connect(edit_, &QPlainTextEdit::textChanged, this, &JsonEditor::textChanged);
    connect(apply_, &QPushButton::clicked, this, &JsonEditor::apply);
    connect(revert_, &QPushButton::clicked, this, &JsonEditor::revert);
    connect(&draft, &VariantDraft::changed, this, &JsonEditor::refresh);
    refresh();
}

bool JsonEditor::isEdited() const { return edit_->toPlainText() != shown_; }

void JsonEditor::refresh() {
    const QString now = QString::fromStdString(dumped(draft_.document(), 2));
    const auto isOpen = [this](int id) {
        const auto& drafts = draft_.drafts();
        return std::any_of(drafts.begin(), drafts.end(), [id](const auto& draft) { return draft->id == id; });
    };
    const int before = std::exchange(shownDraft_, draft_.id());
    if (before != shownDraft_ && (isOpen(before) || unapplied_.contains(shownDraft_))) {  // keep the edited text for its draft
        if (isEdited()) unapplied_[before] = edit_->toPlainText();
        unapplied_.removeIf([&](const QHash<int, QString>::iterator& text) { return !isOpen(text.key()); });
        shown_ = now;
        edit_->setPlainText(unapplied_.contains(shownDraft_) ? unapplied_.take(shownDraft_) : now);
        return textChanged();
    }
    if (now == shown_) return;
    if (isEdited()) {
        words_->setText(tr("The draft has changed. Apply replaces it with this text; Revert shows the draft."));
        return;
    }
    shown_ = now;
    edit_->setPlainText(now);
    textChanged();
}

void JsonEditor::goTo(const std::string& key) {
    refresh();
    if (isEdited()) return;  // the text may be of another draft
    const QStringList members = QString::fromStdString(key).split(QLatin1Char('.'));
    QTextCursor cursor(edit_->document());
    for (qsizetype depth = 0; depth < members.size(); ++depth) {
        const QString indent(2 * (depth + 1), QLatin1Char(' ')), line = indent + QStringLiteral("\"%1\":").arg(members[depth]);
        QTextBlock block = cursor.block().next();  // within the object that was found last
        while (block.text().startsWith(indent) && !block.text().startsWith(line)) block = block.next();
        if (!block.text().startsWith(line)) break;
        cursor = QTextCursor(block);
    }
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    edit_->setTextCursor(cursor);
    edit_->setFocus(Qt::OtherFocusReason);
}

void JsonEditor::textChanged() {
    const bool edited = isEdited();
    apply_->setEnabled(edited);
    revert_->setEnabled(edited);
    words_->setText(edited ? tr("Edited, not applied yet.")
                           : tr("The run spec of the draft (schema 1), as it is saved and run."));
}

void JsonEditor::revert() {
    shown_ = edit_->toPlainText();  // discards the edit
    refresh();
}

void JsonEditor::apply() {
    try {
        const Json document = parseJson(edit_->toPlainText().toStdString(), "JSON");
        if (!document.is_object()) return words_->setText(tr("Not an object: write {\"variant\": {…}}."));
        shown_ = edit_->toPlainText();
        draft_.replace(document, tr("edit JSON"));
        refresh();
        textChanged();
    } catch (const std::exception& error) {
        const Problem problem = problemOf(error);
        words_->setText(QStringLiteral("%1 · %2 · %3").arg(problem.what, problem.where, problem.next));
        static const QRegularExpression place(QStringLiteral("line (\\d+), column (\\d+)"));
        const auto found = place.match(problem.where);
        if (!found.hasMatch()) return;
        QTextCursor cursor(edit_->document()->findBlockByNumber(found.captured(1).toInt() - 1));
        cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, std::max(0, found.captured(2).toInt() - 1));
        edit_->setTextCursor(cursor);
        edit_->setFocus();
    }
}

}  // namespace heddle::ui
