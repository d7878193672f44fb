// SPDX-License-Identifier: Apache-2.0
#include "engine/train/module_path.h"

namespace heddle {
namespace {

constexpr int kOfStack = 1, kOfPartOfStack = 2, kOfLayer = 3, kOfSlot = 5;  // words between dots

bool isInStack(const std::string& path) { return path.starts_with("encoder.") || path.starts_with("decoder."); }
bool isInLayer(const std::string& path) { return path.find(".layers.") != std::string::npos; }

std::string firstWords(const std::string& path, int words) {
    std::size_t end = 0;
    while (words-- > 0 && end != std::string::npos) end = path.find('.', end == 0 ? 0 : end + 1);
    return path.substr(0, end);
}

}  // namespace

std::string modulePath(const std::string& parameter) {
    if (!isInStack(parameter)) return firstWords(parameter, 1);
    return firstWords(parameter, isInLayer(parameter) ? kOfSlot : kOfPartOfStack);
}

std::vector<std::string> enclosingPaths(const std::string& parameter) {
    std::vector<std::string> paths;
    if (isInStack(parameter)) paths.push_back(firstWords(parameter, kOfStack));
    if (isInStack(parameter) && isInLayer(parameter)) paths.push_back(firstWords(parameter, kOfLayer));
    paths.push_back(modulePath(parameter));
    return paths;
}

}  // namespace heddle
