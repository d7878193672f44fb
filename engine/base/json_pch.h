// SPDX-License-Identifier: Apache-2.0
// Precompiled header of the libraries whose every file includes Json; it halves their compile time. Files still include what
// they use.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
