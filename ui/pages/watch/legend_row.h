// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of both curve cards: runs with their states, the meaning of the dashes, the text of the last flag.
#pragma once

#include "ui/data/run_detail.h"
#include "ui/text/states.h"

#include <QWidget>

namespace heddle::ui::watch {

struct LegendEntry {
    QString label;
    int order = 1;
    Mark mark = Mark::Running;
    QString note = {};   ///< "no new row for 14 s", in the colour of a warning
    QString state = {};  ///< the mark's word, or "Pausing…"
    bool operator==(const LegendEntry&) const = default;
};

class LegendRow : public QWidget {
    Q_OBJECT

public:
    explicit LegendRow(QWidget* parent);

    /// Raw: train is not smoothed now.
    enum class Rule { Smoothed, Raw };
    void setEntries(const QList<LegendEntry>& entries, Rule rule);
    /// Sets the last flag, whose text stands at the right end.
    void setFlag(const std::optional<CurveEvent>& flag);
    QString accessibleText() const;
    /// The rectangle of the words that explain the dashes. They stand after the entries; entries that would leave them no room
    /// are counted and not drawn. Empty if there are no entries.
    QRect ruleRect() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Sample {
        QList<qreal> dash;
        QString words;
    };
    QList<Sample> rule() const;
    int flagWidth() const;
    int ruleWidth() const;
    int widthOf(const LegendEntry& entry) const;
    /// How many entries are drawn, and the room that they take.
    std::pair<qsizetype, int> shown() const;
    void paintFlag(QPainter& painter) const;
    void paintEntry(QPainter& painter, const LegendEntry& entry, const QRect& place) const;
    void paintRule(QPainter& painter, const QRect& place) const;

    QList<LegendEntry> entries_;
    Rule rule_ = Rule::Smoothed;
    std::optional<CurveEvent> flag_;
};

}  // namespace heddle::ui::watch
