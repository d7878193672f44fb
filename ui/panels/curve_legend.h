// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of curves, with an entry for each group of runs: on one line, with the meaning of the dashes and the text of the
// last flag, or wrapped.
#pragma once

#include "ui/plot/curve.h"
#include "ui/text/states.h"

#include <QWidget>

#include <optional>

namespace heddle::ui {

struct LegendEntry {
    QString label;
    std::optional<int> order = 1;  ///< Theme::runAt; none: the entry of all grey curves
    std::optional<Mark> mark = {};
    QString note = {};   ///< "no new row for 14 s", in the colour of a warning
    QString state = {};  ///< the mark's word, or "Pausing…"
    bool operator==(const LegendEntry&) const = default;
};

class CurveLegend : public QWidget {
    Q_OBJECT

public:
    /// Line: solid is train, dashed is valid, the colour identifies the run. Wrapped: every run has its own dash.
    enum class Form { Line, Wrapped };
    CurveLegend(Form form, QWidget* parent);

    /// Raw: train is not smoothed now.
    enum class Rule { Smoothed, Raw };
    void setEntries(const QList<LegendEntry>& entries, Rule rule = Rule::Raw);
    /// An entry for each group; muted curves share one.
    void setCurves(const QList<Curve>& curves);
    /// Sets the last flag, whose text is drawn at the right end of the line.
    void setFlag(const std::optional<CurveEvent>& flag);
    QString accessibleText() const;
    /// The rectangle of the text that explains the dashes, after the entries. Entries that would leave it no room are counted
    /// and not drawn. Empty if there are no entries.
    QRect ruleRect() const;

    bool hasHeightForWidth() const override { return form_ == Form::Wrapped; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Sample {
        QList<qreal> dash;
        QString words;
    };
    QList<Sample> rule() const;
    QFont labelFont() const;
    int flagWidth() const;
    int ruleWidth() const;
    int widthOf(const LegendEntry& entry) const;
    /// The places of the entries that are drawn.
    QList<QRect> places(int width) const;
    QList<QRect> placesOnLine(int width) const;
    void paintLine(QPainter& painter, qsizetype drawn) const;
    void paintEntry(QPainter& painter, const LegendEntry& entry, const QRect& place) const;

    Form form_;
    QList<LegendEntry> entries_;
    Rule rule_ = Rule::Raw;
    std::optional<CurveEvent> flag_;
};

}  // namespace heddle::ui
