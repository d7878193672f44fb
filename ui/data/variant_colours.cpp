// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/variant_colours.h"

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

constexpr const char* kColour = "colour";
constexpr const char* kPin = "pin";
constexpr const char* kBaseline = "baseline";

/// In a file that cannot be written, colours are kept only while the window is open.
void ignore(const Problem&) {}

}  // namespace

VariantColours::VariantColours(Databases& databases, Commander& commander, QObject* parent)
    : QObject(parent), databases_(databases), commander_(commander) {
    connect(&databases_, &Databases::opened, this, &VariantColours::request);
    connect(&databases_, &Databases::closed, this, [this](int database) {
        stored_.erase(database);
        merge();
    });
    connect(&databases_, &Databases::currentChanged, this, &VariantColours::merge);
    connect(&databases_, &Databases::runsChanged, this, [this] {
        // Emitted after the pages have processed runsChanged().
        if (assignOrders()) QMetaObject::invokeMethod(this, &VariantColours::changed, Qt::QueuedConnection);
    });
}

void VariantColours::setBaseline(const std::string& group) {
    if (group != pin_.group) pin({group, {}});
}

void VariantColours::pin(const Pin& pin) {
    storePin(pin);
    assignOrders();  // the former baseline is a variant like the others
    Q_EMIT changed();
}

void VariantColours::storePin(const Pin& pin, const std::function<void(const Problem&)>& failed) {
    pin_ = pin;
    const int current = databases_.currentNumber();
    if (current == 0) return;
    if (const auto stored = stored_.find(current); stored != stored_.end()) stored->second.pin = pin;
    Json body{{"group", pin.group}};
    if (pin.variant.document.is_object()) body.update({{"document", pin.variant.document}, {"name", pin.variant.name}});
    commander_.edit(current, PutItem{kPin, kBaseline, body}, {}, failed);
}

void VariantColours::setPlannedBaseline(const std::string& planned, const PinnedVariant& variant) {
    const auto& runs = databases_.runs();
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const Run* run) { return run->plannedKey == planned; });
    pin({same == runs.end() ? planned : (*same)->groupKey, variant});
}

int VariantColours::orderOf(const std::string& group) const {
    if (group == pin_.group && !pin_.group.empty()) return 0;
    const auto found = orders_.find(group);
    return found == orders_.end() ? -1 : found->second;
}

/// Gives the next orders to groups that have none, the oldest first. Returns whether an order or the baseline changed. Does
/// nothing before the stored orders are read.
bool VariantColours::assignOrders() {
    if (!stored_.contains(databases_.currentNumber())) return false;
    const auto before = orders_;
    const std::string baseline = pin_.group;
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
    return orders_ != before || pin_.group != baseline;
}

/// The run has started, so that its group is known: the group gets the order of its plan.
void VariantColours::takePlannedOrder(const Run& run) {
    if (run.plannedKey == pin_.group && !pin_.group.empty()) storePin({run.groupKey, pin_.variant}, ignore);
    const auto planned = orders_.find(run.plannedKey);
    if (planned == orders_.end()) return;
    const int order = planned->second;
    orders_.erase(planned);
    for (auto& [database, colours] : stored_)
        if (colours.orders.erase(run.plannedKey) > 0)
            commander_.edit(database, RemoveItem{kColour, run.plannedKey}, {}, ignore);
    if (!orders_.contains(run.groupKey)) assign(run, order);
}

/// Stores the order in the run's database, unless that has one for the group, which is used while that database is current.
void VariantColours::assign(const Run& run, int order) {
    orders_[run.groupKey] = order;
    if (!stored_[run.ref.database].orders.emplace(run.groupKey, order).second) return;
    commander_.edit(run.ref.database, PutItem{kColour, run.groupKey, {{"order", order}}}, {}, ignore);
}

VariantColours::Stored VariantColours::read(storage::RunQuery& query) {
    Stored colours;
    for (const auto& item : query.items(kColour))
        if (!item.damaged) colours.orders[item.key] = parseJson(item.body, "colour of " + item.key).value("order", 1);
    for (const auto& item : query.items(kPin))
        if (item.key == kBaseline && !item.damaged) colours.pin = readPin(item.body);
    return colours;
}

VariantColours::Pin VariantColours::readPin(const std::string& body) {
    const Json pin = parseJson(body, "pinned baseline");
    return {pin.value("group", std::string()), {pin.value("document", Json()), pin.value("name", std::string())}};
}

void VariantColours::request(int database) {
    ask(
        this, databases_.reader(database), [](storage::RunQuery& query) { return read(query); },
        [this, database](Result<Stored> colours) {
            if (!colours) return Q_EMIT failed(colours.problem());
            stored_.insert_or_assign(database, std::move(*colours));
            merge();
        });
}

/// Uses the orders of the current database, and those of the others that are not taken.
void VariantColours::merge() {
    const int current = databases_.currentNumber();
    const auto stored = stored_.find(current);
    const Stored own = stored == stored_.end() ? Stored() : stored->second;
    orders_ = own.orders;
    pin_ = own.pin;
    std::set<int> taken;
    for (const auto& [hash, order] : orders_) taken.insert(order);
    for (const auto& [database, colours] : stored_) {
        if (database == current) continue;
        for (const auto& [hash, order] : colours.orders)
            if (!orders_.contains(hash) && taken.insert(order).second) orders_.emplace(hash, order);
    }
    assignOrders();
    Q_EMIT changed();
}

}  // namespace heddle::ui
