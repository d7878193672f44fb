// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::app {

/// Absolute folder of the running program, links resolved. Throws Error(Failure) where the system does not say it.
std::string programFolder();

/// $XDG_CACHE_HOME/heddle, else ~/.cache/heddle: encoded corpora and trained tokenizers by content hash.
std::string defaultCacheFolder();

/// $XDG_STATE_HOME/heddle, else ~/.local/state/heddle: the window's state and logs.
std::string defaultStateFolder();

/// $XDG_DATA_HOME/heddle, else ~/.local/share/heddle: the default run database.
std::string defaultDataFolder();

/// Value of an environment variable, or empty.
std::string environment(const char* name);

}  // namespace heddle::app
