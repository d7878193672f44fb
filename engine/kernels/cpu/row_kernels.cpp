// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu/row_kernels.h"

#include "engine/device/draw_words.h"
#include "engine/kernels/cpu/row_vectors.h"

#include <cmath>
#include <limits>

namespace heddle::rows {
namespace {

/// v ⊙ mask · scale: masks the bits of the product.
HEDDLE_INLINE void applyDrop(Floats& v, const std::uint32_t* words, const Drop& drop) {
    const Words drawn = *reinterpret_cast<const Words*>(words);
    const Words keep = (Words)(drawn >= drop.threshold);
    v = (Floats)((Words)(v * drop.scale) & keep);
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
HEDDLE_KERNEL(RowChoice, likeliest, (const float* logits, std::int64_t classes, std::int64_t first, std::int64_t end),
              (logits, classes, first, end))

}  // namespace heddle::rows
