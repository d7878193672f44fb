// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// A temporary folder ($TMPDIR, else /tmp) that only this user can enter. The destructor removes it with its contents; the
/// standard library has no such folder. The constructor throws Error(Failure) when it cannot be created.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    /// The path of the entry of this name.
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace heddle
