// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle {

/// Combines callables for std::visit. An alternative without a matching callable does not compile.
template <class... Cases>
struct Overload : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;  // clang 14 does not deduce it for aggregates

}  // namespace heddle
