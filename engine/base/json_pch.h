// SPDX-License-Identifier: Apache-2.0
// Precompiled for the libraries whose every file sees Json: halves what compiling them takes. Nothing may rely on it: a file
// includes what it uses.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
