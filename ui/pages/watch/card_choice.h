// SPDX-License-Identifier: GPL-3.0-or-later
// Which cards the page shows: those that are chosen, but for those about which the run has nothing. These are folded to an
// entry of this row, which says why and opens them.
#pragma once

#include "ui/panels/panel.h"

#include <set>

namespace heddle::ui::watch {

class CardChoice : public QWidget {
    Q_OBJECT

public:
    /// The object name of each card is its key in a choice.
    CardChoice(const QList<Panel*>& cards, QWidget* parent);

    /// A check box of the menu for each card, in their order.
    const QList<QAction*>& actions() const { return actions_; }
    bool isShown(const Panel* card) const;
    /// An entry at least is in the row.
    bool hasFolded() const;
    /// The cards that are hidden, and those that were opened though the run has nothing, by their keys.
    struct Choice {
        QStringList hidden, opened;
    };
    Choice choice() const;
    void choose(const Choice& choice);

Q_SIGNALS:
    void changed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool isChosen(const Panel* card) const;
    bool isFolded(const Panel* card) const;
    void fill();

    QList<Panel*> cards_;
    QList<QAction*> actions_;
    QList<QToolButton*> entries_;
    std::set<const Panel*> opened_;  ///< though the run has nothing
};

}  // namespace heddle::ui::watch
