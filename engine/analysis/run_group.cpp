// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/run_group.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/run_spec.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace heddle {
namespace {

constexpr std::array<std::string_view, 5> kTopLevel{"train", "data", "variant", "evaluate", "record"};
constexpr std::string_view kSeparators = "-_ .,", kDigits = "0123456789";

/// Training first: what is varied most often; settings of single layers after those of the whole.
std::tuple<bool, std::size_t> settingRankOf(const std::string& path) {
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

std::string textOf(const Json& value) {
    if (value.is_null()) return "–";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "lr 0.01", or "valid.source dev.tsv (1f2e3d4c)" where files differ in their contents.
std::string textOf(const Distinction& distinction) {
    const std::string path = shortPath(distinction.path);
    std::string value = textOf(distinction.value);
    if (distinction.content.empty()) return path + ' ' + value;
    return path + ' ' + value.substr(value.find_last_of('/') + 1) + " (" + distinction.content.substr(0, 8) + ')';
}

std::string joined(const std::string& name, const std::vector<Distinction>& distinctions) {
    std::string text = name;
    for (const Distinction& distinction : distinctions) text += (text.empty() ? "" : " · ") + textOf(distinction);
    return text;
}

std::vector<SpecDifference> rankedDifferences(const std::vector<Json>& documents, const std::vector<FileContents>& contents) {
    auto differences = diffDocuments(documents, contents);
    std::stable_sort(differences.begin(), differences.end(),
                     [](const auto& a, const auto& b) { return settingRankOf(a.path) < settingRankOf(b.path); });
    return differences;
}

Distinction distinctionOf(const SpecDifference& difference, std::size_t i) {
    return {difference.path, difference.values[i], difference.contents.empty() ? std::string() : difference.contents[i]};
}

/// How many groups have all these settings as group `one` has them, which is one of them.
std::size_t alike(const std::vector<SpecDifference>& settings, std::size_t one, std::size_t groups) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < groups; ++i)
        count += std::all_of(settings.begin(), settings.end(),
                             [&](const auto& setting) { return distinctionOf(setting, i) == distinctionOf(setting, one); });
    return count;
}

/// The first differing settings that set one group apart from all the others; a setting that adds nothing is left out.
std::vector<Distinction> setOneApart(const std::vector<SpecDifference>& differences, std::size_t one, std::size_t groups) {
    std::vector<SpecDifference> chosen;
    std::size_t left = groups;
    for (const SpecDifference& difference : differences) {
        chosen.push_back(difference);
        const std::size_t now = alike(chosen, one, groups);
        if (now == left) chosen.pop_back();
        left = now;
    }
    for (std::size_t i = 0; i < chosen.size();) {  // what later ones made needless
        auto without = chosen;
        without.erase(without.begin() + std::ptrdiff_t(i));
        if (alike(without, one, groups) == left)
            chosen = std::move(without);
        else
            ++i;
    }
    std::vector<Distinction> apart;
    for (const SpecDifference& setting : chosen) apart.push_back(distinctionOf(setting, one));
    return apart;
}

/// The documents and contents of the groups at `places`.
std::pair<std::vector<Json>, std::vector<FileContents>> settingsAt(const std::vector<std::size_t>& places,
                                                                   const GroupSettings& settingsOf) {
    std::pair<std::vector<Json>, std::vector<FileContents>> all;
    for (const std::size_t place : places) {
        auto [document, contents] = settingsOf(place);
        all.first.push_back(std::move(document));
        all.second.push_back(std::move(contents));
    }
    return all;
}

void nameUnnamed(std::vector<std::string>& names, const std::vector<GroupToName>& groups, const GroupSettings& settingsOf) {
    if (std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); })) return;
    std::vector<std::size_t> all(groups.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto [documents, contents] = settingsAt(all, settingsOf);
    const auto differences = rankedDifferences(documents, contents);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].empty()) continue;
        names[i] = joined("", setOneApart(differences, i, groups.size()));
        if (names[i].empty()) names[i] = groups[i].firstRun;
    }
}

/// The places of each name that several groups have.
std::vector<std::vector<std::size_t>> namesakes(const std::vector<std::string>& names) {
    std::map<std::string, std::vector<std::size_t>> named;
    for (std::size_t i = 0; i < names.size(); ++i) named[names[i]].push_back(i);
    std::vector<std::vector<std::size_t>> several;
    for (const auto& [name, places] : named)
        if (places.size() > 1 && !name.empty()) several.push_back(places);
    return several;
}

}  // namespace

std::string groupKey(const std::string& spec, const std::string& runHash,
                     const std::function<std::vector<std::string>()>& dataHashes) {
    if (const auto foreign = foreignSpec(spec)) return foreign->groupKey();
    if (runHash.empty()) return plannedKey(spec);
    if (spec.find("\"threads\"") == std::string::npos) return runHash;  // then run and group have one hash
    try {
        return RunSpec::parse(parseJson(spec, "spec"), builtinCatalogue()).groupHash(dataHashes());
    } catch (const Error&) {  // of a newer program: its runs are seeds of each other where their hashes are equal
        return runHash;
    }
}

std::string plannedKey(const std::string& spec) {
    if (const auto foreign = foreignSpec(spec)) return foreign->groupKey();
    Json document;
    try {
        document = parseJson(spec, "spec");
    } catch (const Error&) {  // damaged: equal only to itself
        return "planned " + sha256Hex(spec);
    }
    if (document.is_object())
        document = withoutMarked(std::move(document), {FieldSchema::Role::Label, FieldSchema::Role::OwnBits});
    return "planned " + sha256Hex(canonicalJson(document));
}

void PlannedGroups::add(const std::string& planned, const std::string& group, double created) {
    const auto [place, isNew] = newest_.try_emplace(planned, created, group);
    if (!isNew && place->second.first < created) place->second = {created, group};
}

std::string PlannedGroups::of(const std::string& planned) const {
    const auto found = newest_.find(planned);
    return found == newest_.end() ? planned : found->second.second;
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
    const auto differences = rankedDifferences(documents, contents);
    std::vector<std::vector<Distinction>> all(documents.size());
    std::vector<std::string> apart(documents.size());
    for (const SpecDifference& difference : differences)
        if (separates(difference, apart))
            for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(distinctionOf(difference, i));
    return all;
}

std::vector<std::string> groupNames(const std::vector<GroupToName>& groups, const GroupSettings& settingsOf) {
    std::vector<std::string> names;
    for (const GroupToName& group : groups) {
        std::vector<std::string> given;
        std::copy_if(group.names.begin(), group.names.end(), std::back_inserter(given),
                     [](const std::string& name) { return !name.empty(); });
        names.push_back(sharedName(given));
    }
    for (const auto& places : namesakes(names)) {
        const auto [documents, contents] = settingsAt(places, settingsOf);
        const auto apart = setApart(documents, contents);
        for (std::size_t i = 0; i < places.size(); ++i) names[places[i]] = joined(names[places[i]], apart[i]);
    }
    nameUnnamed(names, groups, settingsOf);
    constexpr std::size_t kShownOfKey = 6;
    for (const auto& places : namesakes(names))
        for (const std::size_t place : places) {
            const std::string& key = groups[place].key;
            names[place] += " · " + key.substr(key.size() - std::min(key.size(), kShownOfKey));
        }
    return names;
}

std::string shortPath(const std::string& path) {
    const auto dot = path.find('.');
    const bool isKnown =
        dot != std::string::npos && std::find(kTopLevel.begin(), kTopLevel.end(), path.substr(0, dot)) != kTopLevel.end();
    return isKnown ? path.substr(dot + 1) : path;
}

}  // namespace heddle
