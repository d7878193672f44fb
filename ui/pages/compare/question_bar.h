// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar with what is compared: a study that was asked beforehand or the groups of the page, metric, rule of value,
// baseline, correction, and how it is shown.
#pragma once

#include "ui/data/study_comparer.h"

#include <QToolBar>

#include <unordered_map>

class QComboBox;

namespace heddle::ui {

class Segments;

class QuestionBar : public QToolBar {
    Q_OBJECT

public:
    /// The parts of the bar beside its boxes: actions on the study, and the ways to show the comparison, the first one shown.
    struct Parts {
        QAction &openStudy, &trainStudy, &onSlurm;
        QStringList views;
    };
    QuestionBar(Studio& studio, StudyComparer& comparer, const Parts& parts, QWidget* parent);

    /// What groups are called, by key: the choice of the baseline. Those that are not among them keep their names: a filter
    /// hides them.
    void setNames(const std::unordered_map<std::string, QString>& names);
    Segments& views() const { return *views_; }

private:
    QComboBox* addBox(const QString& label, const char* name, const QString& tip);
    void refresh();
    void fillStudies();
    void chooseRule();
    static QString ruleHelp();

    Studio& studio_;
    StudyComparer& comparer_;
    QComboBox *study_, *metric_, *baseline_, *correction_, *rule_;
    Segments* views_;
    std::unordered_map<std::string, QString> names_;
};

}  // namespace heddle::ui
