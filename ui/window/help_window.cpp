// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_window.h"

#include "engine/spec/manual.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QDesktopServices>
#include <QFile>
#include <QLabel>
#include <QTextBlock>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

const QString kSpecScheme = QStringLiteral("spec");

QString words(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

/// Text with `code` in it.
QString codeWords(const std::string& text) {
    QStringList parts = words(text).split(QLatin1Char('`'));
    for (qsizetype i = 1; i < parts.size(); i += 2) parts[i] = QStringLiteral("<code>%1</code>").arg(parts[i]);
    return parts.join(QString());
}

QString groupOf(const FieldRow& row) { return QString::fromStdString(row.path.substr(0, row.path.find('.'))); }

QString helpText() {
    QFile file(QStringLiteral(":/help/studio.md"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString text = QString::fromUtf8(file.readAll());
    if (text.startsWith(QLatin1String("<!--"))) text.remove(0, text.indexOf(QLatin1String("-->")) + 3);  // the licence line
    return text;
}

}  // namespace

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), about_(new QLabel(this)), text_(new QTextBrowser(this)) {
    setWindowTitle(tr("Help"));
    about_->setWordWrap(true);
    about_->setTextFormat(Qt::PlainText);
    about_->setFont(strongFont(Type::Body));
    about_->setContentsMargins(px(12), px(8), px(12), 0);
    text_->setObjectName(QStringLiteral("helpText"));
    text_->setAccessibleName(tr("Help text"));
    text_->setOpenLinks(false);
    connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.scheme() == kSpecScheme) return showSpec(link.path());
        QDesktopServices::openUrl(link);
    });
    text_->setFrameShape(QFrame::NoFrame);
    text_->document()->setDocumentMargin(px(12));
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(about_);
    column->addWidget(text_);
    resize(px(640), px(600));
}

QStringList HelpWindow::sections() {
    QStringList titles;
    for (const QString& line : helpText().split(QLatin1Char('\n')))
        if (line.startsWith(QLatin1String("## "))) titles << line.mid(3).trimmed();
    return titles;
}

void HelpWindow::showSection(const QString& section, const QString& about) {
    text_->setMarkdown(helpText());
    about_->setText(about);
    about_->setVisible(!about.isEmpty());
    QTextCursor at(text_->document());
    for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() == 2 && block.text() == section) at = QTextCursor(block);
    show();
    raise();
    // To show the section at the top, scroll from the end of the text back to it.
    text_->moveCursor(QTextCursor::End);
    text_->setTextCursor(at);
    text_->setFocus();
}

void HelpWindow::showSpec(const QString& group) {
    QStringList links;
    QString keys;
    for (const FieldRow& row : specRows()) {
        const QString of = groupOf(row);
        const QString link =
            of == group ? QStringLiteral("<b>%1</b>").arg(of) : QStringLiteral("<a href=\"%1:%2\">%2</a>").arg(kSpecScheme, of);
        if (links.isEmpty() || links.last() != link) links << link;
        if (of != group) continue;
        const QString given = row.defaultValue.empty() ? QString() : tr("; default %1").arg(words(row.defaultValue));
        keys += QStringLiteral("<p><code><b>%1</b></code> &nbsp; %2%3<br>%4</p>")
                    .arg(words(row.path), codeWords(row.values), given, codeWords(row.help));
    }
    showHtml(QStringLiteral("<h2>%1</h2><p>%2</p>%3").arg(tr("Keys of a run spec"), links.join(QStringLiteral(" · ")), keys));
}

void HelpWindow::showBlock(const BlockDescriptor& block) {
    QString html = QStringLiteral("<h2>%1</h2><p><code>%2: %3</code></p><p>%4</p>")
                       .arg(words(block.title), words(block.slot), words(block.id), words(block.summary));
    if (!block.formula.empty()) html += QStringLiteral("<p><code>%1</code></p>").arg(words(block.formula));
    if (!block.reference.empty()) html += QStringLiteral("<p>%1 %2</p>").arg(tr("From:"), words(block.reference));
    showHtml(html);
}

void HelpWindow::showHtml(const QString& html) {
    text_->setHtml(html);
    about_->hide();
    show();
    raise();
}

}  // namespace heddle::ui
