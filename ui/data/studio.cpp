// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/studio.h"

#include "engine/run/run_state.h"

#include <QCoreApplication>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr const char* kColour = "colour";
constexpr const char* kPin = "pin";
constexpr const char* kBaseline = "baseline";

struct Looks {
    std::map<std::string, int> orders;
    std::string baseline;
};

Looks readLooks(storage::RunQuery& query) {
    Looks looks;
    for (const auto& item : query.items(kColour))
        looks.orders[item.key] = parseJson(item.body, "colour of " + item.key).value("order", 1);
    for (const auto& item : query.items(kPin))
        if (item.key == kBaseline) looks.baseline = parseJson(item.body, "pinned baseline").value("variant", std::string());
    return looks;
}

}  // namespace

Studio::Studio(RunControl* control, QSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings), feed_(this), commander_(control, this), verbs_(feed_, commander_, this) {
    connect(&commander_, &Commander::failed, this, [this](const Problem& problem) { say(problem); });
    connect(&verbs_, &PendingVerbs::failed, this, [this](const Problem& problem) { say(problem); });
    connect(&feed_, &Feed::failed, this, [this](const Problem& problem) { say(problem); });
    connect(&feed_, &Feed::damaged, this, [this](const Problem& problem) { say(problem); });
    connect(&feed_, &Feed::opened, this, [this] { readItems(); });
}

QString Studio::stateWord(const storage::RunRecord& run) const {
    const auto pending = verbs_.of(run.id);
    return pending ? pendingWord(*pending) : look(markOf(run)).word;
}

void Studio::setCurrentRun(const std::string& run) {
    if (run == currentRun_) return;
    currentRun_ = run;
    Q_EMIT currentRunChanged();
}

void Studio::setComparedRuns(std::vector<std::string> runs) {
    if (runs == comparedRuns_) return;
    comparedRuns_ = std::move(runs);
    Q_EMIT comparedRunsChanged();
}

void Studio::setBaseline(const std::string& variantHash) {
    if (variantHash == baseline_) return;
    baseline_ = variantHash;
    if (!feed_.file().isEmpty()) commander_.edit(PutItem{kPin, kBaseline, {{"variant", variantHash}}});
    Q_EMIT stylesChanged();
}

int Studio::knownOrder(const std::string& variantHash) const {
    if (variantHash == baseline_ && !baseline_.empty()) return 0;
    const auto found = orders_.find(variantHash);
    return found == orders_.end() ? -1 : found->second;
}

int Studio::orderOf(const std::string& variantHash) {
    if (variantHash == baseline_ && !baseline_.empty()) return 0;
    if (const auto found = orders_.find(variantHash); found != orders_.end()) return found->second;
    int order = 1;
    for (const auto& [hash, taken] : orders_) order = std::max(order, taken + 1);
    orders_[variantHash] = order;
    if (itemsRead_) commander_.edit(PutItem{kColour, variantHash, {{"order", order}}});
    return order;
}

void Studio::readItems() {
    itemsRead_ = false;
    orders_.clear();
    feed_.read(
        this, [](storage::RunQuery& query) { return readLooks(query); },
        [this](Looks looks) {
            orders_ = std::move(looks.orders);
            baseline_ = std::move(looks.baseline);
            itemsRead_ = true;
            Q_EMIT stylesChanged();
        });
}

void Studio::compose(const Json& document, const QString& name) {
    Q_EMIT composeRequested(document, name);
    go(PageId::Compose);
}

void Studio::say(const Problem& problem) {
    QStringList text;
    for (const QString& part : {problem.where, problem.safe, problem.next})
        if (!part.isEmpty()) text << part;
    say(MessageStrip::Message{StripKind::Bad, problem.what, text.join(QStringLiteral(" · ")), {}});
}

QString runLabel(const storage::RunRecord& run) {
    if (run.damaged) return run.name.empty() ? QString::fromStdString(run.id) : QString::fromStdString(run.name);
    const QString label = QStringLiteral("%1 s%2").arg(QString::fromStdString(run.name)).arg(run.seed);
    const bool isSynthetic = std::find(run.tags.begin(), run.tags.end(), storage::kSyntheticTag) != run.tags.end();
    return isSynthetic ? Studio::tr("%1, synthetic data").arg(label) : label;
}

Mark markOf(const storage::RunRecord& run) {
    // Marks begin with the states, in the same order.
    const auto state = runStateFromName(run.state);
    return state ? Mark(int(*state)) : Mark::Damaged;
}

}  // namespace heddle::ui
