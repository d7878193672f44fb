// SPDX-License-Identifier: GPL-3.0-or-later
// The colour of each group of runs, and the baseline.
#pragma once

#include "ui/data/commander.h"
#include "ui/data/databases.h"

#include <map>
#include <string>

namespace heddle::ui {

/// A run spec that was pinned as the baseline. It may have no run yet.
struct PinnedVariant {
    Json document;
    std::string name;
};

class VariantColours : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this object.
    VariantColours(Databases& databases, Commander& commander, QObject* parent);

    /// The key of the group with which others are compared (drawn in slate); empty for none. Stored in the current database.
    const std::string& baseline() const { return pin_.group; }
    /// The variant of the baseline; a null document if it was pinned as a group of runs.
    const PinnedVariant& pinnedVariant() const { return pin_.variant; }
    void setBaseline(const std::string& group);
    /// Pins the group of the newest run of this plan (plannedKey()), or the plan itself until such a run has begun.
    void setPlannedBaseline(const std::string& planned, const PinnedVariant& variant);

    /// The order of a group of runs, which selects its style, Theme::runAt(order). 0 is the baseline. Other groups get an order
    /// when their first run appears; it is stored in the database of that run. If databases store different orders, that of the
    /// current one is used. A planned run keeps its order when it starts. -1 for a group without an order: it has no run, or
    /// its database was not read yet.
    int orderOf(const std::string& group) const;
    int orderOf(const Run& run) const { return orderOf(run.groupKey); }

Q_SIGNALS:
    /// The baseline or an order has changed.
    void changed();
    void failed(const heddle::ui::Problem& problem);

private:
    struct Pin {
        std::string group;
        PinnedVariant variant;
    };
    /// The orders and the baseline that a database stores.
    struct Stored {
        std::map<std::string, int> orders;
        Pin pin;
    };
    static Pin readPin(const std::string& body);
    static Stored read(storage::RunQuery& query);
    void request(int database);
    void merge();
    void pin(const Pin& pin);
    /// `failed`: see Commander::edit().
    void storePin(const Pin& pin, const std::function<void(const Problem&)>& failed = {});
    bool assignOrders();
    void takePlannedOrder(const Run& run);
    void assign(const Run& run, int order);

    Databases& databases_;
    Commander& commander_;
    std::map<int, Stored> stored_;  ///< by database
    Pin pin_;
    std::map<std::string, int> orders_;  ///< merged
};

}  // namespace heddle::ui
