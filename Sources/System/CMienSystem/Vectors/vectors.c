#include "CMienVectors.h"

// Each kernel exists for several sets of instructions; the first call chooses.

static void products_portable(
    const int8_t *rows, size_t width, size_t count, const int16_t *query, int64_t *products) {
    for (size_t i = 0; i < count; i++, rows += width) {
        int64_t sum = 0;
        for (size_t k = 0; k < width; k += MIEN_VECTOR_BLOCK) {
            int32_t part = 0;
            for (size_t j = k; j < k + MIEN_VECTOR_BLOCK; j++) part += (int32_t)rows[j] * query[j];
            sum += part;
        }
        products[i] = sum;
    }
}

static void queries_portable(
    const int8_t *rows, size_t width, size_t count, const int8_t *queries, size_t queryCount,
    int32_t *products) {
    for (size_t i = 0; i < count; i++, rows += width) {
        for (size_t q = 0; q < queryCount; q++) {
            const int8_t *query = queries + q * width;
            int32_t sum = 0;
            for (size_t j = 0; j < width; j++) sum += (int32_t)rows[j] * query[j];
            *products++ = sum;
        }
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

// Rows are read far ahead of the arithmetic, which is faster than memory.
#define AHEAD 4096

__attribute__((target("avx2"))) static int64_t sum8(__m256i v) {
    __m256i wide = _mm256_add_epi64(
        _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
        _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
    __m128i half =
        _mm_add_epi64(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    return _mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1);
}

__attribute__((target("avx2"))) static void products_avx2(
    const int8_t *rows, size_t width, size_t count, const int16_t *query, int64_t *products) {
    for (size_t i = 0; i < count; i++, rows += width) {
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (size_t k = 0; k < width; k += 64) {
            _mm_prefetch((const char *)rows + k + AHEAD, _MM_HINT_T0);
#define STEP(sum, at)                                                                            \
    sum = _mm256_add_epi32(                                                                      \
        sum, _mm256_madd_epi16(                                                                  \
                 _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(rows + k + at))),        \
                 _mm256_loadu_si256((const __m256i *)(query + k + at))))
            STEP(a, 0);
            STEP(b, 16);
            STEP(c, 32);
            STEP(d, 48);
#undef STEP
        }
        products[i] = sum8(_mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d)));
    }
}

__attribute__((target("avx2"))) static void queries_avx2(
    const int8_t *rows, size_t width, size_t count, const int8_t *queries, size_t queryCount,
    int32_t *products) {
    for (size_t i = 0; i < count; i++, rows += width) {
        for (size_t q = 0; q < queryCount; q++) {
            const int8_t *query = queries + q * width;
            __m256i a = _mm256_setzero_si256(), b = a;
            for (size_t k = 0; k < width; k += 32) {
                a = _mm256_add_epi32(
                    a, _mm256_madd_epi16(
                           _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(rows + k))),
                           _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(query + k)))));
                b = _mm256_add_epi32(
                    b, _mm256_madd_epi16(
                           _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(rows + k + 16))),
                           _mm256_cvtepi8_epi16(
                               _mm_loadu_si128((const __m128i *)(query + k + 16)))));
            }
            *products++ = (int32_t)sum8(_mm256_add_epi32(a, b));
        }
    }
}

#define VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define MAX_BLOCKS 64

// The instruction multiplies unsigned with signed bytes: 128 is added to each byte of a row, and 128
// times the sum of the query taken off the result. A query has two bytes for each element.
VNNI static void products_avx512(
    const int8_t *rows, size_t width, size_t count, const int16_t *query, int64_t *products) {
    int8_t high[MAX_BLOCKS * 64], low[MAX_BLOCKS * 64];
    int64_t offset = 0;
    for (size_t j = 0; j < width; j++) {
        // high * 256 + low, with low in -128...127.
        int16_t upper = (int16_t)((query[j] + 128) >> 8);
        high[j] = (int8_t)upper;
        low[j] = (int8_t)(query[j] - 256 * upper);
        offset += query[j];
    }
    offset *= 128;
    const __m512i turn = _mm512_set1_epi8((char)0x80);
    for (size_t i = 0; i < count; i++, rows += width) {
        __m512i a = _mm512_setzero_si512(), b = a;
        for (size_t k = 0; k < width; k += 64) {
            _mm_prefetch((const char *)rows + k + AHEAD, _MM_HINT_T0);
            __m512i row = _mm512_xor_si512(_mm512_loadu_si512(rows + k), turn);
            a = _mm512_dpbusd_epi32(a, row, _mm512_loadu_si512(high + k));
            b = _mm512_dpbusd_epi32(b, row, _mm512_loadu_si512(low + k));
        }
        products[i] = 256 * (int64_t)_mm512_reduce_add_epi32(a)
            + (int64_t)_mm512_reduce_add_epi32(b) - offset;
    }
}

// Adds the lanes of four registers: the sums are in the lanes of the result, in order.
VNNI static inline __m128i sums(__m512i a, __m512i b, __m512i c, __m512i d) {
    __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

// Four queries by four rows at a time, so that each load counts four times.
VNNI static void queries_avx512(
    const int8_t *rows, size_t width, size_t count, const int8_t *queries, size_t queryCount,
    int32_t *products) {
    const __m512i turn = _mm512_set1_epi8((char)0x80), one = _mm512_set1_epi8(1);
    size_t q = 0;
    for (; q + 4 <= queryCount; q += 4) {
        const int8_t *query = queries + q * width;
        // 128 times the sum of each query.
        __m512i total[4];
        for (size_t j = 0; j < 4; j++) {
            total[j] = _mm512_setzero_si512();
            for (size_t k = 0; k < width; k += 64) {
                total[j] = _mm512_dpbusd_epi32(
                    total[j], one, _mm512_loadu_si512(query + j * width + k));
            }
        }
        __m128i offset = _mm_slli_epi32(sums(total[0], total[1], total[2], total[3]), 7);
        size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            const int8_t *row = rows + i * width;
            __m512i s[4][4];
            for (size_t r = 0; r < 4; r++)
                for (size_t j = 0; j < 4; j++) s[r][j] = _mm512_setzero_si512();
            for (size_t k = 0; k < width; k += 64) {
                __m512i x[4];
                for (size_t r = 0; r < 4; r++)
                    x[r] = _mm512_xor_si512(_mm512_loadu_si512(row + r * width + k), turn);
                for (size_t j = 0; j < 4; j++) {
                    __m512i y = _mm512_loadu_si512(query + j * width + k);
                    for (size_t r = 0; r < 4; r++) s[r][j] = _mm512_dpbusd_epi32(s[r][j], x[r], y);
                }
            }
            for (size_t r = 0; r < 4; r++) {
                __m128i found = _mm_sub_epi32(sums(s[r][0], s[r][1], s[r][2], s[r][3]), offset);
                _mm_storeu_si128((__m128i *)(products + (i + r) * queryCount + q), found);
            }
        }
        for (; i < count; i++) {
            const int8_t *row = rows + i * width;
            __m512i s[4];
            for (size_t j = 0; j < 4; j++) {
                s[j] = _mm512_setzero_si512();
                for (size_t k = 0; k < width; k += 64) {
                    s[j] = _mm512_dpbusd_epi32(
                        s[j], _mm512_xor_si512(_mm512_loadu_si512(row + k), turn),
                        _mm512_loadu_si512(query + j * width + k));
                }
            }
            __m128i found = _mm_sub_epi32(sums(s[0], s[1], s[2], s[3]), offset);
            _mm_storeu_si128((__m128i *)(products + i * queryCount + q), found);
        }
    }
    for (; q < queryCount; q++) {
        const int8_t *query = queries + q * width;
        __m512i total = _mm512_setzero_si512();
        for (size_t k = 0; k < width; k += 64)
            total = _mm512_dpbusd_epi32(total, one, _mm512_loadu_si512(query + k));
        int32_t offset = 128 * _mm512_reduce_add_epi32(total);
        for (size_t i = 0; i < count; i++) {
            __m512i s = _mm512_setzero_si512();
            for (size_t k = 0; k < width; k += 64) {
                s = _mm512_dpbusd_epi32(
                    s, _mm512_xor_si512(_mm512_loadu_si512(rows + i * width + k), turn),
                    _mm512_loadu_si512(query + k));
            }
            products[i * queryCount + q] = _mm512_reduce_add_epi32(s) - offset;
        }
    }
}
#elif defined(__aarch64__)
#include <arm_neon.h>

static void products_neon(
    const int8_t *rows, size_t width, size_t count, const int16_t *query, int64_t *products) {
    for (size_t i = 0; i < count; i++, rows += width) {
        int32x4_t a = vdupq_n_s32(0), b = a, c = a, d = a;
        for (size_t k = 0; k < width; k += 16) {
            int8x16_t row = vld1q_s8(rows + k);
            int16x8_t low = vmovl_s8(vget_low_s8(row)), high = vmovl_high_s8(row);
            int16x8_t x = vld1q_s16(query + k), y = vld1q_s16(query + k + 8);
            a = vmlal_s16(a, vget_low_s16(low), vget_low_s16(x));
            b = vmlal_high_s16(b, low, x);
            c = vmlal_s16(c, vget_low_s16(high), vget_low_s16(y));
            d = vmlal_high_s16(d, high, y);
        }
        products[i] = vaddlvq_s32(a) + vaddlvq_s32(b) + vaddlvq_s32(c) + vaddlvq_s32(d);
    }
}

static void queries_neon(
    const int8_t *rows, size_t width, size_t count, const int8_t *queries, size_t queryCount,
    int32_t *products) {
    for (size_t i = 0; i < count; i++, rows += width) {
        for (size_t q = 0; q < queryCount; q++) {
            const int8_t *query = queries + q * width;
            int32x4_t a = vdupq_n_s32(0), b = a;
            for (size_t k = 0; k < width; k += 16) {
                int8x16_t row = vld1q_s8(rows + k), other = vld1q_s8(query + k);
                a = vpadalq_s16(a, vmull_s8(vget_low_s8(row), vget_low_s8(other)));
                b = vpadalq_s16(b, vmull_high_s8(row, other));
            }
            *products++ = vaddvq_s32(vaddq_s32(a, b));
        }
    }
}
#endif

typedef void (*Products)(const int8_t *, size_t, size_t, const int16_t *, int64_t *);
typedef void (*Queries)(const int8_t *, size_t, size_t, const int8_t *, size_t, int32_t *);

#if defined(__x86_64__)
enum { PORTABLE, AVX2, AVX512 };
static int level(void) {
    // The processor does not change, so threads that ask at the same time find the same.
    static int found = -1;
    int known = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (known < 0) {
        __builtin_cpu_init();
        known = PORTABLE;
        if (__builtin_cpu_supports("avx2")) known = AVX2;
        if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            known = AVX512;
        __atomic_store_n(&found, known, __ATOMIC_RELAXED);
    }
    return known;
}
static Products chosen_products(void) {
    static const Products all[] = {products_portable, products_avx2, products_avx512};
    return all[level()];
}
static Queries chosen_queries(void) {
    static const Queries all[] = {queries_portable, queries_avx2, queries_avx512};
    return all[level()];
}
const char *mien_vector_instructions(void) {
    static const char *const all[] = {"portable", "avx2", "avx512"};
    return all[level()];
}
#elif defined(__aarch64__)
static Products chosen_products(void) { return products_neon; }
static Queries chosen_queries(void) { return queries_neon; }
const char *mien_vector_instructions(void) { return "neon"; }
#else
static Products chosen_products(void) { return products_portable; }
static Queries chosen_queries(void) { return queries_portable; }
const char *mien_vector_instructions(void) { return "portable"; }
#endif

void mien_vector_products(
    const int8_t *rows, size_t width, size_t count, const int16_t *query, int64_t *products) {
    chosen_products()(rows, width, count, query, products);
}

void mien_vector_products_of_queries(
    const int8_t *rows, size_t width, size_t count, const int8_t *queries, size_t queryCount,
    int32_t *products) {
    chosen_queries()(rows, width, count, queries, queryCount, products);
}
