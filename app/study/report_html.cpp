// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_folder.h"

#include "app/study/report_figures.h"
#include "app/study/report_referees.h"
#include "app/study/report_tables.h"
#include "app/study/study_told.h"
#include "app/study/svg_parts.h"
#include "app/study/verdict_notes.h"
#include "app/study/verdict_words.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <initializer_list>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

/// Figures are drawn for a white background (svg_parts.h); in the dark the page replaces their colours.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #222; --soft: #5a5a5a; --paper: #fff; --line: #d8d8d8; --shade: #f4f5f7;
  --good: #0b6e4f; --bad: #a63d00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #a8a8a8; --paper: #17191c; --line: #3a3d42; --shade: #212429;
    --good: #5fd0a5; --bad: #ff9e64; }
  svg [fill="#222222"] { fill: #e6e6e6; } svg [stroke="#222222"] { stroke: #e6e6e6; }
  svg [stroke="#e4e4e4"] { stroke: #33363b; } svg [stroke="#999999"] { stroke: #6a6e75; }
  svg [fill="white"] { fill: #17191c; }
  svg [fill="#0072B2"] { fill: #56B4E9; } svg [stroke="#0072B2"] { stroke: #56B4E9; }
  svg [fill="#000000"] { fill: #ffffff; } svg [stroke="#000000"] { stroke: #ffffff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; max-width: 48rem; }
.soft, figcaption, caption { color: var(--soft); font-size: .9rem; }
.verdicts { list-style: none; margin: 1.25rem 0; padding: 0; }
.verdicts li { max-width: none; background: var(--shade); border-left: .3rem solid var(--soft);
  padding: .6rem .9rem; margin: .5rem 0; }
.verdicts li.better { border-color: var(--good); } .verdicts li.worse { border-color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th { font-weight: 600; } thead th { border-bottom: 2px solid var(--ink); }
.text { text-align: left; } td.text { min-width: 8.5rem; } .runs td.text { min-width: 0; } tbody th { white-space: nowrap; }
td.number { white-space: nowrap; }
td[title] { text-decoration: underline dotted var(--soft); text-underline-offset: .2em; cursor: help; }
figure { margin: 1.25rem 0; } figure svg { max-width: 100%; height: auto; display: block; } figcaption { max-width: 48rem; }
li { max-width: 48rem; }
dt { font-weight: 600; margin-top: .8rem; } dd { margin: .1rem 0 0; max-width: 48rem; }
.state-ok { color: var(--good); } .state-warning { color: var(--bad); font-weight: 600; }
.state-not-known { color: var(--soft); }
pre { background: var(--shade); padding: .75rem .9rem; overflow-x: auto; font-size: .85rem; }
@media print {
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; } h2, h3 { break-after: avoid; }
  figure, tr, .verdicts li, dt { break-inside: avoid; } dt { break-after: avoid; } .break { break-before: page; }
  .wide { overflow: visible; } .runs table { font-size: 6.5pt; } .runs th, .runs td { padding: 1pt 2pt; white-space: normal; }
  @page { margin: 16mm; }
}
)";

std::string element(const std::string& tag, const std::string& text) {
    return fmt::format("<{0}>{1}</{0}>\n", tag, markupText(text));
}

std::string attribute(const std::string& name, const std::string& text) {
    return text.empty() ? "" : fmt::format(" {}=\"{}\"", name, markupText(text));
}

std::string listOf(const std::vector<std::string>& items) {
    std::string html = "<ul>\n";
    for (const std::string& item : items) html += element("li", item);
    return html + "</ul>\n";
}

/// The title of a cell; empty: it has none.
using TitleOf = std::string (*)(const StudyReport& report, std::size_t row, std::size_t column);

std::string tableHtml(const StudyReport& report, const ExportedTable& table, const std::string& caption, TitleOf titleOf) {
    const auto aligned = [&table](std::size_t column) { return column < table.textColumns ? "text" : "number"; };
    std::string html = "<div class=\"wide\"><table>\n<caption>" + markupText(caption) + "</caption>\n<thead><tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        html += fmt::format("<th scope=\"col\" class=\"{}\">{}</th>", aligned(i), markupText(table.columns[i]));
    html += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        html += "<tr>";
        for (std::size_t i = 0; i < table.rows[row].size(); ++i) {
            const std::string title = titleOf == nullptr ? "" : attribute("title", titleOf(report, row, i));
            const std::string text = markupText(table.rows[row][i]);
            html += i == 0 ? fmt::format("<th scope=\"row\" class=\"text\">{}</th>", text)
                           : fmt::format("<td class=\"{}\"{}>{}</td>", aligned(i), title, text);
        }
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table></div>\n";
}

const RowVerdict* verdictOfRow(const StudyReport& report, std::size_t row) {
    const std::string& name = report.study.rows.at(row).name;
    const auto found = std::find_if(report.verdict.rows.begin(), report.verdict.rows.end(),
                                    [&name](const RowVerdict& one) { return one.name == name; });
    return found == report.verdict.rows.end() ? nullptr : &*found;
}

/// Of verdictTable()'s cells.
std::string numberTitle(const StudyReport& report, std::size_t row, std::size_t column) {
    const RowVerdict* const verdict = verdictOfRow(report, row);
    if (verdict == nullptr) return column == 2 ? spreadNote(report.study) : "";
    const NumberNotes notes = numberNotes(report.study, report.verdict, *verdict);
    switch (column) {
    case 1: return notes.equivalence;
    case 2: return notes.value;
    case 3: return notes.difference;
    case 4: return notes.interval;
    case 5: return notes.p;
    case 6: return notes.correlation;
    case 7: return notes.smallest;
    case 8: return notes.items;
    default: return "";
    }
}

std::string headOf(const StudyReport& report) {
    const Study& study = report.study;
    const std::string title = study.question.empty() ? "A study of " + metricWords(study) : study.question;
    std::string html =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"generator\" content=\"Heddle\">\n";
    html += element("title", title);
    html += fmt::format("<style>{}</style>\n</head>\n<body>\n<main>\n", kStyle) + element("h1", title);
    html += fmt::format("<p class=\"soft\">{}. Baseline: {}. Report of {:%Y-%m-%d %H:%M} UTC.</p>\n",
                        markupText(metricWords(study)), markupText(study.baseline),
                        fmt::gmtime(static_cast<std::time_t>(report.made)));
    html += "<ul class=\"verdicts\">\n";
    for (const RowVerdict& row : report.verdict.rows) {
        const bool isShown = row.verdict == Verdict::Better || row.verdict == Verdict::Worse;
        html += fmt::format("<li{}><strong>{}</strong>: {}</li>\n", isShown ? attribute("class", nameOf(row.verdict)) : "",
                            markupText(row.name), markupText(rowSentence(study, report.verdict, row)));
    }
    html += "</ul>\n" + element("p", testWords(study, report.verdict) + " " + coverWords(study));
    if (study.claim) {
        const int claim = claimIn(study, report.verdict);
        html +=
            element("p", fmt::format("The study claims that {} is {}: {}.", study.claim->variant, nameOf(study.claim->verdict),
                                     claim > 0   ? "shown"
                                     : claim < 0 ? "the opposite is shown"
                                                 : "not shown"));
    }
    return html;
}

std::string figureHtml(const ReportFigure& figure) {
    return "<figure>\n" + figure.svg +
           fmt::format("<figcaption><strong>{}.</strong> {}</figcaption>\n</figure>\n", markupText(figure.title),
                       markupText(figure.caption));
}

/// What every number is, as text: titles are not printed.
std::string notesHtml(const StudyReport& report) {
    std::string html = "<h3>What the numbers are</h3>\n" + element("p", spreadNote(report.study));
    for (const RowVerdict& row : report.verdict.rows) {
        const NumberNotes notes = numberNotes(report.study, report.verdict, row);
        std::vector<std::string> items;
        for (const auto& [what, note] : {std::pair{"Difference", &notes.difference},
                                         {"Interval", &notes.interval},
                                         {"p", &notes.p},
                                         {"Equivalence", &notes.equivalence},
                                         {"Seed correlation", &notes.correlation},
                                         {"Sign flips", &notes.signFlip},
                                         {"Ranks", &notes.ranks},
                                         {"Smallest shown", &notes.smallest},
                                         {"Over seeds and test items together", &notes.items}})
            if (!note->empty()) items.push_back(fmt::format("{}: {}", what, *note));
        if (items.empty()) continue;
        html += "<details open>" + element("summary", row.name) + listOf(items);
        if (const std::string pairs = pairWords(row); !pairs.empty()) html += element("p", row.name + ": " + pairs + ".");
        html += "</details>\n";
    }
    const std::string intervals = intervalWords(report.study, report.verdict);
    return html + (intervals.empty() ? "" : element("p", intervals)) + element("p", coverWords(report.study));
}

std::string checksHtml(const StudyReport& report) {
    std::string html =
        "<h2>Is the comparison fair?</h2>\n<div class=\"wide\"><table>\n<caption>What the rows have in common beside "
        "what is asked</caption>\n<thead><tr><th scope=\"col\" class=\"text\">check</th><th scope=\"col\" "
        "class=\"text\">state</th><th scope=\"col\" class=\"text\">what was found</th></tr></thead>\n<tbody>\n";
    for (const FairnessCheck& check : report.checks) {
        std::string state = nameOf(check.state), kind = state;
        std::replace(kind.begin(), kind.end(), ' ', '-');
        html += fmt::format(
            "<tr><th scope=\"row\" class=\"text\">{}</th><td class=\"text state-{}\">{}</td><td "
            "class=\"text\">{}</td></tr>\n",
            markupText(check.about), kind, state, markupText(check.sentence));
    }
    return html + "</tbody>\n</table></div>\n";
}

std::string refereesHtml(const StudyReport& report) {
    std::string html = "<h2 class=\"break\">What referees ask</h2>\n";
    for (const RefereeList& list : refereeAnswers(report)) {
        html += element("h3", list.title) + "<dl>\n";
        for (const RefereeAnswer& one : list.answers) html += element("dt", one.question) + element("dd", one.answer);
        html += "</dl>\n";
    }
    return html;
}

constexpr const char* kRepeat =
    "<h2>Repeat it</h2>\n<p>The folder of this report has the study (study.json) and the spec of every run (specs/). With the "
    "same "
    "data files at the same places:</p>\n<pre>heddle study study.json --db again.heddle\nheddle train specs/ROW-SEED.json --db "
    "again.heddle</pre>\n<p>On the same device, with the same number of threads and the same versions a run gives the same "
    "numbers, "
    "bit for bit.</p>\n";

}  // namespace

std::string reportHtml(const StudyReport& report) {
    std::string html = headOf(report);
    const std::vector<ReportFigure> figures = reportFigures(report);
    if (!figures.empty()) html += figureHtml(figures.front());
    html += "<h2>Values and differences</h2>\n" +
            tableHtml(report, verdictTable(report), metricWords(report.study) + ". Point at a number to read what it is.",
                      numberTitle) +
            notesHtml(report);
    for (std::size_t i = 1; i < figures.size(); ++i) html += figureHtml(figures[i]);
    if (const auto along = alongTable(report))
        html += "<h3>Along the curves</h3>\n" + tableHtml(report, *along, along->note, nullptr);
    html += checksHtml(report);
    if (const auto told = toldWords(report.study, report.verdict); !told.empty())
        html += "<h3>Tuning, controls and changes</h3>\n" + listOf(told);
    const std::vector<std::string> leftOut = leftOutWords(report.study, report.verdict);
    html += "<h2>Left out</h2>\n" + (leftOut.empty() ? element("p", "No run that ended is left out.") : listOf(leftOut));
    html += "<h2>Not done</h2>\n" + listOf(report.notDone) + refereesHtml(report);
    html += "<h2>Runs</h2>\n<div class=\"runs\">\n" +
            tableHtml(report, runsTable(report), "Every run of the study that has begun; times in seconds", nullptr) +
            "</div>\n";
    html += kRepeat;
    if (!report.study.existing.empty())
        html +=
            element("p", "Rows of existing runs need those runs: import them into again.heddle first (heddle runs import).");
    return html + "</main>\n</body>\n</html>\n";
}

}  // namespace heddle::app
