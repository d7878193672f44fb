// SPDX-License-Identifier: Apache-2.0
#include "app/study/asked_study.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

/// The keys in which two studies differ, "question" aside.
std::vector<std::string> differingKeys(const Json& a, const Json& b) {
    std::vector<std::string> keys;
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
        for (const auto& [key, value] : one->items())
            if (key != "question" && other->value(key, Json()) != value &&
                std::find(keys.begin(), keys.end(), key) == keys.end())
                keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

}  // namespace

Json AskedStudy::toJson() const {
    Json all = Json::array();
    for (const StudyChange& change : changes)
        all.push_back({{"at", change.at}, {"ended", change.ended}, {"keys", change.keys}});
    return {{"study", study}, {"folder", folder}, {"asked", asked}, {"ended", ended}, {"changes", std::move(all)}};
}

std::optional<AskedStudy> AskedStudy::parse(const Json& body) {
    try {
        AskedStudy asked{body.at("study"), body.at("folder"), body.at("asked"), body.at("ended"), {}};
        if (!asked.study.is_object()) return {};
        for (const Json& change : body.at("changes"))
            asked.changes.push_back({change.at("at"), change.at("ended"), change.at("keys")});
        return asked;
    } catch (const Json::exception&) {
        return {};
    }
}

std::string studyKey(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::optional<AskedStudy> findAsked(storage::RunQuery& query, const std::string& key) {
    for (const auto& item : query.items(kStudyItem))
        if (item.key == key && !item.damaged) return AskedStudy::parse(Json::parse(item.body, nullptr, false));
    return {};
}

AskedStudy askedAgain(const std::optional<AskedStudy>& before, AskedStudy now) {
    if (!before) return now;
    const auto keys = differingKeys(before->study, now.study);
    now.changes = before->changes;
    if (!keys.empty() && before->ended > 0) now.changes.push_back({now.asked, before->ended, keys});
    now.asked = before->asked;
    now.ended = std::max(before->ended, now.ended);
    return now;
}

}  // namespace heddle::app
