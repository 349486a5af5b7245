#ifndef CMIEN_IMAGE_H
#define CMIEN_IMAGE_H
#include <stddef.h>
#include <stdint.h>

// Decoders and encoders of PNG, JPEG and GIF (first frame).
//
// Every function is self-contained: nothing is kept between calls, any number of threads may call at once, nothing is printed,
// and the libraries' longjmps end inside the call that caused them.
// Pixels are 8-bit red, green, blue, rows top to bottom, no padding: 3 * width * height bytes.

// Negative values are stable and never reused.
enum {
    mien_image_ok = 0,
    mien_image_truncated = -1,     // the bytes, or the data of a scan, end before the picture does
    mien_image_corrupt = -2,       // the bytes break their format's rules, or contradict the given width and height
    mien_image_unsupported = -3,   // a valid file of a kind this library cannot turn into RGB
    mien_image_too_complex = -4,   // more scans or more working memory than the caller allows
    mien_image_no_memory = -5,
};

// Each decoder fills `rgb` completely on mien_image_ok and leaves rubbish in it otherwise. `width` and `height` are what the
// caller read in the header and sized `rgb` by; a file that turns out to have others is mien_image_corrupt, nothing is written.

// Transparency is composited over `background` (grey, 0...255).
int32_t mien_png_decode(const void *bytes, size_t count, void *rgb, int32_t width, int32_t height, int32_t background);

// `rgb` gets a picture of width / divisor by height / divisor, rounded up; `divisor` is 1, 2, 4 or 8.
// A file of more than `max_scans` scans, or that needs more than `max_memory` bytes beside `rgb`, is mien_image_too_complex.
int32_t mien_jpeg_decode(const void *bytes, size_t count, void *rgb, int32_t width, int32_t height, int32_t divisor,
                         int32_t max_scans, int64_t max_memory);

// `width` and `height` are the logical screen's. What the first frame does not paint, or paints transparent, is `background`.
// A frame of more than `max_frame_pixels` is mien_image_too_complex, and is not decompressed.
int32_t mien_gif_decode(const void *bytes, size_t count, void *rgb, int32_t width, int32_t height, int32_t background,
                        int64_t max_frame_pixels);

// On mien_image_ok, *out holds *out_count bytes and the caller frees it with mien_image_free. Otherwise *out is NULL.
int32_t mien_png_encode(const void *rgb, int32_t width, int32_t height, void **out, size_t *out_count);

// `quality` is 1...100 on libjpeg's scale. With `full_chroma` not 0, colour is not subsampled (4:4:4), otherwise 4:2:0.
int32_t mien_jpeg_encode(const void *rgb, int32_t width, int32_t height, int32_t quality, int32_t full_chroma,
                         void **out, size_t *out_count);

void mien_image_free(void *);

#endif
