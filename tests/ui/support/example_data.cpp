// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/example_data.h"

#include <cmath>

namespace heddle::ui::test {
namespace {

QStringList words(const char* text) { return QString::fromUtf8(text).split(QLatin1Char(' ')); }

Curve curve(int id, const char* label, int order, LineRule rule, std::shared_ptr<const Series> rows) {
    Curve result;
    result.id = id;
    result.label = QString::fromUtf8(label);
    result.order = order;
    result.rule = rule;
    result.weight = order == 0 ? LineWeight::Baseline : LineWeight::Normal;
    result.smoothed = rule == LineRule::Solid;
    result.rows = std::move(rows);
    return result;
}

std::shared_ptr<const Series> accuracySeries(LossShape shape, double ceiling) {
    auto series = std::make_shared<Series>();
    for (Step step = shape.every; step <= shape.steps; step += shape.every)
        series->append(step, ceiling * (1 - std::exp(-double(step) / 1300)) * (1 - 0.18 * std::exp(-double(step) / 9000)) +
                                 shape.noise * bell(shape.seed, std::uint64_t(step)));
    return series;
}

std::vector<Histogram> histograms(double low, double high, double (*density)(double age, double x)) {
    std::vector<Histogram> all;
    for (int snapshot = 0; snapshot <= 50; ++snapshot) {
        Histogram histogram{Step(snapshot) * 227, low, high, std::vector<float>(64)};
        for (int bin = 0; bin < 64; ++bin) {
            const double x = low + (bin + 0.5) / 64 * (high - low);
            const double expected = density(snapshot / 50.0, x);
            histogram.counts[std::size_t(bin)] =
                float(std::floor(4000 * expected * (1 + 0.05 * bell(std::uint64_t(snapshot), std::uint64_t(bin)))));
        }
        all.push_back(std::move(histogram));
    }
    return all;
}

double hill(double x, double middle, double width) { return std::exp(-0.5 * std::pow((x - middle) / width, 2)) / width; }

}  // namespace

double noise(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed * 0x9E3779B97F4A7C15ULL + index * 0xD1B54A32D192ED03ULL + 0x632BE59BD9B4E019ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return double((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

double bell(std::uint64_t seed, std::uint64_t index) {
    double sum = -6;
    for (std::uint64_t i = 0; i < 12; ++i) sum += noise(seed, index * 12 + i);
    return sum;
}

std::shared_ptr<const Series> lossSeries(const LossShape& shape) {
    auto series = std::make_shared<Series>();
    for (Step step = shape.every; step <= shape.steps; step += shape.every) {
        const double t = double(step);
        const double mean = shape.floor + (shape.start - shape.floor) *
                                              (0.72 * std::exp(-t / 700) + 0.20 * std::exp(-t / 4200) + 0.08 / (1 + t / 2500));
        series->append(step, mean + shape.noise * bell(shape.seed, std::uint64_t(step)));
    }
    return series;
}

QList<Curve> lossCurves() {
    return {curve(1, "eau-base s4, train", 0, LineRule::Solid, lossSeries({8.9, 1.10, 0.11, 27240, 1, 11})),
            curve(2, "eau-base s4, valid", 0, LineRule::Valid, lossSeries({8.9, 1.76, 0.008, 27240, 227, 12})),
            curve(3, "eau-full s4, train", 1, LineRule::Solid, lossSeries({8.9, 1.03, 0.11, 11350, 1, 13})),
            curve(4, "eau-full s4, valid", 1, LineRule::Valid, lossSeries({8.9, 1.70, 0.008, 11350, 227, 14}))};
}

QList<Curve> accuracyCurves() {
    return {curve(1, "eau-base s4, train", 0, LineRule::Solid, accuracySeries({0, 0, 1.5, 27240, 10, 21}, 75)),
            curve(2, "eau-base s4, valid", 0, LineRule::Valid, accuracySeries({0, 0, 0.2, 27240, 227, 22}, 66)),
            curve(3, "eau-full s4, train", 1, LineRule::Solid, accuracySeries({0, 0, 1.5, 11350, 10, 23}, 77)),
            curve(4, "eau-full s4, valid", 1, LineRule::Valid, accuracySeries({0, 0, 0.2, 11350, 227, 24}, 68.5))};
}

MapData attention() {
    MapData map;
    map.rowLabels = words("<s> eine gruppe von männern lädt baumwolle auf einen lastwagen");
    map.columnLabels = words("a group of men are loading cotton onto a truck </s>");
    map.rows = int(map.rowLabels.size());
    map.columns = int(map.columnLabels.size());
    const int target[] = {0, 0, 1, 2, 3, 5, 6, 7, 8, 9};
    for (int row = 0; row < map.rows; ++row) {
        double sum = 0;
        std::vector<double> weights;
        for (int column = 0; column < map.columns; ++column) {
            const double weight =
                std::exp((column == target[row] ? 3.6 : 0) + 1.1 * bell(31, std::uint64_t(row * 20 + column)));
            weights.push_back(weight);
            sum += weight;
        }
        for (const double weight : weights) map.values.push_back(float(weight / sum));
    }
    return map;
}

MapData causalScores() {
    MapData map;
    map.rows = map.columns = 10;
    for (int row = 0; row < 10; ++row)
        for (int column = 0; column < 10; ++column) {
            map.values.push_back(float(2.2 * bell(37, std::uint64_t(row * 10 + column))));
            map.masked.push_back(column > row);
            map.rowLabels.resize(10);
            map.rowLabels[row] = QString::number(row);
        }
    map.values[5 * 10 + 2] = std::nanf("");
    return map;
}

MapData gatesBySite() {
    MapData map;
    map.rowLabels =
        words("enc.0.self enc.0.ffn enc.1.self enc.1.ffn dec.0.self dec.0.cross dec.0.ffn dec.1.self dec.1.cross dec.1.ffn");
    map.rowValues = words("0.60 0.45 0.67 0.40 0.57 0.82 0.42 0.52 0.86 0.34");
    map.columnLabels = words("0 11,350");
    map.columnTitle = QStringLiteral("step");
    map.rows = int(map.rowLabels.size());
    map.columns = 51;
    for (int row = 0; row < map.rows; ++row) {
        const double end = map.rowValues[row].toDouble();
        for (int column = 0; column < map.columns; ++column)
            map.values.push_back(
                float(0.5 + (end - 0.5) * (1 - std::exp(-column / 14.0)) + 0.012 * bell(41, std::uint64_t(row * 60 + column))));
    }
    return map;
}

MapData difference() {
    MapData map = attention();
    for (std::size_t i = 0; i < map.values.size(); ++i)
        map.values[i] = float(0.08 * bell(43, i) * std::sqrt(double(map.values[i]) * 8));
    return map;
}

std::vector<Histogram> gateHistograms() {
    return histograms(0, 1, [](double age, double x) {
        return (1 - 0.55 * age) * hill(x, 0.5, 0.07 + 0.22 * age) + 0.30 * age * hill(x, 0.5 - 0.38 * age, 0.05) +
               0.22 * age * hill(x, 0.5 + 0.42 * age, 0.05);
    });
}

std::vector<Histogram> signedHistograms() {
    return histograms(-1, 1, [](double age, double x) { return hill(x, 0.1 * age, 0.08 + 0.35 * age); });
}

BarData sparsity() {
    BarData data;
    data.order = 1;
    data.title = QStringLiteral("weights with |w| < 1e-3, %");
    data.runName = QStringLiteral("eau-full s4");
    data.referenceName = QStringLiteral("eau-base s4");
    const double values[] = {5.1, 7.9, 6.2, 4.4, 5.6, 9.3, 6.8, 4.9, 1.2, 2.7};
    const QStringList names = words(
        "encoder.attn encoder.eau encoder.grc encoder.ffn decoder.attn decoder.eau decoder.grc decoder.ffn embedding head");
    for (int i = 0; i < names.size(); ++i)
        data.bars.append({names[i], values[i], values[i] * (0.72 + 0.3 * noise(47, std::uint64_t(i)))});
    return data;
}

}  // namespace heddle::ui::test
