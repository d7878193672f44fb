// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::test {

/// While it lives, system calls of one kind on files below a folder fail as those of a full disk, a quota or a faulty disk do.
/// The test program defines the calls itself, before the C library does, so that everything it links is refused alike. One at a
/// time.
class FailingCalls {
public:
    /// `call`: mkdir, open, read, write, fsync, rename or statvfs. The first `before` of them succeed and, of those after them,
    /// the first `count` fail with `error`.
    FailingCalls(const std::string& folder, const std::string& call, int error, int before = 0, int count = 1'000'000);
    ~FailingCalls();
    FailingCalls(const FailingCalls&) = delete;
    FailingCalls& operator=(const FailingCalls&) = delete;

    int failed() const;  ///< calls so far that failed
};

}  // namespace heddle::test
