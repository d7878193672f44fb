// SPDX-License-Identifier: GPL-3.0-or-later
// Translated validation sentences at the scrubber's step: source, reference, hypothesis.
#pragma once

#include "ui/data/query.h"
#include "ui/data/subject.h"

#include <QTextBrowser>

namespace heddle::ui {

class SampleView : public QTextBrowser {
    Q_OBJECT

public:
    SampleView(Databases& databases, QWidget* parent);

    void setSubject(const Subject& subject);

private:
    struct Samples {
        Step step = 0;
        std::vector<storage::SampleRecord> rows;
    };
    Query::Request nextRequest();
    void show(const Samples& samples);

    Subject subject_;
    std::string asked_;
    Samples shown_;
    Query* query_;
};

}  // namespace heddle::ui
