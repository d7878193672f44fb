// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/study_comparison.h"

#include "app/study/asked_study.h"
#include "app/study/study_progress.h"
#include "engine/analysis/run_group.h"
#include "engine/base/json.h"
#include "engine/metrics/metric.h"
#include "storage/run_query.h"
#include "ui/data/run_database.h"
#include "ui/data/study_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace heddle::ui {
namespace {

/// A run that has a value.
struct Valued {
    const RunFacts* run;
    double value;
    Measured measured;
};

/// A group while it is put together.
struct Gathered {
    ComparedGroup group;
    std::vector<Valued> valued;
    std::optional<Measured> usual;  ///< how most of its values were measured
    bool mayPair = true;            ///< SpecFacts::mayPair of all runs that are used

    void leaveOut(const RunFacts& run, std::string why, bool isUnlike = false) {
        const Run& record = run.record;
        const bool hasFailed = record.state == "failed";
        group.leftOut.push_back({record.ref, record.seed, std::move(why), hasFailed, isUnlike,
                                 record.damaged || (!hasFailed && record.state != "completed")});
    }
    void take(const RunFacts& run, const StudyQuestion& question, const std::string& metric);
    void findUsual();
    void useValues();
};

void Gathered::take(const RunFacts& run, const StudyQuestion& question, const std::string& metric) {
    const Run& record = run.record;
    group.parameters = std::max(group.parameters, record.parameters);
    if (record.damaged) return leaveOut(run, "is damaged");
    if (record.state == "failed") return leaveOut(run, "failed");
    if (record.state != "completed") return leaveOut(run, "is " + record.state);
    if (record.intervened >= 0)
        return leaveOut(run, fmt::format("interventions changed its training after step {}", record.intervened), true);
    const auto found = run.evaluations.find(metric);
    const auto value = found == run.evaluations.end()
                           ? std::nullopt
                           : valueBy(question.metric.rule, found->second, question.metric.lowerIsBetter);
    if (!value)
        return leaveOut(run, fmt::format("has no {} {} by the rule \"{}\"", question.metric.split, question.metric.name,
                                         question.metric.rule.text()));
    valued.push_back({&run, *value, *run.measured(metric)});
}

void Gathered::findUsual() {
    std::vector<std::pair<const Measured*, int>> kinds;
    for (const Valued& one : valued) {
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return *k.first == one.measured; });
        if (kind == kinds.end())
            kinds.emplace_back(&one.measured, 1);
        else
            ++kind->second;
    }
    const auto most =
        std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != kinds.end()) usual = *most->first;
}

/// Of each seed the newest run counts.
void Gathered::useValues() {
    findUsual();
    std::vector<GroupMember> members;
    std::vector<const Valued*> alike;
    for (const Valued& one : valued) {
        const std::string reasons = reasonsOf(unlike(one.measured, *usual));
        if (!reasons.empty()) {
            leaveOut(*one.run, "is not measured as the rest of its group is: " + reasons, true);
            continue;
        }
        members.push_back(memberOf(one.run->record));
        alike.push_back(&one);
    }
    std::vector<double> values;
    for (const std::size_t place : countedRuns(members)) {
        const Valued& one = *alike[place];
        group.values[one.run->record.seed] = one.value;
        group.runs[one.run->record.seed] = one.run->record.ref;
        mayPair = mayPair && one.run->mayPair;
        values.push_back(one.value);
    }
    for (const Valued* one : alike)
        if (group.runs.at(one->run->record.seed) != one->run->record.ref) leaveOut(*one->run, "a newer run has its seed");
    // What only waits, or ended otherwise, is no loss where its seed has a value.
    std::erase_if(group.leftOut, [this](const LeftOutOfGroup& run) { return run.isOpen && group.values.contains(run.seed); });
    std::sort(group.leftOut.begin(), group.leftOut.end(), [](const auto& a, const auto& b) { return a.seed < b.seed; });
    if (!values.empty()) group.spread = spreadOf(values);
}

using Groups = std::map<std::string, Gathered>;

Groups gather(const RunTable& table, const StudyQuestion& question, const std::string& metric) {
    Groups groups;
    std::map<std::string, std::set<std::uint64_t>> seeds;
    for (const RunPointer& run : table.runs) {
        Gathered& of = groups[run->record.groupKey];
        of.group.key = run->record.groupKey;
        seeds[run->record.groupKey].insert(run->record.seed);
        of.take(*run, question, metric);
    }
    for (auto& [key, of] : groups) {
        of.group.available = seeds[key].size();
        of.useValues();
    }
    return groups;
}

std::string baselineOf(const RunTable& table, const Groups& groups, const std::string& wished) {
    if (groups.contains(wished)) return wished;
    for (const RunPointer& run : table.runs)  // the oldest first
        if (!groups.at(run->record.groupKey).group.values.empty()) return run->record.groupKey;
    return {};
}

SeedValues sharedValues(const SeedValues& own, const SeedValues& other) {
    SeedValues shared;
    for (const auto& [seed, value] : own)
        if (other.contains(seed)) shared.emplace(seed, value);
    return shared;
}

/// Sets how a group is compared with the baseline, as far as its seeds alone tell, or why it is not.
void place(Gathered& of, const Gathered& baseline) {
    ComparedGroup& group = of.group;
    const SeedValues& own = group.values;
    const SeedValues& others = baseline.group.values;
    if (own.empty()) {
        group.whyNone = "no value yet";
    } else if (others.empty()) {
        group.whyNone = "the baseline has no value yet";
    } else if (const auto reasons = reasonsOf(unlike(*of.usual, *baseline.usual)); !reasons.empty()) {
        group.whyNone = "not comparable: " + reasons;
        group.isUnlike = true;
    } else {
        const SeedValues shared = sharedValues(own, others);
        const bool hasPairs = shared.size() >= 2 || (shared.size() == 1 && std::min(own.size(), others.size()) == 1);
        group.test = hasPairs && of.mayPair && baseline.mayPair ? SeedTest::Paired : SeedTest::Welch;
        group.difference = seedDifference(own, others, group.test, 0.05).difference;
        if (own.size() < 2)
            group.whyNone = fmt::format("too few seeds ({})", own.size());
        else if (others.size() < 2)
            group.whyNone = fmt::format("the baseline has too few seeds ({})", others.size());
    }
}

/// The values of a row as a study with these seeds wants them: each has a value or a reason.
StudyValues padded(const SeedValues& values, const std::vector<std::uint64_t>& seeds) {
    StudyValues row;
    for (const std::uint64_t seed : seeds)
        if (const auto found = values.find(seed); found != values.end())
            row.values.insert(*found);
        else
            row.leftOut.push_back({seed, "has no value"});
    return row;
}

/// Without pairs a seed is a number of order.
SeedValues inOrder(const SeedValues& values) {
    SeedValues ordered;
    for (const auto& [seed, value] : values) ordered.emplace(ordered.size() + 1, value);
    return ordered;
}

/// The study of the groups that are tested so. The other compared groups are rows without values, so that p values are
/// corrected for all of them. They come out as large as in one list, or larger.
std::shared_ptr<Judged> judge(const Groups& groups, const std::string& baseline, const StudyQuestion& question, SeedTest test) {
    auto judged = std::make_shared<Judged>();
    Study& study = judged->study;
    study.metric = question.metric;
    study.holm = question.holm;
    study.test = test;
    study.baseline = baseline;
    study.rows.push_back({baseline, {}});
    std::map<std::string, SeedValues> values{{baseline, groups.at(baseline).group.values}};
    for (const auto& [key, of] : groups) {
        if (key == baseline || !of.group.difference || !of.group.whyNone.empty()) continue;
        study.rows.push_back({key, {}});
        if (of.group.test == test) values[key] = of.group.values;
    }
    if (values.size() < 2) return nullptr;
    std::set<std::uint64_t> seeds;
    for (auto& [key, own] : values) {
        if (test == SeedTest::Welch) own = inOrder(own);
        if (test == SeedTest::Paired && key != baseline) continue;  // what the baseline lacks makes no pair
        for (const auto& [seed, value] : own) seeds.insert(seed);
    }
    std::vector<std::uint64_t> all(seeds.begin(), seeds.end());
    std::map<std::string, StudyValues> rows;
    for (const auto& [key, own] : values) rows[key] = padded(own, all);
    study.seeds = std::move(all);
    judged->verdict = verdictOf(study, rows);
    std::erase_if(judged->verdict.rows, [&](const RowVerdict& row) { return !values.contains(row.name); });
    return judged;
}

/// What is told of pairs: the runs whose seed only one of the two has.
void nameUnpaired(ComparedGroup& group, const ComparedGroup& baseline) {
    for (const auto& [seed, run] : group.runs)
        if (!baseline.values.contains(seed)) group.leftOut.push_back({run, seed, "the baseline has no run of this seed"});
    for (const auto& [seed, run] : baseline.runs)
        if (!group.values.contains(seed)) group.leftOut.push_back({run, seed, "of the baseline: its pair has no value"});
}

void addNoise(StudyComparison& result, const Groups& groups) {
    std::vector<std::vector<double>> values;
    for (const auto& [key, of] : groups) {
        if (!of.group.difference && key != result.baseline) continue;
        std::vector<double>& own = values.emplace_back();
        for (const auto& [seed, value] : of.group.values) own.push_back(value);
    }
    result.noise = noiseFloor(values);
}

StudyComparison resultOf(Groups& groups, const std::string& baseline, const StudyQuestion& question) {
    StudyComparison result;
    result.question = question;
    result.baseline = baseline;
    result.valueKey = question.metric.recordedSplit() + "." + question.metric.name;
    if (const MetricInfo* info = findMetric(question.metric.name)) {
        result.scale = info->shownScale();
        result.decimals = info->decimals;
    }
    addNoise(result, groups);
    for (auto& [key, of] : groups) result.groups.emplace(key, std::move(of.group));
    return result;
}

/// Asks one run for each group and reproduction, since the others differ in the seed alone.
void addPublished(StudyComparison& comparison, const RunTable& table) {
    std::set<std::pair<std::string, std::string>> known;
    for (const RunPointer& run : table.runs) {
        const Run& record = run->record;
        if (!isReproduced(record) || record.damaged || !known.emplace(record.groupKey, record.group).second) continue;
        auto value = publishedValue(record, comparison.question.metric);
        if (!value) continue;
        auto& all = comparison.groups.at(record.groupKey).published;
        if (std::find(all.begin(), all.end(), *value) == all.end()) all.push_back(std::move(*value));
    }
}

void findReach(StudyComparison& comparison) {
    const ComparedGroup* baseline = comparison.baselineGroup();
    if (comparison.noise && baseline && !baseline->values.empty())
        comparison.noiseReach = comparison.noise->reach(baseline->values.size());
    double reach = 1.5 * comparison.noiseReach.value_or(0);
    for (const auto& [key, group] : comparison.groups) {
        if (!group.difference) continue;
        reach = std::max(reach, std::abs(*group.difference));
        // The interval of two pairs would press all others together: it is cut off.
        if (group.verdict && group.verdict->difference.interval && group.verdict->difference.n > 2)
            reach = std::max(
                {reach, std::abs(group.verdict->difference.interval->low), std::abs(group.verdict->difference.interval->high)});
    }
    comparison.reach = reach > 0 && std::isfinite(reach) ? 1.08 * reach : 1;
}

}  // namespace

std::optional<double> ComparedGroup::differenceOf(std::uint64_t seed, const ComparedGroup& baseline) const {
    const auto own = values.find(seed), other = baseline.values.find(seed);
    if (own == values.end() || !difference || !baseline.spread) return std::nullopt;
    if (test == SeedTest::Welch) return own->second - baseline.spread->mean;
    return other == baseline.values.end() ? std::nullopt : std::optional(own->second - other->second);
}

const ComparedGroup* StudyComparison::group(const std::string& key) const {
    const auto found = groups.find(key);
    return found == groups.end() ? nullptr : &found->second;
}

const Judged* StudyComparison::judgedOf(const ComparedGroup& group) const {
    return group.verdict ? judged[std::size_t(group.test)].get() : nullptr;
}

std::size_t StudyComparison::comparisons() const {
    for (const auto& one : judged)
        if (one) return one->verdict.comparisons;
    return 0;
}

StudyComparison compareGroups(const RunTable& table, const StudyQuestion& question) {
    const std::string metric = question.metric.recordedSplit() + "." + question.metric.name;
    Groups groups = gather(table, question, metric);
    const std::string baseline = baselineOf(table, groups, question.baseline);
    if (baseline.empty()) return resultOf(groups, baseline, question);
    for (auto& [key, of] : groups)
        if (key != baseline) place(of, groups.at(baseline));
    std::array<std::shared_ptr<Judged>, 2> judged;
    for (const SeedTest test : {SeedTest::Paired, SeedTest::Welch})
        judged[std::size_t(test)] = judge(groups, baseline, question, test);
    StudyComparison result = resultOf(groups, baseline, question);
    result.judged = std::move(judged);
    for (const auto& one : result.judged) {
        if (!one) continue;
        for (const RowVerdict& row : one->verdict.rows) {
            ComparedGroup& group = result.groups.at(row.name);
            group.verdict = row;
            if (group.test == SeedTest::Paired) nameUnpaired(group, result.groups.at(baseline));
        }
    }
    findReach(result);
    addPublished(result, table);
    return result;
}

app::StudyRuns studyRunsOf(const KnownStudy& known, storage::RunQuery& query, const std::string& file) {
    const auto asked = app::AskedStudy::parse(parseJson(known.body, file + ", study " + known.key));
    return app::runsOfAsked(asked, known.key, query, file);
}

namespace {

/// Gives the group of a row the values and the verdict that the study has of it.
void takeRow(ComparedGroup& group, const std::string& row, const app::StudyRuns& runs, const RowsInTable& rows,
             const StudyVerdict& all) {
    const auto found = runs.values().find(row);
    group.whyNone.clear();
    group.test = runs.study().test;
    group.values = found == runs.values().end() ? SeedValues() : found->second.values;
    group.spread.reset();
    group.runs.clear();
    std::vector<double> values;
    for (const auto& [seed, value] : group.values) {
        values.push_back(value);
        group.runs[seed] = rows.run(row, seed);
    }
    if (!values.empty()) group.spread = spreadOf(values);
    if (found != runs.values().end()) {
        group.leftOut.clear();
        for (const LeftOutRun& one : found->second.leftOut)
            group.leftOut.push_back({rows.run(row, one.seed), one.seed, one.why, one.hasFailed});
    }
    for (const RowVerdict& verdict : all.rows)
        if (verdict.name == row) {
            group.verdict = verdict;
            if (verdict.isLookedAt) group.difference = verdict.difference.difference;
        }
}

}  // namespace

StudyComparison answerStudy(const RunTable& table, const KnownStudy& known, storage::RunQuery& query, const std::string& file) {
    const app::StudyRuns runs = studyRunsOf(known, query, file);
    const Study& study = runs.study();
    StudyQuestion question{study.metric, {}, study.holm};
    Groups groups = gather(table, question, study.metric.recordedSplit() + "." + study.metric.name);
    RowsInTable rows = rowsInTable(table, runs, known.database);
    question.baseline = rows.groups[study.baseline];
    auto judged = std::make_shared<Judged>(Judged{study, runs.toldVerdict(query)});
    for (auto& [key, of] : groups) {
        of.group.whyNone = "not in the study";
        of.group.isUnlike = false;
    }
    for (const auto& [row, key] : rows.groups)
        if (!key.empty()) takeRow(groups.at(key).group, row, runs, rows, judged->verdict);
    StudyComparison result = resultOf(groups, question.baseline, question);
    result.isAsked = true;
    result.judged[std::size_t(study.test)] = std::move(judged);
    findReach(result);
    addPublished(result, table);
    return result;
}

}  // namespace heddle::ui
