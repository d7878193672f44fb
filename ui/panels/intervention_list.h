// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/run/interventions.h"

#include <QTreeWidget>

#include <vector>

class QMenu;

namespace heddle::ui {

/// A list of interventions; the ticked ones are active.
class InterventionList : public QTreeWidget {
    Q_OBJECT

public:
    explicit InterventionList(QWidget* parent);

    /// Sets what can be changed in the model that is shown; removes interventions that it does not allow.
    void setTargets(const InterventionTargets& targets);
    /// A menu of everything that can be added.
    QMenu& menu() const { return *menu_; }

    /// Adds an active intervention, or activates it if the list has it.
    void add(const Intervention& intervention);
    /// Adds an active intervention, or toggles its tick if the list has it.
    void toggle(const Intervention& intervention);
    void removeAll();
    /// Asks the user for the value of a gate in a sublayer; false: the sublayer has no gate.
    bool clampGateOf(const QString& sublayer);
    std::vector<Intervention> active() const;
    QStringList mutedHeads() const;  ///< "PATH:HEAD" of those that are active, by zero, mean or resample ablation

Q_SIGNALS:
    void activeChanged();

private:
    void fillMenu(const InterventionTargets& targets);
    void askForValue(const std::string& kind, const ModuleExposure& exposure);
    QTreeWidgetItem* itemOf(const Intervention& intervention) const;

    std::vector<Intervention> list_;  ///< in the order of the items
    std::vector<ModuleExposure> clampable_;
    QMenu* menu_;
};

/// "Mute head", "Clamp".
QString wordsOf(const Intervention& intervention);
/// "dec.1.cross:2" of "decoder.layers.1.cross:2".
QString shortWords(const Intervention& intervention);

}  // namespace heddle::ui
