#ifndef CMIEN_BARCODE_H
#define CMIEN_BARCODE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// zxing-cpp's reader of PDF417. Nothing is kept between calls; any number of threads may call at once; no C++ exception leaves.

// Negative values are stable and never reused.
enum {
    mien_barcode_ok = 0,
    mien_barcode_none = -1,    // no symbol whose error correction succeeds
    mien_barcode_failed = -2,  // out of memory, or a fault in the library
};

// Reads one symbol, in any direction, from 8-bit gray, rows top to bottom, `width` bytes apart.
// On mien_barcode_ok, *bytes holds the symbol's content without character set conversion; the caller frees it with
// mien_barcode_free. `corners` gets the symbol's corners, x and y, in the symbol's reading direction: top left, top right, bottom
// right, bottom left.
int32_t mien_barcode_read(const void *gray, int32_t width, int32_t height, uint8_t **bytes, size_t *count, int32_t corners[8]);
void mien_barcode_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
