// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/study_comparer.h"

#include "app/study/asked_study.h"
#include "engine/analysis/metric_summary.h"
#include "storage/run_query.h"

#include <QSettings>

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

const QString kMetric = QStringLiteral("study/metric"), kRule = QStringLiteral("study/rule"),
              kHolm = QStringLiteral("study/holm");

StudyMetric metricOf(const std::string& key, const ValueRule& rule) {
    const auto dot = key.find('.');
    const std::string name = key.substr(dot + 1);
    return {key.substr(0, dot), name, rule, lowerIsBetter(name)};
}

/// Valid loss where there is one, else what stands first on the page.
std::string usualMetric(const std::vector<std::string>& metrics) {
    const auto rank = [](const std::string& key) {
        const auto dot = key.find('.');
        return std::tuple(metricRank(key.substr(0, dot)), metricRank(key.substr(dot + 1)), key);
    };
    return *std::min_element(metrics.begin(), metrics.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

/// Whether a comparison finds the same in both: they are one run, or the same run in progress, which has no value yet.
bool tellsTheSame(const RunPointer& a, const RunPointer& b) {
    if (a == b) return true;
    const auto runs = [](const Run& run) { return run.state == "running" && !run.damaged; };
    const auto told = [](const Run& run) {
        return std::tie(run.ref, run.groupKey, run.intervened, run.parameters, run.tags, run.group, run.name);
    };
    return runs(a->record) && runs(b->record) && told(a->record) == told(b->record);
}

}  // namespace

StudyComparer::StudyComparer(Studio& studio, QObject* parent)
    : QObject(parent),
      studio_(studio),
      listing_(this, [this](Result<std::vector<KnownStudy>> studies) { takeStudies(std::move(studies)); }),
      computing_(this, [this](Result<Comparison> comparison) { take(std::move(comparison)); }) {
    question_.baseline = studio.colours().baseline();
    connect(&studio.colours(), &VariantColours::changed, this, [this] {
        const std::string& baseline = studio_.colours().baseline();
        if (std::exchange(question_.baseline, baseline) != baseline && !study_) compute();
    });
    connect(&studio.databases(), &Databases::opened, this, &StudyComparer::readStudies);
    connect(&studio.databases(), &Databases::changed, this, &StudyComparer::readStudies);
    connect(&studio.databases(), &Databases::closed, this, &StudyComparer::forgetStudiesOf);
    for (const RunDatabase* database : studio.databases().all()) readStudies(database->number());
}

void StudyComparer::setTable(std::shared_ptr<const RunTable> table) {
    const auto before = std::exchange(table_, std::move(table));
    if (before == table_) return;
    const auto& metrics = table_->metrics;
    const std::string now = question_.metric.split + "." + question_.metric.name;
    if (!isMetricChosen_ && !metrics.empty() && std::find(metrics.begin(), metrics.end(), now) == metrics.end())
        question_.metric = metricOf(usualMetric(metrics), question_.metric.rule);
    const bool isSame =
        now == question_.metric.split + "." + question_.metric.name && !hasFailed_ &&
        std::equal(before->runs.begin(), before->runs.end(), table_->runs.begin(), table_->runs.end(), tellsTheSame);
    if (!isSame) compute();
}

void StudyComparer::setMetric(const StudyMetric& metric) {
    isMetricChosen_ = isStudyChosen_ = true;
    if (metric == question_.metric && !study_) return;
    question_.metric = metric;
    if (study_) return choose({});
    computing_.cancel();  // the answer under way is to another question
    compute();
}

void StudyComparer::setHolm(bool holm) {
    isStudyChosen_ = true;
    if (holm == question_.holm && !study_) return;
    question_.holm = holm;
    if (study_) return choose({});
    computing_.cancel();
    compute();
}

void StudyComparer::choose(std::optional<KnownStudy> study) {
    isStudyChosen_ = true;
    if (study == study_) return;
    study_ = std::move(study);
    Q_EMIT studiesChanged();
    computing_.cancel();
    compute();
}

void StudyComparer::readStudies(int database) {
    due_.insert(database);
    if (listing_.isIdle()) readNextStudies();
}

void StudyComparer::readNextStudies() {
    while (!due_.empty()) {
        asked_ = due_.extract(due_.begin()).value();
        const RunDatabase* database = studio_.databases().find(asked_);
        if (!database || !database->isOpen()) continue;
        return listing_.ask(studio_.databases().reader(asked_), [number = asked_](storage::RunQuery& query) {
            auto items = query.items(app::kStudyItem);
            std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.rev > b.rev; });
            std::vector<KnownStudy> studies;
            for (const auto& item : items)
                if (!item.damaged) studies.push_back({number, item.key, item.body});
            return studies;
        });
    }
}

void StudyComparer::takeStudies(Result<std::vector<KnownStudy>> studies) {
    const QString database = QString::number(asked_);
    if (studies) {
        reported_.succeeded(database);
        std::vector<KnownStudy> all = studies_;
        std::erase_if(all, [this](const KnownStudy& study) { return study.database == asked_; });
        all.insert(all.begin(), studies->begin(), studies->end());
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.database > b.database; });
        if (std::exchange(studies_, std::move(all)) != studies_) {
            const auto same = [this](const KnownStudy& one) {
                return study_ && one.database == study_->database && one.key == study_->key;
            };
            const auto found = std::find_if(studies_.begin(), studies_.end(), same);
            const auto before = study_;
            if (found != studies_.end())
                study_ = *found;  // perhaps written anew
            else
                study_.reset();
            if (!isStudyChosen_ && !studies_.empty()) study_ = studies_.front();
            Q_EMIT studiesChanged();
            if (study_ != before) compute();
        }
    } else if (reported_.isNew(database, studies.problem())) {
        Q_EMIT failed(studies.problem());
    }
    readNextStudies();
}

void StudyComparer::forgetStudiesOf(int database) {
    due_.erase(database);
    if (asked_ == database) {  // a read under way is not answered any more
        listing_.cancel();
        readNextStudies();
    }
    if (std::erase_if(studies_, [&](const KnownStudy& study) { return study.database == database; }) == 0) return;
    if (study_ && study_->database == database) study_.reset();
    if (!isStudyChosen_ && !study_ && !studies_.empty()) study_ = studies_.front();
    Q_EMIT studiesChanged();
    compute();
}

/// Its baseline is the pinned group; if the table does not hold that group, it is the baseline of the study that was shown
/// last.
StudyQuestion StudyComparer::questionOfGroups() const {
    StudyQuestion question = question_;
    const auto isPinned = [&](const RunPointer& run) { return run->record.groupKey == question.baseline; };
    if (std::none_of(table_->runs.begin(), table_->runs.end(), isPinned)) question.baseline = studied_;
    return question;
}

void StudyComparer::compute() {
    const RunDatabase* database = study_ ? studio_.databases().find(study_->database) : nullptr;
    if (!database)
        return computing_.ask(Pool{}, [table = table_, question = questionOfGroups()]() -> Comparison {
            return std::make_shared<const StudyComparison>(compareGroups(*table, question));
        });
    // The work has a connection of its own: a study with outputs reads and scores all of them, which would block the reader.
    computing_.ask(Pool{}, [table = table_, study = *study_, file = database->file().toStdString()]() -> Comparison {
        const auto query = storage::RunQuery::open(file);
        return std::make_shared<const StudyComparison>(answerStudy(*table, study, *query, file));
    });
}

void StudyComparer::take(Result<Comparison> comparison) {
    const QString subject = QStringLiteral("comparison");
    hasFailed_ = !comparison;
    if (!comparison) {
        comparison_ = std::make_shared<StudyComparison>();  // the last one may be of another study
        if (reported_.isNew(subject, comparison.problem())) Q_EMIT failed(comparison.problem());
    } else {
        reported_.succeeded(subject);
        comparison_ = *comparison;
        if (comparison_->isAsked) studied_ = comparison_->baseline;
    }
    Q_EMIT changed();
}

void StudyComparer::saveSession(QSettings& settings) const {
    settings.setValue(kHolm, question_.holm);
    settings.setValue(kRule, QString::fromStdString(question_.metric.rule.text()));
    if (isMetricChosen_)
        settings.setValue(kMetric, QString::fromStdString(question_.metric.split + "." + question_.metric.name));
}

void StudyComparer::restoreSession(const QSettings& settings) {
    question_.holm = settings.value(kHolm, true).toBool();
    try {
        const std::string rule = settings.value(kRule, QStringLiteral("last")).toString().toStdString();
        question_.metric.rule = ValueRule::parse(rule, "settings");
    } catch (const std::exception&) {  // of another version of the program: the default rule stands
        question_.metric.rule = {};
    }
    if (const std::string metric = settings.value(kMetric).toString().toStdString(); metric.find('.') != std::string::npos) {
        isMetricChosen_ = true;
        question_.metric = metricOf(metric, question_.metric.rule);
    }
    compute();
}

}  // namespace heddle::ui
