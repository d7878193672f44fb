// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/verdict_panel.h"

#include "app/study/study_told.h"
#include "app/study/verdict_words.h"
#include "storage/run_query.h"
#include "ui/pages/compare/note_list.h"
#include "ui/panels/table/compared_cells.h"
#include "ui/plot/strip_plot.h"
#include "ui/text/number.h"
#include "ui/text/sentence.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <fmt/format.h>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::ui {
namespace {

constexpr std::size_t kMostPairs = 20;  ///< rows of the plot
constexpr std::size_t kUsualSeeds = 3;  ///< with fewer, no verdict is worth much
constexpr qsizetype kMostLeftOut = 12;

QString seedText(std::uint64_t seed) { return VerdictPanel::tr("seed %1").arg(seed); }

Note noteOf(const app::FairnessCheck& check) {
    using State = app::FairnessCheck::State;
    const QString text = QString::fromStdString(check.sentence);
    if (check.state == State::Ok) return {Icon::Check, Token::Ok, text};
    return check.state == State::Warning ? Note{Icon::Warning, Token::Warn, text} : Note{Icon::Info, Token::Text2, text};
}

Note noteOf(const AlsoMeasured& also) {
    const double scale = metricScale(also.metric);
    QString text = QStringLiteral("%1: %2").arg(metricTitle(also.metric), differenceText(scale, also.difference.difference));
    if (also.difference.interval)
        text += QStringLiteral(" [%1, %2]")
                    .arg(differenceText(scale, also.difference.interval->low),
                         differenceText(scale, also.difference.interval->high));
    if (also.p) text += QStringLiteral(", p %1").arg(QString::fromStdString(app::pText(*also.p)));
    text += QStringLiteral(" · ") + (also.difference.p ? QString::fromStdString(heddle::nameOf(also.verdict))
                                                       : QString::fromStdString(also.difference.whyNone));
    return {also.verdict == Verdict::NotShown ? Icon::NoDifference : Icon::Check, Token::Text, text};
}

/// The interval is of the confidence that the study has, the seeds those of the test.
QString numbersOf(const StudyComparison& comparison, const ComparedGroup& group) {
    QStringList parts{VerdictPanel::tr("%1: %2", "metric, difference with interval")
                          .arg(valueTitle(comparison), intervalText(comparison, group))};
    const Judged* judged = comparison.judgedOf(group);
    if (!judged) return parts.first();
    const SeedDifference& difference = group.verdict->difference;
    parts << (group.test == SeedTest::Paired
                  ? VerdictPanel::tr("%Ln pair(s)", nullptr, int(difference.n))
                  : VerdictPanel::tr("%1 and %2 runs").arg(count(qint64(difference.n)), count(qint64(difference.nBaseline))));
    if (group.verdict->correctedP)
        parts << VerdictPanel::tr("p %1 (%Ln comparison(s))", nullptr, int(judged->verdict.comparisons))
                     .arg(QString::fromStdString(app::pText(*group.verdict->correctedP)));
    if (const auto size = smallestShown(difference, judged->verdict.level / judged->study.family(), judged->study.power))
        parts << VerdictPanel::tr("would have seen %1 or more").arg(metricText(comparison, *size));
    return parts.join(QStringLiteral("; "));
}

}  // namespace

VerdictPanel::VerdictPanel(Studio& studio, const StudyComparer& comparer, QWidget* parent)
    : Panel(tr("Verdict"), parent), studio_(studio), comparer_(comparer), reading_(this, [this](Result<VerdictDetail> detail) {
          if (!detail) return Q_EMIT failed(detail.problem());
          showDetail(*detail);
      }) {
    build();
    connect(&comparer, &StudyComparer::changed, this, &VerdictPanel::refresh);
    refresh();
}

void VerdictPanel::build() {
    titleRow()->hide();  // its dock has a title
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(px(10), px(8), px(10), px(8));
    column->setSpacing(px(6));
    headline_ = makeText(body);
    headline_->setObjectName(QStringLiteral("verdict"));
    headline_->setFont(strongFont(Type::Verdict));
    sentence_ = makeText(body);
    sentence_->setObjectName(QStringLiteral("verdictNumbers"));
    pairs_ = new StripPlot(body);
    pairs_->setObjectName(QStringLiteral("pairs"));
    pairs_->setAccessibleName(tr("Values by seed"));
    sizesBox_ = new QWidget(body);
    sizesBox_->setObjectName(QStringLiteral("detectable"));
    sizes_ = new QGridLayout(sizesBox_);
    sizes_->setContentsMargins(0, 0, 0, 0);
    addSeeds_ = new QPushButton(tr("Add seeds…"), body);
    addSeeds_->setObjectName(QStringLiteral("addSeeds"));
    connect(addSeeds_, &QPushButton::clicked, this, &VerdictPanel::addSeeds);
    also_ = new NoteList(tr("Also measured"), body);
    also_->setObjectName(QStringLiteral("alsoMeasured"));
    published_ = new NoteList(tr("Published"), body);
    published_->setObjectName(QStringLiteral("published"));
    checks_ = new NoteList(tr("Is the comparison fair?"), body);
    checks_->setObjectName(QStringLiteral("fairness"));
    leftOut_ = new NoteList(tr("Left out"), body);
    leftOut_->setObjectName(QStringLiteral("leftOut"));
    limits_ = makeText(body);
    limits_->setObjectName(QStringLiteral("limits"));
    setCaption(*limits_);
    for (QWidget* part : std::initializer_list<QWidget*>{headline_, sentence_, pairs_, sizesBox_}) column->addWidget(part);
    column->addWidget(addSeeds_, 0, Qt::AlignLeft);
    for (QWidget* part : std::initializer_list<QWidget*>{also_, published_, checks_, leftOut_, limits_})
        column->addWidget(part);
    column->addStretch(1);
    auto* area = new SideArea(px(250), this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(body);
    area->setAccessibleName(tr("Verdict"));
    setBody(area);
}

void VerdictPanel::setSelected(const std::string& group) {
    if (group == selected_) return;
    selected_ = group;
    refresh();
}

std::string VerdictPanel::newestCompared() const {
    const auto& runs = comparer_.table()->runs;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
        if (const ComparedGroup* group = comparer_.comparison()->group((*run)->record.groupKey);
            group && (group->difference || group->verdict))
            return group->key;
    return {};
}

void VerdictPanel::setNames(const std::unordered_map<std::string, QString>& names) {
    const std::string& baseline = comparer_.comparison()->baseline;
    const QString group = nameOf(group_), other = nameOf(baseline);
    for (const auto& [key, name] : names) names_[key] = name;
    if (nameOf(group_) != group || nameOf(baseline) != other) refresh();
}

QString VerdictPanel::nameOf(const std::string& key) const {
    const auto found = names_.find(key);
    return found == names_.end() ? QString::fromStdString(key.substr(0, 12)) : found->second;
}

void VerdictPanel::showNothing(const QString& title, const QString& text) {
    reading_.cancel();
    detailOf_.clear();
    setPlaceholder(title, text);
    setWindowTitle(tr("Verdict"));
}

void VerdictPanel::refresh() {
    const StudyComparison& comparison = *comparer_.comparison();
    group_ = selected_.empty() || selected_ == comparison.baseline ? newestCompared() : selected_;
    const ComparedGroup* group = comparison.group(group_);
    if (comparison.baseline.empty() || !group)
        return showNothing(tr("Nothing to compare yet"),
                           comparer_.study()
                               ? tr("The study has no completed runs to compare. Train study, beside its name, trains them.")
                               : tr("A verdict needs two groups with completed runs. B pins the baseline that others are "
                                    "compared with."));
    setPlaceholder({}, {});
    setWindowTitle(tr("Verdict · %1 against %2").arg(nameOf(group_), nameOf(comparison.baseline)));
    showSentence(comparison, *group);
    showPairs(comparison, *group);
    showNextSeeds();
    showPublished(comparison, *group);
    showLeftOut(*group);
    askDetail(comparison, *group);
}

void VerdictPanel::showSentence(const StudyComparison& comparison, const ComparedGroup& group) {
    const QString words = verdictText(comparison, group);
    headline_->setText(withCapital(words));
    sentence_->setText(numbersOf(comparison, group));
    QStringList limits{comparison.isAsked ? tr("Asked before the runs were seen.")
                                          : tr("Chosen after the runs were seen: a study that is written before says more.")};
    if (const Judged* judged = comparison.judgedOf(group)) {
        std::vector<std::string> sentences{app::testWords(judged->study, judged->verdict),
                                           app::intervalWords(judged->study, judged->verdict), app::pairWords(*group.verdict),
                                           app::coverWords(judged->study)};
        if (comparison.isAsked) sentences.push_back(app::itemsTestWords(judged->study, judged->verdict));
        if (judged->verdict.items.contains(group.verdict->name))
            sentences.push_back("Seeds and test items together: " + app::itemsWords(judged->verdict, *group.verdict));
        for (std::string& told : app::toldWords(judged->study, judged->verdict)) sentences.push_back(std::move(told));
        for (const std::string& one : sentences)
            if (!one.empty()) limits << sentence(QString::fromStdString(one));
    }
    limits_->setText(limits.join(QLatin1Char(' ')));
    for (QLabel* label : {headline_, sentence_}) label->setToolTip(limits_->text());
}

void VerdictPanel::showPairs(const StudyComparison& comparison, const ComparedGroup& group) {
    const ComparedGroup& baseline = *comparison.baselineGroup();
    const double scale = comparison.scale;
    const int own = studio_.colours().orderOf(group.key), other = studio_.colours().orderOf(baseline.key);
    StripData strip;
    strip.decimals = comparison.decimals;
    strip.title = valueTitle(comparison);
    strip.legend = {{other, nameOf(baseline.key)}, {own, nameOf(group.key)}};
    std::set<std::uint64_t> seeds;
    for (const auto* values : {&group.values, &baseline.values})
        for (const auto& [seed, value] : *values) seeds.insert(seed);
    for (const std::uint64_t seed : seeds) {
        if (strip.rows.size() == qsizetype(kMostPairs)) break;
        StripRow row{seedText(seed), {}, {}};
        const auto a = baseline.values.find(seed), b = group.values.find(seed);
        if (a != baseline.values.end()) row.points << StripPoint{scale * a->second, other, nameOf(baseline.key)};
        if (b != group.values.end()) row.points << StripPoint{scale * b->second, own, nameOf(group.key)};
        if (row.points.size() == 2 && group.test == SeedTest::Paired) row.span = {row.points[0].value, row.points[1].value};
        strip.rows << row;
    }
    pairs_->setVisible(!strip.rows.isEmpty());
    pairs_->setData(strip);
    pairs_->setFixedHeight(pairs_->leastHeight());
}

void VerdictPanel::showDetectable(const std::vector<std::pair<std::size_t, double>>& sizes) {
    while (QLayoutItem* item = sizes_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    sizesBox_->setVisible(!sizes.empty());
    const StudyComparison& comparison = *comparer_.comparison();
    const ComparedGroup* group = comparison.group(group_);
    const Judged* judged = group ? comparison.judgedOf(*group) : nullptr;
    if (sizes.empty() || !judged) return;
    sizesBox_->setToolTip(
        group->test == SeedTest::Paired
            ? tr("From the scatter of the differences of %1 pairs, which is assumed for every n; Student's t of pairs at the "
                 "level of this comparison")
                  .arg(count(qint64(group->verdict->difference.n)))
            : tr("From the scatter of both groups, which is assumed for every n; Welch's t at the level of this comparison"));
    sizes_->addWidget(
        makeHeading(tr("Smallest difference seen with %1 % power").arg(number(100 * judged->study.power, 0)), sizesBox_), 0, 0,
        1, int(sizes.size()) + 1);
    sizes_->addWidget(makeCaption(tr("Seeds"), sizesBox_), 1, 0);
    sizes_->addWidget(makeCaption(metricTitle(comparison.metricKey()), sizesBox_), 2, 0);
    int column = 1;
    for (const auto& [n, size] : sizes) {
        const bool isNow = n == group->verdict->difference.n;
        for (const auto& [row, text] : {std::pair(1, count(qint64(n))), std::pair(2, metricText(comparison, size))}) {
            auto* label = new QLabel(text, sizesBox_);
            label->setFont(isNow ? strongFont(Type::Body) : numberFont(Type::Body));
            sizes_->addWidget(label, row, column, Qt::AlignRight);
        }
        ++column;
    }
}

void VerdictPanel::showNextSeeds() {
    addSeeds_->setEnabled(!nextSeeds().empty());
    QStringList seeds;
    for (const std::uint64_t seed : nextSeeds()) seeds << QString::number(seed);
    addSeeds_->setToolTip(
        seeds.isEmpty()
            ? tr("The study is decided: no more seeds are asked for")
            : tr("Put both groups with the seeds %1 into the plan of Compose").arg(seeds.join(QStringLiteral(", "))));
}

void VerdictPanel::showPublished(const StudyComparison& comparison, const ComparedGroup& group) {
    std::vector<Note> notes;
    for (const ComparedGroup* one : {&group, comparison.baselineGroup()})
        for (const PublishedValue& value : one->published)
            notes.push_back({value.isQuick ? Icon::Clamp : Icon::Info, value.isQuick ? Token::Intr : Token::Text2,
                             tr("%1: %2", "group, what is published").arg(nameOf(one->key), publishedText(value))});
    published_->setNotes(std::move(notes));
}

void VerdictPanel::showLeftOut(const ComparedGroup& group) {
    std::vector<Note> notes;
    for (const LeftOutOfGroup& one : group.leftOut) {
        if (qsizetype(notes.size()) == kMostLeftOut) {
            notes.push_back(
                {Icon::Info, Token::Text2, tr("and %Ln more run(s)", nullptr, int(group.leftOut.size() - notes.size()))});
            break;
        }
        const QString text = QStringLiteral("%1: %2").arg(seedText(one.seed), QString::fromStdString(one.why));
        notes.push_back(one.hasFailed  ? Note{Icon::Cross, Token::Bad, text}
                        : one.isUnlike ? Note{Icon::Clamp, Token::Intr, text}
                                       : Note{Icon::Info, Token::Text2, text});
    }
    leftOut_->setNotes(std::move(notes));
}

void VerdictPanel::askDetail(const StudyComparison& comparison, const ComparedGroup& group) {
    // What is known of another group or metric never stands under this one.
    const std::string key = fmt::format("{} {} {} {} {} {} {}", group.key, comparison.baseline, comparison.valueKey,
                                        comparison.question.metric.rule.text(), comparison.isAsked, comparison.question.holm,
                                        comparison.comparisons());
    if (std::exchange(detailOf_, key) != key) {
        reading_.cancel();
        showDetail({group.key, {}, 0, {}, {}});
    }
    const int database = group.runs.empty() ? 0 : group.runs.begin()->second.database;
    if (!studio_.databases().find(database)) {
        reading_.cancel();
        return showDetail({group.key, {}, 0, {}, {}});
    }
    const PairNames names{nameOf(comparison.baseline).toStdString(), nameOf(group.key).toStdString()};
    reading_.ask(studio_.databases().reader(database),
                 [table = comparer_.table(), asked = comparer_.comparison(), key = group.key, names,
                  database](storage::RunQuery& query) { return detailOf(*table, *asked, key, names, database, query); });
}

void VerdictPanel::showDetail(const VerdictDetail& detail) {
    if (detail.group != group_) return;  // another one was selected since
    std::vector<Note> also, checks;
    for (const AlsoMeasured& one : detail.also) also.push_back(noteOf(one));
    if (!also.empty())
        also.push_back({Icon::Info, Token::Text2,
                        tr("p corrected for %Ln test(s): every metric of every group", nullptr, int(detail.tests))});
    for (const app::FairnessCheck& check : detail.checks) checks.push_back(noteOf(check));
    showDetectable(detail.detectable);
    also_->setNotes(std::move(also));
    checks_->setNotes(std::move(checks));
}

std::vector<std::uint64_t> VerdictPanel::nextSeeds() const {
    const StudyComparison& comparison = *comparer_.comparison();
    const ComparedGroup *group = comparison.group(group_), *baseline = comparison.baselineGroup();
    if (!group || !baseline) return {};
    if (comparison.isAsked) return group->verdict ? group->verdict->next : std::vector<std::uint64_t>{};
    std::set<std::uint64_t> missing;  // first those that make pairs
    for (const auto& [seed, value] : group->values)
        if (!baseline->values.contains(seed)) missing.insert(seed);
    for (const auto& [seed, value] : baseline->values)
        if (!group->values.contains(seed)) missing.insert(seed);
    const std::size_t least = std::max(kUsualSeeds, group->values.size() + 1);
    for (std::uint64_t seed = 1; missing.size() + group->values.size() < least; ++seed)
        if (!group->values.contains(seed) && !baseline->values.contains(seed)) missing.insert(seed);
    return {missing.begin(), missing.end()};
}

/// The plan has a row for each of the two groups, with the seeds that it lacks.
void VerdictPanel::addSeeds() {
    const StudyComparison& comparison = *comparer_.comparison();
    const std::vector<std::uint64_t> seeds = nextSeeds();
    std::vector<PlanRow> rows;
    for (const std::string& key : {comparison.baseline, group_}) {
        const ComparedGroup& group = *comparison.group(key);
        const auto run = std::find_if(comparer_.table()->runs.begin(), comparer_.table()->runs.end(),
                                      [&](const RunPointer& one) { return one->record.groupKey == key && one->spec; });
        if (run == comparer_.table()->runs.end()) continue;
        PlanRow row{nameOf(key).toStdString(), parseJson((*run)->record.spec, (*run)->record.id), {}, {}};
        for (const std::uint64_t seed : seeds)
            if (!group.values.contains(seed)) row.seeds.push_back(seed);
        if (comparison.isAsked) row.name = (*run)->record.name;  // the study knows its runs by their names
        if (!row.seeds.empty()) rows.push_back(std::move(row));
    }
    studio_.plan(rows);
}

}  // namespace heddle::ui
