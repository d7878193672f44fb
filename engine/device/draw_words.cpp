// SPDX-License-Identifier: Apache-2.0
#include "engine/device/draw_words.h"

#if defined(__x86_64__)
#include <immintrin.h>
// g++ 12 warns about its own AVX-512 header (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace heddle::philox {

namespace {

constexpr int kBlocksAtOnce = kWordsAtOnce / 4;

void drawWordsPortable(const Stream& stream, std::uint64_t firstBlock, std::uint32_t* words) {
    for (std::uint64_t i = 0; i < kBlocksAtOnce; ++i) {
        const Block drawn = draw(stream, firstBlock + i);
        for (std::size_t w = 0; w < drawn.size(); ++w) words[4 * i + w] = drawn[w];
    }
}

#if defined(__x86_64__)
// Both functions hold one block in each 64-bit lane. The multiply reads only the low half of a lane, so the high halves need no
// clearing until the words are packed. (Code that g++ 12 vectorises itself is 4 to 8 times slower.)

__attribute__((target("avx2"))) void drawWordsAvx2(const Stream& stream, std::uint64_t firstBlock, std::uint32_t* words) {
    constexpr int kVectors = kBlocksAtOnce / 4;
    const __m256i m0 = _mm256_set1_epi64x(kMultiplier0), m1 = _mm256_set1_epi64x(kMultiplier1);
    __m256i c0[kVectors], c1[kVectors], c2[kVectors], c3[kVectors];
    for (int v = 0; v < kVectors; ++v) {
        const __m256i block =
            _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(firstBlock) + 4 * v), _mm256_setr_epi64x(0, 1, 2, 3));
        c0[v] = block;
        c1[v] = _mm256_srli_epi64(block, 32);
        c2[v] = _mm256_set1_epi64x(stream.word2);
        c3[v] = _mm256_set1_epi64x(stream.word3);
    }
    Key k = stream.key;
    for (int round = 0; round < kRounds; ++round, k = nextKey(k)) {
        const __m256i k0 = _mm256_set1_epi64x(k[0]), k1 = _mm256_set1_epi64x(k[1]);
        for (int v = 0; v < kVectors; ++v) {
            const __m256i p0 = _mm256_mul_epu32(c0[v], m0), p1 = _mm256_mul_epu32(c2[v], m1);
            c0[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1[v]), k0);
            c2[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3[v]), k1);
            c1[v] = p1;
            c3[v] = p0;
        }
    }
    for (int v = 0; v < kVectors; ++v) {
        const __m256i w01 = _mm256_blend_epi32(c0[v], _mm256_slli_epi64(c1[v], 32), 0b10101010);
        const __m256i w23 = _mm256_blend_epi32(c2[v], _mm256_slli_epi64(c3[v], 32), 0b10101010);
        const __m256i even = _mm256_unpacklo_epi64(w01, w23), odd = _mm256_unpackhi_epi64(w01, w23);  // blocks 0 2, blocks 1 3
        auto* const out = reinterpret_cast<__m256i*>(words + 16 * v);
        _mm256_storeu_si256(out, _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(even, odd, 0x31));
    }
}

__attribute__((target("avx512f"))) void drawWordsAvx512(const Stream& stream, std::uint64_t firstBlock, std::uint32_t* words) {
    constexpr int kVectors = kBlocksAtOnce / 8, kXor3 = 0x96;
    const __m512i m0 = _mm512_set1_epi64(kMultiplier0), m1 = _mm512_set1_epi64(kMultiplier1);
    __m512i c0[kVectors], c1[kVectors], c2[kVectors], c3[kVectors];
    for (int v = 0; v < kVectors; ++v) {
        const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        c0[v] = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(firstBlock) + 8 * v), lane);
        c1[v] = _mm512_srli_epi64(c0[v], 32);
        c2[v] = _mm512_set1_epi64(stream.word2);
        c3[v] = _mm512_set1_epi64(stream.word3);
    }
    Key k = stream.key;
    for (int round = 0; round < kRounds; ++round, k = nextKey(k)) {
        const __m512i k0 = _mm512_set1_epi64(k[0]), k1 = _mm512_set1_epi64(k[1]);
        for (int v = 0; v < kVectors; ++v) {
            const __m512i p0 = _mm512_mul_epu32(c0[v], m0), p1 = _mm512_mul_epu32(c2[v], m1);
            c0[v] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c1[v], k0, kXor3);
            c2[v] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c3[v], k1, kXor3);
            c1[v] = p1;
            c3[v] = p0;
        }
    }
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    for (int v = 0; v < kVectors; ++v) {
        const __m512i w01 = _mm512_mask_blend_epi32(0xAAAA, c0[v], _mm512_slli_epi64(c1[v], 32));
        const __m512i w23 = _mm512_mask_blend_epi32(0xAAAA, c2[v], _mm512_slli_epi64(c3[v], 32));
        _mm512_storeu_si512(words + 32 * v, _mm512_permutex2var_epi64(w01, low, w23));
        _mm512_storeu_si512(words + 32 * v + 16, _mm512_permutex2var_epi64(w01, high, w23));
    }
}
#endif

using DrawWords = void (*)(const Stream&, std::uint64_t, std::uint32_t*);

DrawWords bestForThisProcessor() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return drawWordsAvx512;
    if (__builtin_cpu_supports("avx2")) return drawWordsAvx2;
#endif
    return drawWordsPortable;
}

}  // namespace

void drawWords(const Stream& stream, std::uint64_t firstBlock, std::uint32_t words[kWordsAtOnce]) {
    static const DrawWords kBest = bestForThisProcessor();
    kBest(stream, firstBlock, words);
}

}  // namespace heddle::philox
