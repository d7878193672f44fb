// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_exports.h"

#include "app/study/report_figures.h"
#include "app/study/report_tables.h"
#include "app/study/verdict_words.h"
#include "engine/analysis/table_export.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QTextOption>
#include <QUrl>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct PdfWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::ReportPdf)
};

constexpr int kWide = 460;  ///< of a figure on the page, points
constexpr int kSharp = 4;   ///< pixels of a point

QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

QString paragraph(const std::string& text) { return QStringLiteral("<p>%1</p>").arg(escaped(text)); }

QString heading(const QString& text) { return QStringLiteral("<h2>%1</h2>").arg(text); }

QString listOf(const std::vector<std::string>& sentences) {
    QString list = QStringLiteral("<ul>");
    for (const std::string& sentence : sentences) list += QStringLiteral("<li>%1</li>").arg(escaped(sentence));
    return list + QStringLiteral("</ul>");
}

QString tableOf(const ExportedTable& table) {
    const auto row = [](const std::vector<std::string>& cells, const char* tag) {
        QString line = QStringLiteral("<tr>");
        for (const std::string& cell : cells) line += QStringLiteral("<%1>%2</%1>").arg(QLatin1String(tag), escaped(cell));
        return line + QStringLiteral("</tr>");
    };
    QString html =
        QStringLiteral("<table border='1' cellspacing='0' cellpadding='3' style='font-size:7pt'>") + row(table.columns, "th");
    for (const auto& cells : table.rows) html += row(cells, "td");
    return html + QStringLiteral("</table>") + paragraph(table.note);
}

QString verdictsOf(const app::StudyReport& report) {
    QString html = heading(PdfWords::tr("Verdict"));
    for (const RowVerdict& row : report.verdict.rows)
        html += QStringLiteral("<p><b>%1</b>: %2</p>")
                    .arg(escaped(row.name), escaped(app::rowSentence(report.study, report.verdict, row)));
    for (const std::string& sentence : {app::metricWords(report.study), app::testWords(report.study, report.verdict),
                                        app::intervalWords(report.study, report.verdict), app::coverWords(report.study),
                                        app::itemsTestWords(report.study, report.verdict)})
        if (!sentence.empty()) html += paragraph(sentence);
    return html;
}

QString checksOf(const app::StudyReport& report) {
    QString html = heading(PdfWords::tr("Is the comparison fair?")) + QStringLiteral("<ul>");
    for (const app::FairnessCheck& check : report.checks)
        html += QStringLiteral("<li><b>%1</b> (%2): %3</li>")
                    .arg(escaped(check.about), escaped(app::nameOf(check.state)), escaped(check.sentence));
    return html + QStringLiteral("</ul>");
}

/// Adds the figures as pictures of the document.
QString figuresOf(const app::StudyReport& report, QTextDocument& document) {
    QString html;
    for (const app::ReportFigure& figure : app::reportFigures(report)) {
        QSvgRenderer renderer(QByteArray::fromStdString(figure.svg));
        const QSize size = renderer.defaultSize();
        if (!renderer.isValid() || size.isEmpty()) continue;
        const int height = kWide * size.height() / size.width();
        QImage picture(kSharp * kWide, kSharp * height, QImage::Format_RGB32);
        picture.fill(0xffffffff);
        QPainter painter(&picture);
        renderer.render(&painter);
        painter.end();
        document.addResource(QTextDocument::ImageResource, QUrl(QString::fromStdString(figure.file)), picture);
        html +=
            heading(escaped(figure.title)) +
            QStringLiteral("<p><img src='%1' width='%2' height='%3'/></p>").arg(escaped(figure.file)).arg(kWide).arg(height);
        html += paragraph(figure.caption);
    }
    return html;
}

}  // namespace

QByteArray reportPdf(const app::StudyReport& report) {
    QTextDocument document;
    // Lines of narrow columns break between words only.
    QTextOption wrap = document.defaultTextOption();
    wrap.setWrapMode(QTextOption::WordWrap);
    document.setDefaultTextOption(wrap);
    document.setDefaultStyleSheet(QStringLiteral("body { font-size: 10pt; } h1 { font-size: 16pt; } h2 { font-size: 12pt; }"));
    const std::string& question = report.study.question;
    const QString title =
        question.empty() ? PdfWords::tr("Study against %1").arg(escaped(report.study.baseline)) : escaped(question);
    QString html = QStringLiteral("<h1>%1</h1>").arg(title) + verdictsOf(report) + tableOf(app::verdictTable(report)) +
                   figuresOf(report, document) + checksOf(report);
    if (const auto leftOut = app::leftOutWords(report.study, report.verdict); !leftOut.empty())
        html += heading(PdfWords::tr("Left out")) + listOf(leftOut);
    if (!report.notDone.empty()) html += heading(PdfWords::tr("Not done")) + listOf(report.notDone);
    document.setHtml(html);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout::Millimeter);
    writer.setTitle(QString::fromStdString(question.empty() ? report.study.baseline : question));
    document.print(&writer);
    buffer.close();
    return bytes;
}

}  // namespace heddle::ui
