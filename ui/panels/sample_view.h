// SPDX-License-Identifier: GPL-3.0-or-later
// Translated validation sentences at the scrubber's step: source, reference, hypothesis.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/subject.h"
#include "ui/threads/query.h"

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
    void take(Result<Samples> samples);
    void show(const Samples& samples);

    Databases& databases_;
    Subject subject_;
    Samples shown_;
    Query<Samples> query_{this, [this](Result<Samples> samples) { take(std::move(samples)); }};
};

}  // namespace heddle::ui
