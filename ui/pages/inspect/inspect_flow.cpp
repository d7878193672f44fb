// SPDX-License-Identifier: GPL-3.0-or-later
// From the database and the models into the panels.
#include "ui/data/exposures.h"
#include "ui/data/run_actions.h"
#include "ui/pages/inspect/head_pairing.h"
#include "ui/pages/inspect/inspect_bar.h"
#include "ui/pages/inspect/inspect_page.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"
#include "ui/panels/token_bars_panel.h"
#include "ui/text/number.h"
#include "ui/text/units.h"

#include <QStackedWidget>

#include <set>

namespace heddle::ui {
namespace {

/// The sentence of a probe as words: the source of a stored sample, else the tokens of one of its maps.
QString wordsOfProbe(storage::RunQuery& query, const RunDetail& detail, const std::vector<storage::SampleRecord>& samples,
                     std::int64_t probe) {
    for (const auto& sample : samples)
        if (sample.index == probe && !sample.source.empty()) return QString::fromStdString(sample.source);
    for (const auto& [site, probes] : detail.maps) {
        const auto steps = probes.find(probe);
        if (steps == probes.end() || steps->second.empty()) continue;
        const auto map = query.map(detail.record.id, {site.name, site.path, steps->second.back(), probe});
        if (!map) continue;
        QStringList words;
        for (const std::string& token : map->columnTokens) words << QString::fromStdString(token);
        return words.join(QLatin1Char(' '));
    }
    return {};
}

QStringList readProbes(storage::RunQuery& query, const RunDetail& detail) {
    std::set<std::int64_t> probes;
    for (const auto& [site, byProbe] : detail.maps)
        for (const auto& [probe, steps] : byProbe) probes.insert(probe);
    const auto samples = query.samples(detail.record.id);
    QStringList words;
    for (const std::int64_t probe : probes)
        words << QStringLiteral("%1  %2").arg(probe).arg(wordsOfProbe(query, detail, samples, probe));
    return words;
}

/// A key that changes with the list of probes.
std::string probesKey(const RunDetail& detail) {
    return detail.record.ref.key().toStdString() + '/' + std::to_string(detail.maps.size());
}

}  // namespace

void InspectPage::refresh() {
    if (!shown_) return;
    chooseRuns();
    std::vector<RunRef> wanted{bar_->runA()};
    if (!bar_->runB().empty() && bar_->runB() != bar_->runA()) wanted.push_back(bar_->runB());
    onRunA_->setRuns({bar_->runA()});
    details_.setRuns(wanted);
    details_.refresh();
    showDetails();
}

/// A is the run that Watch shows, B the first compared one, unless the user chose others here.
void InspectPage::chooseRuns() {
    const auto& runs = studio().databases().runs();
    stack_->setCurrentIndex(runs.empty() ? 0 : 1);
    bar_->setEnabled(!runs.empty());
    bar_->setRuns(runs);
    if (bar_->runA().empty() && studio().databases().run(studio().currentRun())) bar_->setRunA(studio().currentRun());
    if (bar_->runA().empty() && !runs.empty()) bar_->setRunA(runs.front()->ref);
    if (!bar_->runB().empty()) return;
    for (const RunRef& run : studio().comparedRuns())
        if (run != bar_->runA() && studio().databases().run(run)) return bar_->setRunB(run);
}

void InspectPage::showDetails() {
    if (!shown_) return;
    const auto detail = details_.of(bar_->runA());
    a_->setRun(detail);  // null while the run is read: what was shown of the run before goes
    b_->setRun(bar_->runB().empty() ? nullptr : details_.of(bar_->runB()));
    const auto *a = record(*a_), *b = record(*b_);
    const auto pair = std::pair(a ? a->ref : RunRef(), b ? b->ref : RunRef());
    if (pair != std::exchange(apartOf_, pair)) apart_ = a && b ? inspect::whyHeadsDiffer(*a, *b) : QString();
    if (const std::string ofRun = bar_->runA().key().toStdString() + '/'; !probesOf_.starts_with(ofRun)) {
        probesOf_ = ofRun;  // none of them is read
        probes_->drop();
        sentence_->setProbes({});
    }
    const std::vector<int> steps = detail ? inspectableSteps(*detail) : std::vector<int>{};
    if (detail || bar_->runA().empty())  // the chosen step stays while the run is read
        scrub_->setSnapshots(steps, detail ? int(std::max(detail->record.totalSteps, detail->record.step)) : 0);
    scrub_->scrubber().setEvents(detail ? detail->flags() : QList<CurveEvent>{});
    const auto best = detail ? detail->bestStep() : std::nullopt;
    scrub_->scrubber().setBest(best ? std::optional(int(*best)) : std::nullopt);
    if ((detail ? probesKey(*detail) : std::string()) != probesOf_) probes_->request();
    showSteps();
    showMaps();
    showModel();
    showTraining();
}

Query::Request InspectPage::probesRequest() {
    const auto detail = a_->detail();
    if (!detail) return {};
    const std::string key = probesKey(*detail);
    if (key == probesOf_) return {};
    return {detail->record.ref.database, [this, detail, key](storage::RunQuery& query) -> Query::Apply {
                const QStringList words = readProbes(query, *detail);
                return [this, key, words] {
                    probesOf_ = key;
                    sentence_->setProbes(words);
                };
            }};
}

void InspectPage::showSteps() {
    a_->setStep(scrub_->step());
    if (bar_->linkAction()->isChecked() || b_->step() == 0) b_->setStep(scrub_->step());
    QStringList words;
    const auto epoch = a_->detail() ? a_->detail()->epochOf(a_->step()) : std::nullopt;
    if (epoch) words << tr("epoch %1").arg(count(*epoch));
    if (b_->detail() && b_->step() != a_->step()) words << tr("B at step %1").arg(count(b_->step()));
    scrub_->setNote(words.join(QStringLiteral("; ")));
}

void InspectPage::takeSentence() {
    a_->setSentence({sentence_->probe(), sentence_->freeText(), {}, sentence_->search()});
    showSentenceOfB();
    showMaps();
    showModel();
}

/// B reads what A reads; a free text together with the translation that A wrote, once that is there.
void InspectPage::showSentenceOfB() {
    const auto& a = a_->observed();
    const bool isFree = !sentence_->freeText().isEmpty();
    if (isFree && !a && a_->error().isEmpty()) return;
    const QString target = isFree && a ? QString::fromStdString(a->output) : QString();
    b_->setSentence({sentence_->probe(), sentence_->freeText(), target, sentence_->search()});
}

QString InspectPage::gridReason() const {
    if (!a_->detail()) return bar_->runA().empty() ? tr("Choose a run.") : tr("The run is being read…");
    if (!a_->error().isEmpty()) return a_->error();
    if (!a_->isSettled()) return tr("The model reads the sentence…");
    if (!a_->recordedError().isEmpty()) return a_->recordedError();
    return tr("Maps are stored at steps 1, 2, 4, … and then every record.maps_every steps, for record.probes sentences.");
}

QString InspectPage::gridNote() const {
    const QString what = sentence_->freeText().isEmpty() ? tr("probe %1").arg(sentence_->probe()) : tr("free text");
    return tr("A: %1, %2").arg(mapsWords(*a_), what);
}

QString InspectPage::mapsWords(const InspectedRun& run) const {
    const auto maps = run.mapsOf(bar_->family());
    if (!maps) return {};
    if (maps != run.recorded()) return modelWords(run);
    return tr("%1, step %2").arg(runLabel(*record(run)), count(maps->step()));
}

QString InspectPage::modelWords(const InspectedRun& run) const {
    const auto model = run.model();
    return model ? tr("%1, checkpoint of step %2").arg(runLabel(*record(run)), count(model->step)) : QString();
}

/// Shows the maps of the chosen family; those of A are in the grid.
void InspectPage::showMaps() {
    std::array<bool, kMapFamilies> possible{};
    for (int i = 0; i < kMapFamilies; ++i) {
        const auto maps = a_->mapsOf(MapFamily(i));
        possible[std::size_t(i)] = maps && maps->has(MapFamily(i));
    }
    bar_->setFamilies(possible);
    const auto maps = a_->mapsOf(bar_->family());
    if (maps && maps->has(bar_->family())) {
        grid_->setData(maps->grid(bar_->family()));
        grid_->setNote(gridNote());
    } else {
        grid_->setReason(tr("No maps to show"), gridReason());
    }
    grid_->grid().setMuted(interventions_->mutedHeads());
    showHead();
    showBars();
    showOutput();
}

void InspectPage::showHead() {
    HeadPanel::Shown shown;
    shown.family = bar_->family();
    shown.a = a_->mapsOf(shown.family);
    shown.b = b_->detail() ? b_->mapsOf(shown.family) : nullptr;
    const auto& rows = grid_->grid().data().rows;
    const auto place = hovered_ && hovered_->row < int(rows.size()) ? hovered_ : grid_->grid().current();
    if (place) {
        shown.path = rows[std::size_t(place->row)].path.toStdString();
        shown.head = place->head;
    }
    shown.nameA = mapsWords(*a_);
    shown.nameB = shown.b ? mapsWords(*b_) : QString();
    shown.apart = apart_;
    head_->setShown(shown);
}

void InspectPage::showBars() {
    const HeadRow* row = grid_->row();
    showGates(row ? row->sublayer.toStdString() : std::string());
    const auto& a = a_->observed();
    if (!a) return losses_->setReason(tr("Loss by label"), gridReason());
    const auto counted = a_->detail() ? a_->detail()->counted("loss") : std::nullopt;
    if (a->losses.empty())
        return losses_->setReason(tr("No loss by label"),
                                  sentence_->freeText().isEmpty()
                                      ? tr("The loss of this task (%1) is not a sum over labels.").arg(lossWords(counted))
                                      : tr("A free text has no labels."));
    TokenBarsPanel::Bars bars;
    double sumA = 0, sumB = 0;
    for (const LabelLoss& one : a->losses) {
        bars.tokens << QString::fromStdString(one.label);
        bars.a.push_back(one.loss);
        sumA += one.loss;
    }
    const auto& b = b_->observed();
    const bool isSame = b && lossWords(b_->detail() ? b_->detail()->counted("loss") : std::nullopt) == lossWords(counted) &&
                        std::equal(a->losses.begin(), a->losses.end(), b->losses.begin(), b->losses.end(),
                                   [](const auto& x, const auto& y) { return x.label == y.label; });
    if (isSame)
        for (const LabelLoss& one : b->losses) {
            bars.b.push_back(one.loss);
            sumB += one.loss;
        }
    bars.title = lossWords(counted);
    bars.nameA = tr("A: %1").arg(modelWords(*a_));
    bars.nameB = tr("B: %1").arg(modelWords(*b_));
    bars.orderA = studio().orderOf(*record(*a_));
    bars.note = isSame ? tr("sum A %1, B %2").arg(lossSum(sumA, counted), lossSum(sumB, counted))
                       : tr("sum %1").arg(lossSum(sumA, counted));
    losses_->setBars(bars);
}

/// Shows the first gate over positions in the sublayer.
void InspectPage::showGates(const std::string& sublayer) {
    const auto gateOf = [&](const InspectedRun& run) -> const PositionMeans* {
        if (!run.observed()) return nullptr;
        for (const PositionMeans& means : run.observed()->means)
            if (longSite(means.path).toStdString() == sublayer) return &means;
        return nullptr;
    };
    const PositionMeans* a = gateOf(*a_);
    if (!a)
        return gates_->setReason(
            a_->observed() ? tr("No gate here") : tr("Mean gate"),
            a_->observed() ? tr("%1 has no gate over positions.").arg(QString::fromStdString(sublayer)) : gridReason());
    TokenBarsPanel::Bars bars;
    for (std::size_t i = 0; i < a->values.size(); ++i) {
        bars.tokens << QString::fromStdString(a->tokens[i]);
        bars.a.push_back(double(a->values[i]));
    }
    const PositionMeans* b = gateOf(*b_);
    if (b && b->name == a->name && b->tokens == a->tokens) bars.b.assign(b->values.begin(), b->values.end());
    const Exposure* exposure = exposureOf({a->name, a->path});
    bars.title = exposure ? QString::fromStdString(exposure->title) : QString::fromStdString(a->name);
    bars.nameA = tr("A: %1").arg(modelWords(*a_));
    bars.nameB = tr("B: %1").arg(modelWords(*b_));
    bars.orderA = studio().orderOf(*record(*a_));
    bars.note = QString::fromStdString(a->path);
    gates_->setBars(bars);
}

void InspectPage::showOutput() {
    const auto& a = a_->observed();
    if (!a) return sentence_->setOutputNote(gridReason());
    SentencePanel::Output output;
    output.source = QString::fromStdString(a->input);
    output.reference = QString::fromStdString(a->reference);
    output.a = QString::fromStdString(a->output);
    output.nameA = tr("A: %1").arg(modelWords(*a_));
    if (const auto& b = b_->observed()) {
        output.b = QString::fromStdString(b->output);
        output.nameB = tr("B: %1").arg(modelWords(*b_));
    }
    sentence_->setOutput(output);
}

/// Shows whether the model of A can be asked and what can be changed in it.
void InspectPage::showModel() {
    const QString error = a_->model() ? QString() : gridReason();
    interventions_->setModel(modelWords(*a_), error);
    showEffects();
    sentence_->setReadable(error.isEmpty(), error);
    if (!a_->targets() || a_->targets() == offered_) return;  // an open menu stays as it is
    offered_ = a_->targets();
    interventions_->setTargets(*offered_);
}

}  // namespace heddle::ui
