// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_exports.h"

#include "app/study/report_figures.h"
#include "app/study/report_tables.h"
#include "app/study/verdict_words.h"
#include "engine/analysis/table_export.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QTextOption>
#include <QUrl>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct PdfWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::ReportPdf)
};

// Points.
constexpr double kTextWidth = 595 - 2 * 57;  ///< of an A4 page without the 2 cm that QTextDocument::print() leaves on each side
constexpr int kWide = 460;                   ///< of a figure
constexpr int kTableFont = 7, kTextFont = 9;
constexpr double kCellFrame = 2 * 3 + 2;  ///< what a cell adds to the width of its text

constexpr int kSharp = 4;  ///< pixels of a point

QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

QString paragraph(const std::string& text) { return QStringLiteral("<p>%1</p>").arg(escaped(text)); }

QString heading(const QString& text) { return QStringLiteral("<h2>%1</h2>").arg(text); }

QString listOf(const std::vector<std::string>& sentences) {
    QString list = QStringLiteral("<ul>");
    for (const std::string& sentence : sentences) list += QStringLiteral("<li>%1</li>").arg(escaped(sentence));
    return list + QStringLiteral("</ul>");
}

/// Whether a cell has figures alone, such as "[+0.02, +0.04]", which stay on one line.
bool isFigures(const QString& cell) {
    return std::none_of(cell.begin(), cell.end(), [](QChar c) { return c.isLetter(); });
}

/// The least width of a column in points: its longest word, or the longest of its cells of figures.
double leastWidth(const ExportedTable& table, std::size_t column) {
    QFont font = QGuiApplication::font();
    font.setPixelSize(kTableFont);  // a pixel stands for a point
    font.setBold(true);
    const QFontMetricsF metrics(font);
    double widest = 0;
    const auto take = [&](const std::string& cell) {
        const QString words = QString::fromStdString(cell);
        for (const QString& part : isFigures(words) ? QStringList(words) : words.split(QLatin1Char(' ')))
            widest = std::max(widest, metrics.horizontalAdvance(part));
    };
    take(table.columns[column]);
    for (const auto& row : table.rows) take(row[column]);
    return widest + kCellFrame;
}

/// Distributes the columns over tables that are at most as wide as the text. Each begins with the first column, which names the
/// rows.
std::vector<std::vector<std::size_t>> partsOf(const ExportedTable& table) {
    std::vector<std::vector<std::size_t>> parts{{0}};
    const double first = leastWidth(table, 0);
    double width = first;
    for (std::size_t column = 1; column < table.columns.size(); ++column) {
        const double own = leastWidth(table, column);
        if (width + own > kTextWidth && parts.back().size() > 1) {
            parts.push_back({0});
            width = first;
        }
        parts.back().push_back(column);
        width += own;
    }
    return parts;
}

QString tableOf(const ExportedTable& table) {
    QString html;
    for (const std::vector<std::size_t>& columns : partsOf(table)) {
        const auto row = [&](const std::vector<std::string>& cells, const QString& tag) {
            QString line = QStringLiteral("<tr>");
            for (const std::size_t column : columns) {
                const bool isOneLine = isFigures(QString::fromStdString(cells[column]));
                const QString style = isOneLine ? QStringLiteral(" style='white-space:nowrap'") : QString();
                line += QStringLiteral("<%1%2>%3</%1>").arg(tag, style, escaped(cells[column]));
            }
            return line + QStringLiteral("</tr>");
        };
        html += QStringLiteral("<table border='1' cellspacing='0' cellpadding='3' style='font-size:%1pt'>").arg(kTableFont) +
                row(table.columns, QStringLiteral("th"));
        for (const auto& cells : table.rows) html += row(cells, QStringLiteral("td"));
        html += QStringLiteral("</table><p></p>");
    }
    return html + paragraph(table.note);
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
    // The size is set in points: the window's font has a size in pixels, and the page has 1200 pixels an inch.
    QFont font = document.defaultFont();
    font.setPointSize(kTextFont);
    document.setDefaultFont(font);
    // Lines of narrow columns break between words only.
    QTextOption wrap = document.defaultTextOption();
    wrap.setWrapMode(QTextOption::WordWrap);
    document.setDefaultTextOption(wrap);
    document.setDefaultStyleSheet(QStringLiteral("h1 { font-size: 16pt; } h2 { font-size: 12pt; }"));
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
    writer.setPageMargins({});  // the document has its own
    writer.setTitle(QString::fromStdString(question.empty() ? report.study.baseline : question));
    document.print(&writer);
    buffer.close();
    return bytes;
}

}  // namespace heddle::ui
