// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/filter_line.h"

#include "engine/run/run_state.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QStringListModel>
#include <QTextCharFormat>

namespace heddle::ui {

FilterLine::FilterLine(QWidget* parent)
    : QLineEdit(parent), completer_(new QCompleter(this)), words_(new QStringListModel(this)) {
    setPlaceholderText(tr("Filter: text, state:completed, tag:paper, dims.d=128, valid.loss<1.9"));
    setAccessibleName(tr("Filter runs"));
    setClearButtonEnabled(true);
    addAction(themeIcon(Icon::Filter, Token::Text2), QLineEdit::LeadingPosition);
    completer_->setModel(words_);
    completer_->setWidget(this);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->setFilterMode(Qt::MatchContains);
    completer_->popup()->setAccessibleName(tr("Words of the filter"));
    connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &FilterLine::insertCompletion);
    connect(this, &QLineEdit::textEdited, this, &FilterLine::complete);
}

void FilterLine::setTable(const RunTable& table) {
    QStringList words{QStringLiteral("name:"), QStringLiteral("tag:"), QStringLiteral("seed:"), QStringLiteral("variant:")};
    for (int i = 0; i < kRunStateCount; ++i)
        words << QStringLiteral("state:") + QString::fromUtf8(name(RunState(i)).data(), int(name(RunState(i)).size()));
    for (const auto& metric : table.metrics) words << QString::fromStdString(metric);
    for (const auto& path : table.varying) words << QString::fromStdString(path) + QLatin1Char('=');
    if (words != words_->stringList()) words_->setStringList(words);
}

void FilterLine::setProblem(const std::optional<FilterError>& error) {
    setFieldProblem(*this, error ? error->what : QString());
    if (!error && !marked_) return;
    marked_ = error.has_value();
    QList<QInputMethodEvent::Attribute> attributes;
    if (error) {
        QTextCharFormat wrong;
        wrong.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        wrong.setUnderlineColor(Theme::color(Token::Bad));
        wrong.setForeground(Theme::color(Token::Bad));
        attributes << QInputMethodEvent::Attribute(QInputMethodEvent::TextFormat, error->position - cursorPosition(),
                                                   error->length, wrong);
    }
    QInputMethodEvent marks(QString(), attributes);  // the one way to format a part of a QLineEdit
    event(&marks);
}

int FilterLine::wordBegin() const {
    const qsizetype space = text().left(cursorPosition()).lastIndexOf(QLatin1Char(' '));
    return int(space) + 1;
}

void FilterLine::complete() {
    const QString word = text().mid(wordBegin(), cursorPosition() - wordBegin());
    if (word.size() < 2) return completer_->popup()->hide();
    completer_->setCompletionPrefix(word);
    const bool only = completer_->completionCount() == 1 && completer_->currentCompletion() == word;
    if (completer_->completionCount() == 0 || only) return completer_->popup()->hide();
    QRect place = cursorRect();
    place.setWidth(px(260));
    completer_->complete(place);
}

void FilterLine::insertCompletion(const QString& word) {
    const int begin = wordBegin();
    QString line = text();
    line.replace(begin, cursorPosition() - begin, word);
    setText(line);
    setCursorPosition(begin + int(word.size()));
    Q_EMIT textEdited(line);
}

void FilterLine::keyPressEvent(QKeyEvent* event) {
    const bool open = completer_->popup()->isVisible();
    const bool chooses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Tab;
    if (open && (chooses || event->key() == Qt::Key_Escape)) return event->ignore();  // the list's
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
        clear();
        Q_EMIT textEdited(QString());
        return;
    }
    QLineEdit::keyPressEvent(event);
}

}  // namespace heddle::ui
