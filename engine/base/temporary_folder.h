// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// An empty folder below the system's temporary one ($TMPDIR, else /tmp), which only this user can enter. It is removed with
/// all that is in it at the end. The constructor throws Error(Failure) where no folder can be made.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// The path of what has this name in the folder.
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace heddle
