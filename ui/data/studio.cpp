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
    connect(&databases_, &Databases::unreadable, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::damaged, this, [this](const Problem& problem) { report(problem); });
    connect(&databases_, &Databases::opened, this, &Studio::requestColours);
    connect(&databases_, &Databases::closed, this, &Studio::forget);
    connect(&databases_, &Databases::currentChanged, this, &Studio::mergeColours);
    connect(&databases_, &Databases::runsChanged, this, [this] {
        // Told when the pages have taken the runs.
        if (assignOrders()) QMetaObject::invokeMethod(this, &Studio::stylesChanged, Qt::QueuedConnection);
    });
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
    stored_.erase(database);
    if (currentRun_.database == database) setCurrentRun({});
    auto runs = comparedRuns_;
    std::erase_if(runs, [database](const RunRef& run) { return run.database == database; });
    setComparedRuns(std::move(runs));
    mergeColours();
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
    storeBaseline(group);
    assignOrders();  // the former baseline is a variant like the others
    Q_EMIT stylesChanged();
}

void Studio::storeBaseline(const std::string& group) {
    baseline_ = group;
    const int current = databases_.currentNumber();
    if (current == 0) return;
    if (const auto stored = stored_.find(current); stored != stored_.end()) stored->second.baseline = group;
    edit(PutItem{kPin, kBaseline, {{"group", group}}});
}

void Studio::setPlannedBaseline(const std::string& planned) {
    const auto& runs = databases_.runs();
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const Run* run) { return run->plannedKey == planned; });
    setBaseline(same == runs.end() ? planned : (*same)->groupKey);
}

int Studio::orderOf(const std::string& group) const {
    if (group == baseline_ && !baseline_.empty()) return 0;
    const auto found = orders_.find(group);
    return found == orders_.end() ? -1 : found->second;
}

/// Gives the next orders to groups that have none, the oldest first. Returns whether an order or the baseline changed. Waits
/// for the orders that the databases store, which count first.
bool Studio::assignOrders() {
    if (!stored_.contains(databases_.currentNumber())) return false;
    const auto before = orders_;
    const std::string baseline = baseline_;
    const auto& runs = databases_.runs();
    int last = 0;
    for (const auto& [group, taken] : orders_) last = std::max(last, taken);
    for (std::size_t i = runs.size(); i-- > 0;) {
        const Run& run = *runs[i];
        if (!stored_.contains(run.ref.database)) continue;
        if (run.groupKey != run.plannedKey) takePlannedOrder(run);
        if (orderOf(run) >= 0) continue;
        assign(run, ++last);
    }
    return orders_ != before || baseline_ != baseline;
}

/// The run has read its data: its group is known, and takes the place of its plan.
void Studio::takePlannedOrder(const Run& run) {
    if (run.plannedKey == baseline_ && !baseline_.empty()) storeBaseline(run.groupKey);
    const auto planned = orders_.find(run.plannedKey);
    if (planned == orders_.end()) return;
    const int order = planned->second;
    orders_.erase(planned);
    for (auto& [database, colours] : stored_)
        if (colours.orders.erase(run.plannedKey) > 0) commander_.edit(database, RemoveItem{kColour, run.plannedKey});
    if (!orders_.contains(run.groupKey)) assign(run, order);
}

/// Stores the order in the run's database. If that has another order for the group, it keeps it, and it counts while that
/// database is current.
void Studio::assign(const Run& run, int order) {
    orders_[run.groupKey] = order;
    if (!stored_[run.ref.database].orders.emplace(run.groupKey, order).second) return;
    commander_.edit(run.ref.database, PutItem{kColour, run.groupKey, {{"order", order}}}, {},
                    [](const Problem&) {});  // of a file that cannot be written, colours last as long as the window
}

Studio::VariantColours Studio::readColours(storage::RunQuery& query) {
    VariantColours colours;
    for (const auto& item : query.items(kColour))
        if (!item.damaged) colours.orders[item.key] = parseJson(item.body, "colour of " + item.key).value("order", 1);
    for (const auto& item : query.items(kPin))
        if (item.key == kBaseline && !item.damaged)
            colours.baseline = parseJson(item.body, "pinned baseline").value("group", std::string());
    return colours;
}

void Studio::requestColours(int database) {
    databases_.read(
        database, this, [](storage::RunQuery& query) { return readColours(query); },
        [this, database](VariantColours colours) {
            stored_.insert_or_assign(database, std::move(colours));
            mergeColours();
        },
        [this](const Problem& problem) { report(problem); });
}

/// Takes the orders of the current database, and those of the others as far as they are free.
void Studio::mergeColours() {
    const int current = databases_.currentNumber();
    const auto stored = stored_.find(current);
    const VariantColours own = stored == stored_.end() ? VariantColours() : stored->second;
    orders_ = own.orders;
    baseline_ = own.baseline;
    std::set<int> taken;
    for (const auto& [hash, order] : orders_) taken.insert(order);
    for (const auto& [database, colours] : stored_) {
        if (database == current) continue;
        for (const auto& [hash, order] : colours.orders)
            if (!orders_.contains(hash) && taken.insert(order).second) orders_.emplace(hash, order);
    }
    assignOrders();
    Q_EMIT stylesChanged();
}

void Studio::compose(const Json& document, const QString& name, const RunRef& run, const std::string& key) {
    Q_EMIT composeRequested(document, name, run, key);
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
