// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/distributions.h"

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <cmath>
#include <cstdint>

namespace heddle {

double combinations(std::size_t n, std::size_t k) {
    return boost::math::binomial_coefficient<double>(static_cast<unsigned>(n), static_cast<unsigned>(k));
}

double normalProbability(double x) { return boost::math::cdf(boost::math::normal(), x); }
double normalQuantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

double studentQuantile(double p, double freedom) { return boost::math::quantile(boost::math::students_t(freedom), p); }

double studentUpperTail(double t, double freedom) {
    return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

double studentBothTails(double t, double freedom) { return 2 * studentUpperTail(std::abs(t), freedom); }

double studentPower(double shift, double freedom, double alpha) {
    const double critical = studentQuantile(1 - alpha / 2, freedom);
    const boost::math::non_central_t shifted(freedom, shift);
    return boost::math::cdf(boost::math::complement(shifted, critical)) + boost::math::cdf(shifted, -critical);
}

std::optional<double> studentShift(double power, double freedom, double alpha) {
    if (studentQuantile(1 - alpha / 2, freedom) > 1000) return {};
    const auto lacks = [&](double shift) { return studentPower(shift, freedom, alpha) - power; };
    double high = 1;
    while (lacks(high) < 0) high *= 2;
    std::uintmax_t tries = 100;
    const auto [from, to] = boost::math::tools::toms748_solve(lacks, high > 1 ? high / 2 : 0.0, high,
                                                              boost::math::tools::eps_tolerance<double>(40), tries);
    return (from + to) / 2;
}

}  // namespace heddle
