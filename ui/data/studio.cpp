// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/studio.h"

#include "engine/run/run_state.h"

#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

constexpr const char* kColour = "colour";
constexpr const char* kPin = "pin";
constexpr const char* kBaseline = "baseline";

}  // namespace

Studio::Studio(ControlOf controlOf, QSettings& settings, QObject* parent)
    : QObject(parent),
      controlOf_(std::move(controlOf)),
      settings_(settings),
      databases_(this),
      commander_(this),
      verbs_(databases_, commander_, this) {
    connect(&commander_, &Commander::failed, this, [this](const Problem& problem) { report(problem); });
    connect(&verbs_, &PendingVerbs::failed, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::failed, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::damaged, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::opened, this, &Studio::requestLooks);
    connect(&databases_, &Databases::closed, this, &Studio::forget);
    connect(&databases_, &Databases::currentChanged, this, &Studio::mergeLooks);
}

int Studio::take(const QString& file) {
    const int number = databases_.open(file);
    commander_.setControl(number, controlOf_ ? controlOf_(databases_.find(number)->file()) : nullptr);
    return number;
}

void Studio::open(const QString& file) {
    databases_.closeAll();
    setCurrentRun({});
    setComparedRuns({});
    databases_.setCurrent(take(file));
}

void Studio::openBeside(const QString& file) {
    const auto before = databases_.all().size();
    const int number = take(file);
    if (before == 0 || databases_.all().size() == before) databases_.setCurrent(number);
}

void Studio::forget(int database) {
    commander_.setControl(database, nullptr);
    looks_.erase(database);
    if (currentRun_.database == database) setCurrentRun({});
    auto runs = comparedRuns_;
    std::erase_if(runs, [database](const RunRef& run) { return run.database == database; });
    setComparedRuns(std::move(runs));
    mergeLooks();
}

QString Studio::stateWord(const Run& run) const {
    const auto pending = verbs_.of(run.ref);
    return pending ? pendingWord(*pending) : lookOf(markOf(run)).word;
}

void Studio::setCurrentRun(const RunRef& run) {
    if (run == currentRun_) return;
    currentRun_ = run;
    Q_EMIT currentRunChanged();
}

void Studio::setComparedRuns(std::vector<RunRef> runs) {
    if (runs == comparedRuns_) return;
    comparedRuns_ = std::move(runs);
    Q_EMIT comparedRunsChanged();
}

void Studio::setBaseline(const std::string& group) {
    if (group == baseline_) return;
    baseline_ = group;
    if (const int current = databases_.currentNumber(); current > 0) {
        looks_[current].baseline = group;
        edit(PutItem{kPin, kBaseline, {{"group", group}}});
    }
    Q_EMIT stylesChanged();
}

void Studio::setPlannedBaseline(const std::string& planned) {
    const auto& runs = databases_.runs();
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const Run* run) { return run->plannedKey == planned; });
    setBaseline(same == runs.end() ? planned : (*same)->groupKey);
}

int Studio::knownOrder(const std::string& group) const {
    if (group == baseline_ && !baseline_.empty()) return 0;
    const auto found = orders_.find(group);
    return found == orders_.end() ? -1 : found->second;
}

int Studio::orderOf(const Run& run) {
    if (run.groupKey != run.plannedKey && !run.plannedKey.empty()) {
        if (run.plannedKey == baseline_) setBaseline(run.groupKey);
        const auto planned = orders_.find(run.plannedKey);
        if (planned != orders_.end()) {
            const int order = planned->second;
            orders_.erase(planned);
            forgetOrder(run.plannedKey);
            if (!orders_.contains(run.groupKey)) putOrder(run.groupKey, order);
        }
    }
    return orderOf(run.groupKey);
}

int Studio::orderOf(const std::string& group) {
    if (group == baseline_ && !baseline_.empty()) return 0;
    if (const auto found = orders_.find(group); found != orders_.end()) return found->second;
    int order = 1;
    for (const auto& [hash, taken] : orders_) order = std::max(order, taken + 1);
    putOrder(group, order);
    return order;
}

void Studio::putOrder(const std::string& group, int order) {
    orders_[group] = order;
    const auto stored = looks_.find(databases_.currentNumber());
    if (stored == looks_.end()) return;
    stored->second.orders[group] = order;
    edit(PutItem{kColour, group, {{"order", order}}});
}

void Studio::forgetOrder(const std::string& group) {
    const auto stored = looks_.find(databases_.currentNumber());
    if (stored != looks_.end() && stored->second.orders.erase(group) > 0) edit(RemoveItem{kColour, group});
}

Studio::Looks Studio::readLooks(storage::RunQuery& query) {
    Looks looks;
    for (const auto& item : query.items(kColour))
        looks.orders[item.key] = parseJson(item.body, "colour of " + item.key).value("order", 1);
    for (const auto& item : query.items(kPin))
        if (item.key == kBaseline) looks.baseline = parseJson(item.body, "pinned baseline").value("group", std::string());
    return looks;
}

void Studio::requestLooks(int database) {
    databases_.read(
        database, this, [](storage::RunQuery& query) { return readLooks(query); },
        [this, database](Looks looks) {
            looks_.insert_or_assign(database, std::move(looks));
            mergeLooks();
        });
}

/// Takes the orders of the current database, and those of the others as far as they are free.
void Studio::mergeLooks() {
    const int current = databases_.currentNumber();
    const auto stored = looks_.find(current);
    orders_ = stored == looks_.end() ? std::map<std::string, int>() : stored->second.orders;
    baseline_ = stored == looks_.end() ? std::string() : stored->second.baseline;
    std::set<int> taken;
    for (const auto& [hash, order] : orders_) taken.insert(order);
    for (const auto& [database, looks] : looks_) {
        if (database == current) continue;
        for (const auto& [hash, order] : looks.orders)
            if (!orders_.contains(hash) && taken.insert(order).second) orders_.emplace(hash, order);
    }
    Q_EMIT stylesChanged();
}

void Studio::compose(const Json& document, const QString& name, const RunRef& run) {
    Q_EMIT composeRequested(document, name, run);
    go(PageId::Compose);
}

void Studio::report(const Problem& problem) {
    QStringList text;
    for (const QString& part : {problem.where, problem.safe, problem.next})
        if (!part.isEmpty()) text << part;
    report(MessageStrip::Message{StripKind::Bad, problem.what, text.join(QStringLiteral(" · "))});
}

bool saysSeed(const storage::RunRecord& run) {
    static const QRegularExpression kSeedInName(QStringLiteral("[-_ .,](?:s|seed)[-_ .]?(\\d+)$"));
    return kSeedInName.match(QString::fromStdString(run.name)).captured(1) == QString::number(run.seed);
}

QString runLabel(const storage::RunRecord& run) {
    if (run.damaged) return run.name.empty() ? QString::fromStdString(run.id) : QString::fromStdString(run.name);
    QString label = QString::fromStdString(run.name.empty() ? run.id : run.name);
    if (!saysSeed(run)) label += QStringLiteral(" s%1").arg(run.seed);
    const bool isSynthetic = std::find(run.tags.begin(), run.tags.end(), storage::kSyntheticTag) != run.tags.end();
    return isSynthetic ? Studio::tr("%1, synthetic data").arg(label) : label;
}

QString runLabel(const Run& run) {
    const QString label = runLabel(static_cast<const storage::RunRecord&>(run));
    return run.origin.isEmpty() ? label : Studio::tr("%1 · %2", "run, database").arg(label, run.origin);
}

Mark markOf(const storage::RunRecord& run) {
    // Marks begin with the states, in the same order.
    const auto state = runStateFromName(run.state);
    return state ? Mark(int(*state)) : Mark::Damaged;
}

}  // namespace heddle::ui
