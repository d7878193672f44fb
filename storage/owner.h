// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle::storage {

/// The name of this machine; "unknown" if the system does not tell it.
std::string hostName();

/// A program that writes a database, as FILE.heddle.lock says it.
struct Owner {
    std::string program;   ///< "heddle train"; empty: nobody
    std::int64_t pid = 0;  ///< 0: not known
    std::string host;
    std::string since;  ///< "2026-07-28 09:00:00 UTC"

    /// This process under that name, from now on.
    static Owner here(const std::string& program);
    /// The owner that text() wrote; a text of another form becomes the program.
    static Owner parse(const std::string& text);

    bool empty() const { return program.empty(); }
    bool isThisProcess() const;
    /// "heddle train, pid 123"
    std::string shortText() const;
    /// "heddle train, pid 123 on host, since 2026-07-28 09:00:00 UTC"
    std::string text() const;
    bool operator==(const Owner&) const = default;
};

}  // namespace heddle::storage
