// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on one group: the sentence, its pairs, what so many seeds could have shown, other metrics, whether the comparison
// is fair, what is left out, and the test with its limits. Its window title names the two groups.
#pragma once

#include "ui/data/study_comparer.h"
#include "ui/data/study_detail.h"
#include "ui/panels/panel.h"
#include "ui/threads/query.h"

#include <map>
#include <unordered_map>

class QGridLayout;
class QLabel;
class QPushButton;

namespace heddle::ui {

class NoteList;
class StripPlot;

class VerdictPanel : public Panel {
    Q_OBJECT

public:
    VerdictPanel(Studio& studio, const StudyComparer& comparer, QWidget* parent);

    /// The row that is selected. Where it is the baseline or none, the newest group that is compared is shown.
    void setSelected(const std::string& group);
    /// What groups are called, by key. Those that are not among them keep their names: a filter hides them.
    void setNames(const std::unordered_map<std::string, QString>& names);
    /// The group that is shown.
    const std::string& group() const { return group_; }
    /// The seeds that Add seeds asks for: the next ones of the study, else as many new ones as complete the pairs.
    std::vector<std::uint64_t> nextSeeds() const;
    bool isIdle() const { return reading_.isIdle(); }

private:
    void build();
    void refresh();
    std::string newestCompared() const;
    void showNothing(const QString& title, const QString& text);
    void showSentence(const StudyComparison& comparison, const ComparedGroup& group);
    void showPairs(const StudyComparison& comparison, const ComparedGroup& group);
    void showDetectable(const std::vector<std::pair<std::size_t, double>>& sizes);
    void showNextSeeds();
    void showPublished(const StudyComparison& comparison, const ComparedGroup& group);
    void showLeftOut(const ComparedGroup& group);
    void askDetail(const StudyComparison& comparison, const ComparedGroup& group);
    void showDetail(const VerdictDetail& detail);
    void addSeeds();
    QString nameOf(const std::string& key) const;

    Studio& studio_;
    const StudyComparer& comparer_;
    std::string selected_, group_;
    std::string detailOf_;  ///< what the notes are about
    std::unordered_map<std::string, QString> names_;
    QLabel *headline_, *sentence_, *limits_;
    QGridLayout* sizes_;
    QWidget* sizesBox_;
    StripPlot* pairs_;
    QPushButton* addSeeds_;
    NoteList *also_, *published_, *checks_, *leftOut_;
    Query<VerdictDetail> reading_;
};

}  // namespace heddle::ui
