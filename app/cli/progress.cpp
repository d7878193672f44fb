// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"

#include "app/cli/documents.h"
#include "engine/base/printable.h"
#include "engine/spec/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <utility>

namespace heddle::app {
namespace {

constexpr std::chrono::seconds kPlainEvery{10};
constexpr std::chrono::seconds kRateWindow{10};

constexpr int kAnyWidth = 1 << 16;

TrainSpec trainSpecOf(const storage::RunRecord& run) {
    return RunSpec::parse(parseJson(run.spec, "run " + run.id), builtinCatalogue()).train;
}

}  // namespace

std::string progressLine(const TrainingProgress& a, int columns) {
    std::vector<std::string> parts{a.name};
    if (a.secondsLeft > 0) parts.push_back(durationText(a.secondsLeft) + " left");
    parts.push_back(a.totalSteps > 0 ? fmt::format("step {}/{}", a.step, a.totalSteps) : fmt::format("step {}", a.step));
    if (a.epoch > 0)
        parts.push_back(a.epochs > 0 ? fmt::format("epoch {}/{}", a.epoch, a.epochs) : fmt::format("epoch {}", a.epoch));
    if (a.patience > 0) parts.push_back(fmt::format("not better {}/{}", a.withoutImprovement, a.patience));
    if (a.totalSteps == 0) parts.emplace_back("no limit");
    if (!std::isnan(a.loss)) parts.push_back(fmt::format("{} {:.3f}", a.isSmoothed ? "objective" : "loss", a.loss));
    if (!std::isnan(a.accuracy)) parts.push_back(fmt::format("acc {:.3f}", a.accuracy));
    if (a.stepsPerSecond > 0) parts.push_back(fmt::format("{:.1f} steps/s", a.stepsPerSecond));
    if (a.tokensPerSecond > 0) parts.push_back(fmt::format("{} tokens/s", countText(std::llround(a.tokensPerSecond))));
    std::string line = cut(parts.front(), static_cast<std::size_t>(std::max(columns / 3, 1)));
    std::size_t width = columnsOf(line);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        width += 2 + parts[i].size();
        if (width > static_cast<std::size_t>(columns)) break;
        line += "  " + parts[i];
    }
    return line;
}

Progress::Progress(const Context& context, storage::RunQuery& query, const std::string& run, std::int64_t revision)
    : context_(context), query_(query), run_(query.run(run).value()), rev_(revision), train_(trainSpecOf(run_)) {
    context.err << "run " << titleOf(run_) << " in " << printable(context.database) << "\n" << std::flush;
    nextLine_ = Clock::now() + kPlainEvery;
}

void Progress::update() {
    if (const auto version = query_.dataVersion(); version != version_) {
        version_ = version;
        readNews();
    }
    if (context_.terminal.progress) {
        redraw(line(std::max(20, context_.terminal.columns - 1)));
    } else if (Clock::now() >= nextLine_) {
        nextLine_ = Clock::now() + kPlainEvery;
        if (run_.state == "running" || !held_.empty()) context_.err << line(kAnyWidth) << "\n" << std::flush;
    }
}

void Progress::readNews() {
    const auto since = std::exchange(rev_, query_.revision());
    run_ = query_.run(run_.id).value_or(run_);
    const auto news = newsSince(since);
    for (const auto& text : news)
        if (!lastNews_.contains(text)) printLine(text);
    lastNews_ = {news.begin(), news.end()};
}

std::vector<std::string> Progress::newsSince(std::int64_t rev) {
    std::vector<std::string> news;
    for (const auto& event : query_.events(run_.id, rev)) {
        const bool state = event.kind == "state" && (event.text == "paused" || event.text == "stopping");
        if (state)
            news.push_back(fmt::format("{} at step {}{}", event.text, event.step,
                                       run_.reason.empty() ? "" : ": " + printable(run_.reason)));
        else if (event.kind == "warning" || event.kind == "gap" || event.kind == "resume" || event.kind == "start" ||
                 event.kind == "data")
            news.push_back(fmt::format("{}: {}", event.kind, printable(event.text)));
    }
    std::map<std::pair<std::int64_t, std::string>, std::string> evaluations;
    for (const auto& e : query_.evaluations(run_.id, rev)) {
        if (e.split == "train" || isPart(e.metric)) continue;
        auto& text = evaluations[{e.step, e.split}];
        const std::string epoch = e.epoch > 0 ? fmt::format("epoch {} ", e.epoch) : "";  // no epoch is complete yet
        if (text.empty()) text = fmt::format("{}step {} {}:", epoch, e.step, printable(e.split));
        text += fmt::format(" {} {}", printable(e.metric), numberText(e.value));
    }
    for (const auto& [key, text] : evaluations) news.push_back(text);
    if (!evaluations.empty() && train_.patience > 0) readPatience();
    return news;
}

double Progress::stepsPerSecond() {
    const auto now = Clock::now();
    if (steps_.empty() || steps_.back().second != run_.step) steps_.emplace_back(now, run_.step);
    while (steps_.size() > 2 && now - steps_.front().first > kRateWindow) steps_.pop_front();
    const std::chrono::duration<double> span = steps_.back().first - steps_.front().first;
    return span.count() > 0 ? static_cast<double>(steps_.back().second - steps_.front().second) / span.count() : 0;
}

double Progress::newest(const std::string& series) {
    constexpr std::int64_t kRecent = 200;
    const auto points = query_.points(run_.id, series, "", run_.step - kRecent, run_.step);
    return points.empty() ? std::nan("") : points.back().value;
}

std::string Progress::line(int columns) {
    const std::string text = run_.name.empty() ? run_.id : printable(run_.name);
    if (!held_.empty()) return fmt::format("{}  paused: {}", text, held_);
    if (run_.state != "running") return text + "  " + run_.state;
    return progressLine(advance(), columns);
}

TrainingProgress Progress::advance() {
    TrainingProgress now;
    now.name = run_.name.empty() ? run_.id : printable(run_.name);
    now.step = run_.step;
    now.totalSteps = run_.totalSteps;
    now.epoch = train_.epochs > 0 ? std::min(run_.epoch + 1, train_.epochs) : run_.epoch + 1;
    now.epochs = train_.epochs;
    now.patience = train_.patience;
    now.withoutImprovement = withoutImprovement_;
    now.loss = newest("loss");
    now.isSmoothed = train_.labelSmoothing > 0;
    now.accuracy = newest("accuracy");
    now.stepsPerSecond = stepsPerSecond();
    now.tokensPerSecond = newest("tokens_per_second");
    // Estimated from the whole run so far, which includes evaluations.
    if (run_.totalSteps > run_.step && run_.step > 0 && run_.seconds > 1)
        now.secondsLeft = run_.seconds / static_cast<double>(run_.step) * static_cast<double>(run_.totalSteps - run_.step);
    return now;
}

/// Counts evaluations since the best one.
void Progress::readPatience() {
    std::int64_t best = -1;
    for (const auto& checkpoint : query_.checkpoints(run_.id))
        if (checkpoint.kind == "best") best = std::max(best, checkpoint.step);
    std::set<std::int64_t> later;
    for (const auto& e : query_.evaluations(run_.id, 0))
        if (e.split == "valid" && e.metric == train_.stopMetric && e.step > best) later.insert(e.step);
    withoutImprovement_ = static_cast<std::int64_t>(later.size());
}

void Progress::redraw(const std::string& text) {
    context_.screen << "\r\x1b[K" << std::flush;
    context_.err << cut(text, static_cast<std::size_t>(std::max(20, context_.terminal.columns - 1))) << std::flush;
    drawn_ = true;
}

void Progress::clear() {
    if (std::exchange(drawn_, false)) context_.screen << "\r\x1b[K" << std::flush;
}

void Progress::printLine(const std::string& text) {
    clear();
    context_.err << text << "\n" << std::flush;
}

}  // namespace heddle::app
