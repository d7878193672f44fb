// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/run_group.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace heddle {
namespace {

constexpr std::array<std::string_view, 5> kTopLevel{"train", "data", "variant", "evaluate", "record"};
constexpr std::string_view kSeparators = "-_ .,", kDigits = "0123456789";

/// Training first: what is varied most often; settings of single layers after those of the whole.
std::tuple<bool, std::size_t> rankOf(const std::string& path) {
    const std::string top = path.substr(0, path.find('.'));
    const auto place = std::find(kTopLevel.begin(), kTopLevel.end(), top);
    return {path.find(".layers.") != std::string::npos, static_cast<std::size_t>(place - kTopLevel.begin())};
}

std::string withoutTrailing(const std::string& text, std::string_view characters) {
    return text.substr(0, text.find_last_not_of(characters) + 1);
}

/// "full" of "full-s1", "deep" of "deep, seed 2", "d128" of "d128".
std::string withoutSeed(const std::string& name) {
    const std::string numberless = withoutTrailing(name, kDigits), stem = withoutTrailing(numberless, kSeparators);
    for (const std::string_view word : {"seed", "s"}) {
        if (!stem.ends_with(word)) continue;
        const std::string before = stem.substr(0, stem.size() - word.size());
        std::string bare = withoutTrailing(before, kSeparators);
        if (bare.size() < before.size()) return bare;
    }
    return stem.size() < numberless.size() ? stem : name;
}

/// The length of what two texts share, in whole UTF-8 characters.
std::size_t sharedLength(const std::string& a, const std::string& b) {
    auto length = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    const auto isInside = [&](std::size_t at) { return at < a.size() && (static_cast<unsigned char>(a[at]) & 0xC0U) == 0x80U; };
    while (length > 0 && isInside(length)) --length;
    return length;
}

/// Adds what a difference says to the texts that tell the groups apart, if it tells more of them apart.
bool separates(const SpecDifference& difference, std::vector<std::string>& apart) {
    std::vector<std::string> more = apart;
    for (std::size_t i = 0; i < more.size(); ++i)
        more[i] += '\n' + difference.values[i].dump() + (difference.contents.empty() ? "" : difference.contents[i]);
    const auto distinct = [](const std::vector<std::string>& texts) { return std::set(texts.begin(), texts.end()).size(); };
    if (distinct(more) <= distinct(apart)) return false;
    apart = std::move(more);
    return true;
}

}  // namespace

std::string groupKey(const std::string& spec, const std::string& runHash,
                     const std::function<std::vector<std::string>()>& dataHashes) {
    if (runHash.empty()) return plannedKey(spec);
    if (spec.find("\"threads\"") == std::string::npos) return runHash;  // then run and group have one hash
    try {
        return RunSpec::parse(parseJson(spec, "spec"), builtinCatalogue()).groupHash(dataHashes());
    } catch (const Error&) {  // of a newer program: its runs are seeds of each other where their hashes are equal
        return runHash;
    }
}

std::string plannedKey(const std::string& spec) {
    Json document;
    try {
        document = parseJson(spec, "spec");
    } catch (const Error&) {  // damaged: equal only to itself
        return "planned " + sha256Hex(spec);
    }
    if (document.is_object()) {
        for (const char* label : {"seed", "name"}) document.erase(label);
        if (const auto train = document.find("train"); train != document.end() && train->is_object()) {
            for (const char* label : {"device", "threads"}) train->erase(label);
            if (train->empty()) document.erase(train);
        }
    }
    return "planned " + sha256Hex(canonicalJson(document));
}

std::vector<std::string> dataHashesIn(const std::string& context) {
    const Json document = Json::parse(context, nullptr, false);
    if (!document.is_object()) return {};
    const Json hashes = document.value("data_hashes", Json());
    const bool areTexts =
        hashes.is_array() && std::all_of(hashes.begin(), hashes.end(), [](const Json& hash) { return hash.is_string(); });
    return areTexts ? hashes.get<std::vector<std::string>>() : std::vector<std::string>{};
}

std::vector<std::size_t> countedRuns(const std::vector<GroupMember>& members) {
    const auto isWhole = [](const GroupMember& member) { return member.completed && !member.intervened; };
    const bool anyWhole = std::any_of(members.begin(), members.end(), isWhole);
    std::map<std::uint64_t, std::size_t> newest;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const GroupMember& member = members[i];
        if (anyWhole ? !isWhole(member) : member.intervened && members.size() > 1) continue;
        const auto [place, isFirst] = newest.emplace(member.seed, i);
        const GroupMember& other = members[place->second];
        if (!isFirst && std::tie(other.created, other.id) < std::tie(member.created, member.id)) place->second = i;
    }
    std::vector<std::size_t> counted;
    for (const auto& [seed, place] : newest) counted.push_back(place);
    std::sort(counted.begin(), counted.end());
    return counted;
}

std::string sharedName(const std::vector<std::string>& names) {
    if (names.empty()) return {};
    const std::string& first = names.front();
    if (std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == first; })) return first;
    std::string shared = first;
    for (const std::string& name : names) shared.resize(sharedLength(shared, name));
    if (2 * shared.size() < first.size()) return first;
    const std::string stem = withoutSeed(shared);
    return stem.empty() ? first : stem;
}

std::vector<std::vector<Distinction>> setApart(const std::vector<Json>& documents, const std::vector<FileContents>& contents) {
    auto differences = diffDocuments(documents, contents);
    std::stable_sort(differences.begin(), differences.end(),
                     [](const auto& a, const auto& b) { return rankOf(a.path) < rankOf(b.path); });
    std::vector<std::vector<Distinction>> all(documents.size());
    std::vector<std::string> apart(documents.size());
    for (const SpecDifference& difference : differences)
        if (separates(difference, apart))
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i].push_back({difference.path, difference.values[i],
                                  difference.contents.empty() ? std::string() : difference.contents[i]});
    return all;
}

std::string shortPath(const std::string& path) {
    const auto dot = path.find('.');
    const bool isKnown =
        dot != std::string::npos && std::find(kTopLevel.begin(), kTopLevel.end(), path.substr(0, dot)) != kTopLevel.end();
    return isKnown ? path.substr(dot + 1) : path;
}

}  // namespace heddle
