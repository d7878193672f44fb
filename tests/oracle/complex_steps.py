# SPDX-License-Identifier: Apache-2.0
"""Gradients by complex steps: exact to rounding where every operation takes complex numbers and decides by their real part."""


def real(values):
    return [real(one) for one in values] if isinstance(values, list) else complex(values).real


def gradient(values, measure):
    """Returns the derivatives of measure(values) by each number of the nested list, as a list of the same shape."""
    step = 1e-30

    def at(inner, replaced):
        if not isinstance(inner, list):
            return measure(replaced(inner + step * 1j)).imag / step
        return [
            at(one, lambda new, n=n, inner=inner, replaced=replaced: replaced(inner[:n] + [new] + inner[n + 1 :]))
            for n, one in enumerate(inner)
        ]

    return at(values, lambda new: new)
