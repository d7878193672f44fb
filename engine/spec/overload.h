// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle {

/// Several callables as one, for std::visit: an alternative that none of them takes does not compile.
template <class... Cases>
struct Overload : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;  // clang 14 does not deduce it for an aggregate

}  // namespace heddle
