// SPDX-License-Identifier: Apache-2.0
#include "storage/records.h"

#include <chrono>
#include <cstdint>
#include <random>

namespace heddle::storage {

namespace {
constexpr std::string_view kHexadecimal = "0123456789abcdef";
constexpr std::size_t kIdDigits = 12;

std::string sentence(const std::string& what, const std::string& where, const std::string& next) {
    return what + (where.empty() ? "" : " (" + where + ")") + (next.empty() ? "" : ": " + next);
}
}  // namespace

StorageError::StorageError(Kind kind, std::string what, std::string where, std::string next)
    : std::runtime_error(sentence(what, where, next)),
      kind_(kind),
      problem_(std::move(what)),
      where_(std::move(where)),
      next_(std::move(next)) {}

double unixTime() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string newRunId() {
    std::random_device random;
    std::uint64_t bits = std::uint64_t{random()} << 32 | random();
    std::string id(kIdDigits, '0');
    for (char& digit : id) digit = kHexadecimal[bits % kHexadecimal.size()], bits /= kHexadecimal.size();
    return id;
}

bool isRunId(std::string_view text) {
    return text.size() == kIdDigits && text.find_first_not_of(kHexadecimal) == std::string_view::npos;
}

bool isAverage(std::string_view kind) {
    constexpr std::string_view kPrefix = "average-";
    constexpr std::size_t kLongestName = 255;  // of a folder
    if (!kind.starts_with(kPrefix) || kind.size() > kLongestName) return false;
    const std::string_view steps = kind.substr(kPrefix.size());
    return !steps.empty() && steps.front() != '-' && steps.back() != '-' && steps.find("--") == std::string_view::npos &&
           steps.find_first_not_of("0123456789-") == std::string_view::npos;
}

std::string checkpointFolder(const std::string& run, std::int64_t step, std::string_view kind) {
    return run + "/" + (isAverage(kind) ? std::string(kind) : "step-" + std::to_string(step));
}

bool startsBefore(const RunRecord& a, const RunRecord& b) { return a.queued != b.queued ? a.queued < b.queued : a.id < b.id; }

}  // namespace heddle::storage
