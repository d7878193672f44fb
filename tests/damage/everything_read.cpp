// SPDX-License-Identifier: Apache-2.0
#include "tests/damage/everything_read.h"

#include "storage/run_query.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>

namespace heddle::storage {
namespace {

/// Values separated by "|", numbers by their bits.
class Line {
public:
    explicit Line(const std::string& kind) { text_ << kind; }
    Line& operator<<(const std::string& value) {
        text_ << '|' << value;
        return *this;
    }
    Line& operator<<(double value) {
        text_ << '|' << std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
        return *this;
    }
    Line& operator<<(float value) {
        text_ << '|' << std::bit_cast<std::uint32_t>(value);
        return *this;
    }
    template <class T>
    requires std::is_integral_v<T> Line& operator<<(T value) {
        text_ << '|' << value;
        return *this;
    }
    template <class T>
    Line& operator<<(const std::vector<T>& values) {
        for (const auto& value : values) *this << value;
        return *this;
    }
    std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
};

class Reader {
public:
    Reader(RunQuery& query, Reading& reading) : query_(query), reading_(reading) {}

    void read() {
        tell([&] {
            for (const auto& run : query_.runs()) readRun(run);
        });
        for (const char* kind : {"variant", "colour", "pin", "data"})
            tell([&] {
                for (const auto& item : query_.items(kind))
                    if (!item.damaged) put(Line("item") << item.key << item.body);
            });
        for (const auto& damage : query_.damages()) reading_.damages.push_back(damage.text);
    }

private:
    /// Records an error as damage.
    void tell(const std::function<void()>& read) {
        try {
            read();
        } catch (const StorageError& error) {
            reading_.damages.emplace_back(error.what());
        }
    }
    void put(const Line& line) { reading_.lines.insert(line.text()); }

    void readRun(const RunRecord& r) {
        if (!r.damaged)
            put(Line("run") << r.id << r.name << r.state << r.reason << r.spec << r.variantHash << r.runHash << r.seed
                            << r.created << r.attempts << r.step << r.epoch << r.totalSteps << r.parameters << r.seconds
                            << r.lineage << r.group << r.tags << r.trashed << r.queued << r.edits);
        tell([&] { readRows(r.id); });
        tell([&] { readSeries(r.id); });
        tell([&] { readSnapshots(r.id); });
    }

    void readRows(const std::string& run) {
        for (const auto& a : query_.attempts(run))
            if (!a.damaged)
                put(Line("attempt") << run << a.attempt << a.started << a.seconds << a.firstStep << a.device << a.host
                                    << a.program << a.torch << a.threads << a.context << a.peakBytes << a.replay
                                    << a.replayedSteps);
        for (const auto& e : query_.evaluations(run))
            if (!e.damaged)
                put(Line("evaluation") << run << e.attempt << e.step << e.epoch << e.split << e.metric << e.signature << e.value
                                       << e.n << e.seconds);
        for (const auto& c : query_.checkpoints(run))
            if (!c.damaged)
                put(Line("checkpoint") << run << c.attempt << c.step << c.kind << c.folder << c.weightsSha256
                                       << c.optimizerSha256 << c.stateSha256 << c.bytes);
        std::set<std::int64_t> steps{-1};
        for (const auto& e : query_.events(run)) {
            if (!e.damaged) put(Line("event") << run << e.attempt << e.step << e.seconds << e.at << e.kind << e.text << e.data);
            steps.insert(e.step);
        }
        for (const auto& e : query_.evaluations(run)) steps.insert(e.step);
        for (const std::int64_t step : steps)
            for (const auto& s : query_.samples(run, step))
                if (!s.damaged)
                    put(Line("sample") << run << s.attempt << s.step << s.index << s.source << s.reference << s.hypothesis);
    }

    void readSeries(const std::string& run) {
        constexpr auto kFrom = std::numeric_limits<std::int64_t>::min(), kTo = std::numeric_limits<std::int64_t>::max();
        for (const auto& key : query_.series(run)) {
            if (!key.damaged) put(Line("series") << run << key.name << key.path << key.points << int{key.deterministic});
            for (const auto& point : query_.points(run, key.name, key.path, kFrom, kTo))
                put(Line("point") << run << key.name << key.path << point.step << point.value << point.attempt);
            for (const auto& b : query_.overview(run, key.name, key.path, kFrom, kTo, 64))
                reading_.overview.push_back((Line("bucket") << key.name << key.path << b.firstStep << b.lastStep << b.minimum
                                                            << b.maximum << b.mean << b.n)
                                                .text());
        }
    }

    void readSnapshots(const std::string& run) {
        for (const auto& which : query_.histogramIndex(run))
            tell([&] {
                const auto h = query_.histogram(run, which);
                if (h)
                    put(Line("histogram") << run << h->name << h->path << h->step << h->attempt << h->low << h->high << h->bins
                                          << h->below << h->above << h->notFinite << h->mean << h->deviation << h->minimum
                                          << h->maximum);
            });
        for (const auto& which : query_.mapIndex(run))
            tell([&] {
                const auto m = query_.map(run, which);
                if (m)
                    put(Line("map") << run << m->name << m->path << m->probe << m->step << m->attempt << m->heads << m->rows
                                    << m->columns << m->values << m->rowTokens << m->columnTokens);
            });
    }

    RunQuery& query_;
    Reading& reading_;
};

}  // namespace

Reading readEverything(const std::string& file) {
    Reading reading;
    try {
        const auto query = RunQuery::open(file);
        Reader(*query, reading).read();
    } catch (const StorageError& error) {
        reading.damages.emplace_back(error.what());
    }
    return reading;
}

std::string firstFalsehood(const Reading& before, const Reading& after) {
    std::vector<std::string> added;
    std::set_difference(after.lines.begin(), after.lines.end(), before.lines.begin(), before.lines.end(),
                        std::back_inserter(added));
    if (!added.empty()) return "shown as whole: " + added.front();
    if (!after.damages.empty()) return "";
    std::vector<std::string> lost;
    std::set_difference(before.lines.begin(), before.lines.end(), after.lines.begin(), after.lines.end(),
                        std::back_inserter(lost));
    if (!lost.empty()) return "left out without a word: " + lost.front();
    return before.overview == after.overview ? "" : "an overview differs without a word";
}

}  // namespace heddle::storage
