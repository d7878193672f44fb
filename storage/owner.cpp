// SPDX-License-Identifier: Apache-2.0
#include "storage/owner.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <unistd.h>

#include <array>
#include <charconv>
#include <climits>
#include <ctime>
#include <optional>

namespace heddle::storage {
namespace {

/// Cuts what follows the last `mark` off `text` and returns it.
std::optional<std::string> cutBehind(std::string& text, const std::string& mark) {
    const auto at = text.rfind(mark);
    if (at == std::string::npos) return std::nullopt;
    std::string behind = text.substr(at + mark.size());
    text.resize(at);
    return behind;
}

}  // namespace

std::string hostName() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Owner Owner::here(const std::string& program) {
    return {program.empty() ? "a program" : program, ::getpid(), hostName(),
            fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))};
}

Owner Owner::parse(const std::string& text) {
    std::string rest = text;
    const auto since = cutBehind(rest, ", since "), host = cutBehind(rest, " on "), pid = cutBehind(rest, ", pid ");
    Owner owner{rest, 0, host.value_or(""), since.value_or("")};
    if (!since || !host || !pid || rest.empty()) return {text, 0, "", ""};
    const auto [end, error] = std::from_chars(pid->data(), pid->data() + pid->size(), owner.pid);
    const bool isNumber = error == std::errc() && end == pid->data() + pid->size() && owner.pid > 0;
    return isNumber ? owner : Owner{text, 0, "", ""};
}

bool Owner::isThisProcess() const { return pid == ::getpid() && host == hostName(); }

std::string Owner::shortText() const { return pid > 0 ? fmt::format("{}, pid {}", program, pid) : program; }

std::string Owner::text() const { return pid > 0 ? fmt::format("{} on {}, since {}", shortText(), host, since) : program; }

}  // namespace heddle::storage
