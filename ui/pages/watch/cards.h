// SPDX-License-Identifier: GPL-3.0-or-later
// The panels in the center of the page, curves above snapshots: which of them are shown, and their sizes.
#pragma once

#include "ui/pages/watch/run_curves.h"

#include <set>

class QDataStream;
class QSplitter;
class QToolButton;

namespace heddle::ui {

class AttentionPanel;

namespace watch {

/// Holds which cards are shown. A chosen card for which the run has no data is folded into an entry of this row. The entry
/// shows the reason, and a click opens the card.
class CardChoice : public QWidget {
    Q_OBJECT

public:
    /// The object name of each card is its key in a Choice.
    CardChoice(const QList<Panel*>& cards, QWidget* parent);

    /// A check box of the menu for each card, in their order.
    const QList<QAction*>& actions() const { return actions_; }
    bool isShown(const Panel* card) const;
    /// Whether the row has an entry.
    bool hasFolded() const;
    /// The keys of the hidden cards, and of those that were opened although the run has no data for them.
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
    std::set<const Panel*> opened_;  ///< although the run has no data for them
};

class Cards : public QWidget {
    Q_OBJECT

public:
    /// See RunCurves.
    Cards(Studio& studio, const RunDetails& details, WatchBar& bar, QWidget* parent);

    RunCurves& curves() { return *curves_; }
    AttentionPanel& attention() { return *attention_; }
    PanelGroup& group() { return group_; }
    /// A check box of the menu for each card.
    const QList<QAction*>& choices() const;
    QAction* ignoreOutliers() const { return ignoreOutliers_; }

    void setSubject(const Subject& subject);
    /// The sizes of the cards, and which are shown. Reading an arrangement that does not fit changes nothing.
    void writeArrangement(QDataStream& stream) const;
    void readArrangement(QDataStream& stream);

private:
    void arrange();

    RunCurves* curves_;
    AttentionPanel* attention_;
    QSplitter *lower_, *both_;
    PanelGroup group_{this};
    CardChoice* choice_;
    QAction* ignoreOutliers_;
};

}  // namespace watch
}  // namespace heddle::ui
