// SPDX-License-Identifier: GPL-3.0-or-later
// Translated validation sentences at the scrubber's step: source, reference, hypothesis.
#pragma once

#include "ui/watch/question.h"
#include "ui/watch/subject.h"

#include <QTextBrowser>

namespace heddle::ui::watch {

class SampleView : public QTextBrowser {
    Q_OBJECT

public:
    SampleView(Feed& feed, QWidget* parent);

    void setSubject(const Subject& subject);

private:
    struct Samples {
        Step step = 0;
        std::vector<storage::SampleRecord> rows;
    };
    Question::Reading ask();
    void show(const Samples& samples);

    Subject subject_;
    std::string asked_;
    Samples shown_;
    Question* question_;
};

}  // namespace heddle::ui::watch
