// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/sequential.h"

#include "engine/analysis/distributions.h"
#include "engine/base/philox.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace heddle {
namespace {

constexpr std::size_t kStudies = 200'000;

/// Values of the normal distribution, always the same (Box and Muller 1958).
class Normals {
public:
    double next() {
        if (std::exchange(hasSecond_, false)) return second_;
        const philox::Block words = philox::draw({{0x5eed, 0x100c}, 0, 0}, block_++);
        const double radius = std::sqrt(-2 * std::log((words[0] + 0.5) / 4294967296.0));
        const double angle = 2 * std::numbers::pi * words[1] / 4294967296.0;
        second_ = radius * std::sin(angle);
        hasSecond_ = true;
        return radius * std::cos(angle);
    }

private:
    std::uint64_t block_ = 0;
    double second_ = 0;
    bool hasSecond_ = false;
};

/// Mean and squared deviations of values that come one by one (Welford 1962).
struct Running {
    double n = 0, mean = 0, squares = 0;
    void add(double value) {
        const double before = value - mean;
        mean += before / ++n;
        squares += before * (value - mean);
    }
};

double freedomAt(SeedTest test, std::size_t n) { return test == SeedTest::Paired ? double(n) - 1 : 2 * double(n) - 2; }

/// The smallest p of the looks of a study without a difference; 1 where none is below `alpha`.
double leastP(SeedTest test, const Looks& looks, double alpha, const std::vector<double>& critical, Normals& normals) {
    Running a, b;
    double least = alpha;
    for (std::size_t n = 1; n <= looks.last; ++n) {
        a.add(normals.next());
        if (test == SeedTest::Welch) b.add(normals.next());
        if (n < looks.first) continue;
        const double squares = a.squares + b.squares;
        const double t = std::abs(a.mean - b.mean) / std::sqrt(squares / (double(n - 1) * double(n)));
        if (t < critical[n - looks.first]) continue;  // Student's p is the smaller: neither is below alpha
        const double welch = double(n - 1) * squares * squares / (a.squares * a.squares + b.squares * b.squares);
        least = std::min(least, studentBothTails(t, test == SeedTest::Paired ? freedomAt(test, n) : welch));
    }
    return least < alpha ? least : 1;
}

/// The share `alpha` of the studies without a difference have a smaller least p.
double calibrate(SeedTest test, const Looks& looks, double alpha) {
    std::vector<double> critical;
    for (std::size_t n = looks.first; n <= looks.last; ++n)
        critical.push_back(studentQuantile(1 - alpha / 2, freedomAt(test, n)));
    Normals normals;
    std::vector<double> least(kStudies);
    for (double& p : least) p = leastP(test, looks, alpha, critical, normals);
    const auto at = least.begin() + std::ptrdiff_t(alpha * double(kStudies));
    std::nth_element(least.begin(), at, least.end());
    return std::min(*at, alpha);
}

}  // namespace

double levelOfLooks(SeedTest test, const Looks& looks, double alpha) {
    if (looks.first < 2 || looks.last < looks.first || looks.last > kMostSeeds || !(alpha > 0 && alpha < 1))
        throw std::invalid_argument("looks need 2 ≤ first ≤ last ≤ 200 and a level between 0 and 1");
    if (looks.first == looks.last) return alpha;
    static std::mutex mutex;
    static std::map<std::tuple<SeedTest, Looks, double>, double> known;
    const std::lock_guard lock(mutex);
    const auto [place, isNew] = known.try_emplace({test, looks, alpha}, 0);
    if (isNew) place->second = calibrate(test, looks, alpha);
    return place->second;
}

std::optional<double> conditionalPower(const SeedDifference& now, const Looks& looks, double worth, double level) {
    if (!now.p) return {};
    const auto n = double(std::min(now.n, now.nBaseline)), last = double(looks.last);
    const double critical = studentQuantile(1 - level / 2, freedomAt(now.test, looks.last));
    const double unit = now.error * std::sqrt(n);  // standard error of one seed's difference
    const double needed = critical * unit / std::sqrt(last);
    if (n >= last) return std::abs(now.difference) > needed ? 1 : 0;
    const double scatter = unit * std::sqrt(last - n) / last;
    const auto shows = [&](double truth) {
        const double expected = (n * now.difference + (last - n) * truth) / last;
        return normalProbability((expected - needed) / scatter) + normalProbability((-expected - needed) / scatter);
    };
    return std::max(shows(worth), shows(-worth));
}

std::optional<double> conditionalEquivalence(const SeedDifference& now, const Looks& looks, double margin, double level) {
    if (!now.p) return {};
    const auto n = double(std::min(now.n, now.nBaseline)), last = double(looks.last);
    const double unit = now.error * std::sqrt(n);  // standard error of one seed's difference
    const double room = margin - studentQuantile(1 - level, freedomAt(now.test, looks.last)) * unit / std::sqrt(last);
    if (room <= 0) return 0;
    if (n >= last) return std::abs(now.difference) < room ? 1 : 0;
    const double expected = n * now.difference / last, scatter = unit * std::sqrt(last - n) / last;
    return normalProbability((room - expected) / scatter) - normalProbability((-room - expected) / scatter);
}

}  // namespace heddle
