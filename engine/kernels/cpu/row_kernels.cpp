// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu/row_kernels.h"

#include "engine/device/draw_words.h"
#include "engine/kernels/cpu/row_vectors.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::rows {
namespace {

/// v ⊙ mask · scale: masks the bits of the product.
HEDDLE_INLINE void applyDrop(Floats& v, const std::uint32_t* words, const Drop& drop) {
    const Words drawn = *reinterpret_cast<const Words*>(words);
    const Words keep = (Words)(drawn >= drop.threshold);
    v = (Floats)((Words)(v * drop.scale) & keep);
}

/// The words of a row of `width` elements that begins with element `first`.
HEDDLE_INLINE const std::uint32_t* drawRow(const Drop& drop, std::int64_t first, std::int64_t width, std::uint32_t* room) {
    if (drop.threshold == 0) return nullptr;
    for (std::int64_t i = 0; i < width; i += philox::kWordsAtOnce)
        philox::drawWords(drop.stream, static_cast<std::uint64_t>(first + i) / 4, room + i);
    return room;
}

HEDDLE_INLINE void reluDropoutBody(const float* x, float* y, std::int64_t first, std::int64_t count, const Drop& drop) {
    std::uint32_t words[philox::kWordsAtOnce];
    for (std::int64_t done = 0; done < count; done += philox::kWordsAtOnce) {
        philox::drawWords(drop.stream, static_cast<std::uint64_t>(first + done) / 4, words);
        const std::int64_t n = count - done < philox::kWordsAtOnce ? count - done : philox::kWordsAtOnce;
        std::int64_t i = 0;
        for (; i + kLanes <= n; i += kLanes) {
            Floats v;
            load(x + done + i, v);
            v = v <= 0.0F ? Floats{} : v;
            applyDrop(v, words + i, drop);
            store(y + done + i, v);
        }
        for (; i < n; ++i) {
            const float v = x[done + i];
            y[done + i] = v <= 0.0F || words[i] < drop.threshold ? 0.0F : v * drop.scale;
        }
    }
}

HEDDLE_INLINE void reluDropoutBackwardBody(const float* y, const float* dy, float* dx, std::int64_t count, float scale) {
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Floats a, g;
        load(y + i, a), load(dy + i, g);
        store(dx + i, a == 0.0F ? Floats{} : g * scale);
    }
    for (; i < count; ++i) dx[i] = y[i] == 0.0F ? 0.0F : dy[i] * scale;
}

/// z of 16 elements; gate and branch as they entered it.
struct Summed {
    Floats z, branch, gate;
};
HEDDLE_INLINE void sumAt(const AddNorm& in, std::int64_t at, const std::uint32_t* words, Summed& out) {
    load(in.r + at, out.z), load(in.s + at, out.branch);
    if (words) applyDrop(out.branch, words, in.drop);
    if (in.gate) {
        load(in.gate + at, out.gate);
        sigmoid(out.gate);
        out.z += out.gate * out.branch;
    } else {
        out.z += out.branch;
    }
}

constexpr std::int64_t kWordsRoom = kWidestRow + philox::kWordsAtOnce;
static_assert(kWordsRoom * sizeof(std::uint32_t) <= 64 << 10, "more than a thread's stack should give");

HEDDLE_INLINE void addNormBody(const AddNorm& in, float* y, const RowMoments& kept, std::int64_t first, std::int64_t end) {
    alignas(64) std::uint32_t room[kWordsRoom];
    const std::int64_t width = in.width;
    for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t begin = row * width;
        const std::uint32_t* const words = drawRow(in.drop, begin, width, room);
        Floats sums{};
        Summed v;
        for (std::int64_t i = 0; i < width; i += kLanes) {
            sumAt(in, begin + i, words ? words + i : nullptr, v);
            sums += v.z;
            store(y + begin + i, v.z);
        }
        const float middle = total(sums) / static_cast<float>(width);
        Floats squares{};
        for (std::int64_t i = 0; i < width; i += kLanes) {
            load(y + begin + i, v.z);
            v.z -= middle;
            squares += v.z * v.z;
        }
        const float scale = static_cast<float>(1 / std::sqrt(total(squares) / static_cast<double>(width) + in.eps));
        for (std::int64_t i = 0; i < width; i += kLanes) {
            Floats w, b;
            load(y + begin + i, v.z), load(in.weight + i, w), load(in.bias + i, b);
            store(y + begin + i, (v.z - middle) * scale * w + b);
        }
        kept.mean[row] = middle;
        kept.inverse[row] = scale;
    }
}

HEDDLE_INLINE void addNormBackwardBody(const AddNorm& in, const float* dy, const RowMoments& kept, const AddNormGradients& out,
                                       std::int64_t first, std::int64_t end) {
    alignas(64) std::uint32_t room[kWordsRoom];
    alignas(64) float normed[kWordsRoom];
    const std::int64_t width = in.width;
    std::memset(out.weight, 0, static_cast<std::size_t>(width) * sizeof(float));
    std::memset(out.bias, 0, static_cast<std::size_t>(width) * sizeof(float));
    for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t begin = row * width;
        const std::uint32_t* const words = drawRow(in.drop, begin, width, room);
        Floats sums{}, products{};
        Summed v;
        for (std::int64_t i = 0; i < width; i += kLanes) {
            sumAt(in, begin + i, words ? words + i : nullptr, v);
            const Floats hat = (v.z - kept.mean[row]) * kept.inverse[row];
            Floats g, w, dw, db;
            load(dy + begin + i, g), load(in.weight + i, w), load(out.weight + i, dw), load(out.bias + i, db);
            store(out.weight + i, dw + g * hat);
            store(out.bias + i, db + g);
            store(normed + i, hat);
            g *= w;
            sums += g;
            products += g * hat;
        }
        const float m1 = total(sums) / static_cast<float>(width), m2 = total(products) / static_cast<float>(width);
        for (std::int64_t i = 0; i < width; i += kLanes) {
            Floats g, w, hat;
            load(dy + begin + i, g), load(in.weight + i, w), load(normed + i, hat);
            Floats dz = (g * w - m1 - hat * m2) * kept.inverse[row];
            store(out.r + begin + i, dz);
            if (in.gate) {
                sumAt(in, begin + i, words ? words + i : nullptr, v);
                store(out.gate + begin + i, dz * v.branch * v.gate * (1.0F - v.gate));
                dz *= v.gate;
            }
            if (words) applyDrop(dz, words + i, in.drop);
            store(out.s + begin + i, dz);
        }
    }
}

HEDDLE_INLINE RowLoss crossEntropyRowBody(const float* z, float* g, std::int64_t n, std::int64_t target, double smoothing,
                                          double scale) {
    const float chosen = z[target];
    const std::int64_t whole = n / kLanes * kLanes;
    Floats most = Floats{} - std::numeric_limits<float>::infinity(), logits{}, v;
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        load(z + i, v);
        most = v > most ? v : most;
        logits += v;
    }
    float maximum = -std::numeric_limits<float>::infinity(), logitSum = total(logits);
    for (int i = 0; i < kLanes; ++i) maximum = most[i] > maximum ? most[i] : maximum;
    for (std::int64_t i = whole; i < n; ++i) {
        maximum = z[i] > maximum ? z[i] : maximum;
        logitSum += z[i];
    }
    Floats sums{};
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        load(z + i, v);
        v -= maximum;
        exponential(v);
        sums += v;
        store(g + i, v);
    }
    double sum = total(sums);
    for (std::int64_t i = whole; i < n; ++i) {
        g[i] = std::exp(z[i] - maximum);
        sum += g[i];
    }
    const auto factor = static_cast<float>(scale / sum), less = static_cast<float>(scale * smoothing / static_cast<double>(n));
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        load(g + i, v);
        store(g + i, v * factor - less);
    }
    for (std::int64_t i = whole; i < n; ++i) g[i] = g[i] * factor - less;
    g[target] -= static_cast<float>(scale * (1 - smoothing));
    const double logSum = maximum + std::log(sum);
    return {logSum - chosen, logSum - static_cast<double>(logitSum) / static_cast<double>(n), chosen >= maximum};
}

HEDDLE_INLINE float largestOf(const float* z, std::int64_t n) {
    const std::int64_t whole = n / kLanes * kLanes;
    Floats most = Floats{} - std::numeric_limits<float>::infinity(), v;
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        load(z + i, v);
        most = v > most ? v : most;
    }
    float largest = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < kLanes; ++i) largest = most[i] > largest ? most[i] : largest;
    for (std::int64_t i = whole; i < n; ++i) largest = z[i] > largest ? z[i] : largest;
    return largest;
}

HEDDLE_INLINE double sumOfExponentials(const float* z, std::int64_t n, float maximum) {
    const std::int64_t whole = n / kLanes * kLanes;
    Floats sums{}, v;
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        load(z + i, v);
        v -= maximum;
        exponential(v);
        sums += v;
    }
    double sum = total(sums);
    for (std::int64_t i = whole; i < n; ++i) sum += std::exp(z[i] - maximum);
    return sum;
}

HEDDLE_INLINE RowChoice likeliestBody(const float* z, std::int64_t n, std::int64_t first, std::int64_t end) {
    const float before = largestOf(z, first), behind = largestOf(z + end, n - end), never = largestOf(z + first, end - first);
    const float best = before >= behind ? before : behind, maximum = never > best ? never : best;
    RowChoice choice{-1, best, maximum + std::log(sumOfExponentials(z, n, maximum))};
    for (std::int64_t i = before >= behind ? 0 : end; i < n && choice.index < 0; ++i)
        if (z[i] == best) choice.index = i;
    return choice;
}

}  // namespace

HEDDLE_KERNEL(void, reluDropout, (const float* x, float* y, std::int64_t first, std::int64_t count, const Drop& drop),
              (x, y, first, count, drop))
HEDDLE_KERNEL(void, reluDropoutBackward, (const float* y, const float* dy, float* dx, std::int64_t count, float scale),
              (y, dy, dx, count, scale))
HEDDLE_KERNEL(void, addNorm, (const AddNorm& in, float* y, const RowMoments& kept, std::int64_t first, std::int64_t end),
              (in, y, kept, first, end))
HEDDLE_KERNEL(void, addNormBackward,
              (const AddNorm& in, const float* dy, const RowMoments& kept, const AddNormGradients& out, std::int64_t first,
               std::int64_t end),
              (in, dy, kept, out, first, end))

HEDDLE_KERNEL(RowLoss, crossEntropyRow,
              (const float* logits, float* gradient, std::int64_t classes, std::int64_t target, double smoothing, double scale),
              (logits, gradient, classes, target, smoothing, scale))

HEDDLE_KERNEL(RowChoice, likeliest, (const float* logits, std::int64_t classes, std::int64_t first, std::int64_t end),
              (logits, classes, first, end))

}  // namespace heddle::rows
