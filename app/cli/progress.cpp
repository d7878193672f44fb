// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"

#include "app/cli/documents.h"
#include "engine/spec/printable.h"

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

/// Of the spec as stored: how many epochs were asked for; 0: not limited by epochs.
std::int64_t epochsOf(const storage::RunRecord& run) {
    const Json spec = parseJson(run.spec, "run " + run.id);
    const Json train = spec.value("train", Json::object());
    constexpr std::int64_t kDefault = 10;  // TrainSpec::epochs
    return train.value("epochs", kDefault);
}

}  // namespace

Progress::Progress(const Context& context, storage::RunQuery& query, const std::string& run, std::int64_t revision)
    : context_(context), query_(query), run_(query.run(run).value()), rev_(revision), epochs_(epochsOf(run_)) {
    context.err << "run " << titleOf(run_) << " in " << printable(context.database) << "\n" << std::flush;
    nextLine_ = Clock::now() + kPlainEvery;
}

void Progress::update() {
    if (const auto version = query_.dataVersion(); version != version_) {
        version_ = version;
        readNews();
    }
    if (context_.terminal.progress) {
        redraw(line());
    } else if (Clock::now() >= nextLine_) {
        nextLine_ = Clock::now() + kPlainEvery;
        if (run_.state == "running" || !held_.empty()) context_.err << line() << "\n" << std::flush;
    }
}

void Progress::readNews() {
    const auto since = std::exchange(rev_, query_.revision());
    run_ = query_.run(run_.id).value_or(run_);
    const auto news = newsSince(since);
    for (const auto& text : news)
        if (!lastNews_.contains(text)) say(text);
    lastNews_ = {news.begin(), news.end()};
}

std::vector<std::string> Progress::newsSince(std::int64_t rev) {
    std::vector<std::string> news;
    for (const auto& event : query_.events(run_.id, rev)) {
        const bool state = event.kind == "state" && (event.text == "paused" || event.text == "stopping");
        if (state)
            news.push_back(fmt::format("{} at step {}{}", event.text, event.step,
                                       run_.reason.empty() ? "" : ": " + printable(run_.reason)));
        else if (event.kind == "warning" || event.kind == "gap" || event.kind == "resume" || event.kind == "data")
            news.push_back(fmt::format("{}: {}", event.kind, printable(event.text)));
    }
    std::map<std::pair<std::int64_t, std::string>, std::string> evaluations;
    for (const auto& e : query_.evaluations(run_.id, rev)) {
        if (e.split == "train" || isPart(e.metric)) continue;
        auto& text = evaluations[{e.step, e.split}];
        if (text.empty()) text = fmt::format("epoch {} step {} {}:", e.epoch, e.step, printable(e.split));
        text += fmt::format(" {} {}", printable(e.metric), numberText(e.value));
    }
    for (const auto& [key, text] : evaluations) news.push_back(text);
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

std::string Progress::line() {
    std::string text = run_.name.empty() ? run_.id : printable(run_.name);
    if (!held_.empty()) return fmt::format("{}  paused: {}", text, held_);
    if (run_.state != "running") return text + "  " + run_.state;
    if (epochs_ > 0) text += fmt::format("  epoch {}/{}", std::min(run_.epoch + 1, epochs_), epochs_);
    text += run_.totalSteps > 0 ? fmt::format("  step {}/{}", run_.step, run_.totalSteps) : fmt::format("  step {}", run_.step);
    if (const double loss = newest("loss"); !std::isnan(loss)) text += fmt::format("  loss {:.3f}", loss);
    if (const double accuracy = newest("accuracy"); !std::isnan(accuracy)) text += fmt::format("  accuracy {:.3f}", accuracy);
    if (const double rate = stepsPerSecond(); rate > 0) text += fmt::format("  {:.1f} steps/s", rate);
    if (const double tokens = newest("tokens_per_second"); !std::isnan(tokens))
        text += fmt::format("  {} tokens/s", countText(std::llround(tokens)));
    // From the whole run so far, so that the evaluations to come are counted in.
    if (run_.totalSteps > run_.step && run_.step > 0 && run_.seconds > 1)
        text += fmt::format("  {} left", durationText(run_.seconds / static_cast<double>(run_.step) *
                                                      static_cast<double>(run_.totalSteps - run_.step)));
    return text;
}

void Progress::redraw(const std::string& text) {
    context_.screen << "\r\x1b[K" << std::flush;
    context_.err << cut(text, static_cast<std::size_t>(std::max(20, context_.terminal.columns - 1))) << std::flush;
    drawn_ = true;
}

void Progress::clear() {
    if (std::exchange(drawn_, false)) context_.screen << "\r\x1b[K" << std::flush;
}

void Progress::say(const std::string& text) {
    clear();
    context_.err << text << "\n" << std::flush;
}

}  // namespace heddle::app
