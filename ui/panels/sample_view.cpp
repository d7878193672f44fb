// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/sample_view.h"

#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <set>

namespace heddle::ui {

SampleView::SampleView(Databases& databases, QWidget* parent) : QTextBrowser(parent), databases_(databases) {
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Translated samples"));
    setFont(typeFont(Type::Caption));
    connect(&Theme::instance(), &Theme::changed, this, [this] { show(shown_); });
}

/// Samples are stored at the steps with BLEU; the last one up to the scrubber's step is shown.
void SampleView::setSubject(const Subject& subject) {
    if (subject == subject_) return;
    const bool isOther = subject.run != subject_.run;
    subject_ = subject;
    if (isOther) {
        query_.cancel();
        setPlaceholderText(tr("Samples are translated with every BLEU evaluation."));
        show({});
    }
    if (!subject_.detail) return;
    std::set<Step> steps;
    for (const auto& row : subject_.detail->evaluations)
        if (row.split == "valid") steps.insert(row.step);
    const std::vector<Step> candidates(steps.begin(), steps.end());
    const RunRef& run = subject_.run;
    query_.askOnce(run.key().toStdString() + '@' + std::to_string(stepAtOrBefore(candidates, subject_.step).value_or(-1)),
                   databases_.reader(run.database), [candidates, id = run.id, step = subject_.step](storage::RunQuery& query) {
                       Samples found;
                       for (auto at = candidates.rbegin(); at != candidates.rend() && found.rows.empty(); ++at)
                           if (*at <= step) found = {*at, query.samples(id, *at)};
                       return found;
                   });
}

void SampleView::take(Result<Samples> samples) {
    if (samples) return show(*samples);
    show({});
    setPlaceholderText(samples.problem().what);
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
