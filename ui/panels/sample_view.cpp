// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/sample_view.h"

#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <set>

namespace heddle::ui {

SampleView::SampleView(Databases& databases, QWidget* parent)
    : QTextBrowser(parent),
      query_(new Query(
          databases, [this] { return nextRequest(); },
          [this](const Problem& problem) {
              show({});
              setPlaceholderText(problem.what);
          },
          this)) {
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Translated samples"));
    setFont(typeFont(Type::Caption));
    connect(&Theme::instance(), &Theme::changed, this, [this] { show(shown_); });
}

void SampleView::setSubject(const Subject& subject) {
    if (subject == subject_) return;
    const bool isOther = subject.run != subject_.run;
    subject_ = subject;
    if (isOther) {
        asked_.clear();
        query_->drop();
        setPlaceholderText(tr("Samples are translated with every BLEU evaluation."));
        show({});
    }
    if (subject_.detail) query_->request();
}

/// Samples are stored where BLEU was taken: the last such step up to the scrubber's, or the first.
Query::Request SampleView::nextRequest() {
    std::set<Step> steps;
    if (subject_.detail)
        for (const auto& row : subject_.detail->evaluations)
            if (row.split == "valid") steps.insert(row.step);
    std::vector<Step> candidates(steps.begin(), steps.end());
    std::string key =
        subject_.run.key().toStdString() + '@' + std::to_string(stepAtOrBefore(candidates, subject_.step).value_or(-1));
    if (key == asked_) return {};
    asked_ = std::move(key);
    return {subject_.run.database,
            [this, candidates, run = subject_.run.id, step = subject_.step](storage::RunQuery& query) -> Query::Apply {
                Samples found;
                for (auto at = candidates.rbegin(); at != candidates.rend() && found.rows.empty(); ++at)
                    if (*at <= step) found = {*at, query.samples(run, *at)};
                return [this, found] {
                    show(found);
                    query_->request();
                };
            }};
}

void SampleView::show(const Samples& samples) {
    shown_ = samples;
    if (samples.rows.empty()) return clear();
    const QString weak = Theme::color(Token::Text2).name();
    const auto line = [&](const QString& name, const std::string& text, bool strong) {
        const QString words = QString::fromStdString(text).toHtmlEscaped();
        return QStringLiteral("<div><span style='color:%1'>%2</span> %3</div>")
            .arg(weak, name, strong ? QStringLiteral("<b>%1</b>").arg(words) : words);
    };
    QString html = QStringLiteral("<div style='color:%1'>%2</div>").arg(weak, tr("step %1").arg(count(samples.step)));
    for (const auto& sample : samples.rows) {
        html += QStringLiteral("<p>") + line(tr("source"), sample.source, false) +
                line(tr("reference"), sample.reference, false) +
                line(sample.hypothesis == sample.reference ? tr("hypothesis =") : tr("hypothesis ≠"), sample.hypothesis, true) +
                QStringLiteral("</p>");
    }
    setHtml(html);
}

}  // namespace heddle::ui
