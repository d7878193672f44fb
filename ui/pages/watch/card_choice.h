// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the cards that the page shows. A chosen card for which the run has no data is folded to an entry of this row, which
// says why and opens it.
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
    /// Whether the row has an entry.
    bool hasFolded() const;
    /// The hidden cards, and those that were opened though the run has no data for them, by their keys.
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
    std::set<const Panel*> opened_;  ///< though the run has no data for them
};

}  // namespace heddle::ui::watch
