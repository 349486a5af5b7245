#ifndef CMIEN_VECTORS_H
#define CMIEN_VECTORS_H

#include <stddef.h>
#include <stdint.h>

/// Rows of bytes are as wide as a multiple of this.
#define MIEN_VECTOR_BLOCK 64

/// Writes the products of a query with consecutive rows.
///
/// Exact: no rounding, and no overflow for widths up to 4,096.
///
/// - rows: `count` rows of `width` bytes, each in -127...127.
/// - query: `width` numbers, each in -32512...32512.
/// - products: `count` sums.
void mien_vector_products(
    const int8_t *rows, size_t width, size_t count, const int16_t *query, int64_t *products);

/// Writes the products of several queries with consecutive rows, in one pass over memory.
///
/// - queries: `queryCount` rows of `width` bytes, each in -127...127.
/// - products: for each row, `queryCount` sums.
void mien_vector_products_of_queries(
    const int8_t *rows, size_t width, size_t count, const int8_t *queries, size_t queryCount,
    int32_t *products);

/// The instructions that are used: "portable", "neon", "avx2", or "avx512".
const char *mien_vector_instructions(void);

#endif
