// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/word_alignment.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"

#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <system_error>

namespace heddle {
namespace {

std::optional<std::int64_t> numberIn(const std::string& digits) {
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, problem] = std::from_chars(digits.data(), end, number);
    if (digits.empty() || problem != std::errc() || stopped != end || number < 0) return std::nullopt;
    return number;
}

}  // namespace

GoldAlignment parseAlignment(const std::string& line, const std::string& where) {
    GoldAlignment gold;
    std::istringstream words(line);
    for (std::string link; words >> link;) {
        const auto mark = link.find_first_of("-?p");
        const auto source = numberIn(link.substr(0, mark));
        const auto target = mark == std::string::npos ? std::nullopt : numberIn(link.substr(mark + 1));
        if (!source || !target)
            throwInvalid("\"" + printable(link) + "\" is no link of two words", where,
                         "write a sure link as 0-2 and a possible one as 0?2, source first, counted from 0");
        gold.possible.insert({*source, *target});
        if (link[mark] == '-') gold.sure.insert({*source, *target});
    }
    return gold;
}

void AlignmentCounts::add(const std::set<WordLink>& predicted, const GoldAlignment& gold) {
    links += std::ssize(predicted);
    sure += std::ssize(gold.sure);
    for (const WordLink& link : predicted) {
        sureFound += gold.sure.contains(link) ? 1 : 0;
        possibleFound += gold.possible.contains(link) ? 1 : 0;
    }
}

double AlignmentCounts::errorRate() const {
    if (links + sure == 0) return std::numeric_limits<double>::quiet_NaN();
    return 1 - static_cast<double>(sureFound + possibleFound) / static_cast<double>(links + sure);
}

}  // namespace heddle
