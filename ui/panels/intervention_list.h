// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/run/interventions.h"

#include <QTreeWidget>

#include <vector>

class QMenu;

namespace heddle::ui {

/// Interventions, of which those with a tick are active.
class InterventionList : public QTreeWidget {
    Q_OBJECT

public:
    explicit InterventionList(QWidget* parent);

    /// What can be changed in the model that is shown; interventions that it does not allow go away.
    void setTargets(const InterventionTargets& targets);
    /// Offers all that can be added.
    QMenu& menu() const { return *menu_; }

    /// Adds an intervention, switched on; one that is there is switched on.
    void add(const Intervention& intervention);
    /// Adds an intervention, or takes its tick away, or gives it back.
    void toggle(const Intervention& intervention);
    void removeAll();
    /// Asks for the value of a gate in a sublayer; false: it has none.
    bool clampGateOf(const QString& sublayer);
    std::vector<Intervention> active() const;
    QStringList mutedHeads() const;  ///< "PATH:HEAD" of those that are active

Q_SIGNALS:
    void activeChanged();

private:
    void fillMenu(const InterventionTargets& targets);
    void askForValue(const std::string& kind, const ModuleExposure& exposure);
    QTreeWidgetItem* itemOf(const Intervention& intervention) const;

    std::vector<Intervention> list_;  ///< of the items
    std::vector<ModuleExposure> clampable_;
    QMenu* menu_;
};

/// "Mute head", "Clamp": what an intervention does, for people.
QString wordsOf(const Intervention& intervention);
/// "dec.1.cross:2" of "decoder.layers.1.cross:2".
QString shortWords(const Intervention& intervention);

}  // namespace heddle::ui
