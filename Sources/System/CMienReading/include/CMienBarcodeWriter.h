#ifndef CMIEN_BARCODE_WRITER_H
#define CMIEN_BARCODE_WRITER_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// zxing-cpp's writer of PDF417, for specimens. Nothing is kept between calls; no C++ exception leaves.

// Returns the modules of a symbol, one byte each (1 is dark), rows top to bottom, without a quiet zone. The caller frees them with
// mien_barcode_writer_free. Returns a null pointer when the text does not fit or memory runs out.
uint8_t *mien_barcode_write(const uint8_t *bytes, size_t count, int32_t *width, int32_t *height);
void mien_barcode_writer_free(uint8_t *modules);

#ifdef __cplusplus
}
#endif
#endif
