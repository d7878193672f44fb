// SPDX-License-Identifier: GPL-3.0-or-later
// Share of weights near zero by module, the compared run's as ticks.
#pragma once

#include "ui/watch/card.h"
#include "ui/watch/question.h"
#include "ui/watch/sparsity_data.h"
#include "ui/watch/subject.h"

class QButtonGroup;
class QLabel;
class QSettings;

namespace heddle::ui::watch {

class SparsityCard : public Card {
    Q_OBJECT

public:
    SparsityCard(Feed& feed, QWidget* parent);

    void setSubject(const Subject& subject);
    BarPlot& bars() { return *bars_; }
    void chooseThreshold(int index);
    void saveSession(QSettings& settings) const;
    void restoreSession(QSettings& settings);

private:
    struct Answer {
        std::optional<Sparsity> own, other;
        Grouped ownGroups, otherGroups;
    };
    std::string key() const;
    Question::Reading ask();
    void show(const Answer& answer);

    Subject subject_;
    BarPlot* bars_;
    QButtonGroup* thresholds_;
    QLabel* rule_;
    std::string asked_;
    Question* question_;
};

}  // namespace heddle::ui::watch
