#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "CMienImage.h"

// The most an ancillary chunk may make libpng allocate, and how many it keeps. Nearly all are dropped unread anyway.
enum { chunk_bytes_max = 1 << 20, chunk_cache_max = 16 };

typedef struct {
    const unsigned char *bytes;
    size_t left;
    int32_t status;
    unsigned char *rgba;   // what read_rgba works in; here, so that it is freed after a longjmp, too
} source;

static void take(png_structp png, png_bytep to, size_t count) {
    source *from = png_get_io_ptr(png);
    if (count > from->left) {
        from->status = mien_image_truncated;
        png_longjmp(png, 1);
    }
    memcpy(to, from->bytes, count);
    from->bytes += count;
    from->left -= count;
}

// libpng tells by text alone. An unknown text is a corrupt file, so that another version's wording costs precision, not safety.
static int32_t status_of(const char *message) {
    static const char *const ended[] = {"Not enough image data", "Not enough compressed data", "Truncated compressed data"};
    static const char *const memory[] = {"ut of memory", "nsufficient memory"};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (strstr(message, ended[i])) return mien_image_truncated;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (strstr(message, memory[i])) return mien_image_no_memory;
    return mien_image_corrupt;
}

_Noreturn static void on_error(png_structp png, png_const_charp message) {
    *(int32_t *)png_get_error_ptr(png) = status_of(message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void set_limits(png_structp png, int32_t width, int32_t height) {
    png_set_user_limits(png, (png_uint_32)width, (png_uint_32)height);
    png_set_chunk_cache_max(png, chunk_cache_max);
    png_set_chunk_malloc_max(png, chunk_bytes_max);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);   // no text, profile or time is read; tRNS still is
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
}

// Any colour type and depth to 8-bit RGB, or RGBA when anything may be transparent.
static void set_rgb(png_structp png, png_infop info) {
    png_set_expand(png);
    if (!(png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
    if (png_get_bit_depth(png, info) == 16) png_set_scale_16(png);
}

static void read_rgb(png_structp png, png_bytep rgb, int32_t width, int32_t height, int passes) {
    for (int pass = 0; pass < passes; pass++)
        for (int32_t y = 0; y < height; y++) png_read_row(png, rgb + 3 * (size_t)y * (size_t)width, NULL);
}

// Not left to png_set_background: of 16-bit files it made 254 of a white 255.
static void composite(const unsigned char *rgba, png_bytep rgb, int32_t width, unsigned background) {
    for (int32_t x = 0; x < width; x++, rgba += 4, rgb += 3) {
        const unsigned alpha = rgba[3], behind = background * (255 - alpha) + 127;
        for (int i = 0; i < 3; i++) rgb[i] = (png_byte)((rgba[i] * alpha + behind) / 255);
    }
}

// An interlaced picture is kept as a whole until its last pass, others row by row.
static int32_t read_rgba(png_structp png, source *from, png_bytep rgb, int32_t width, int32_t height, int passes, unsigned background) {
    const size_t stride = 4 * (size_t)width;
    from->rgba = malloc(passes > 1 ? stride * (size_t)height : stride);
    if (!from->rgba) return mien_image_no_memory;
    for (int pass = 1; pass <= passes; pass++)
        for (int32_t y = 0; y < height; y++) {
            unsigned char *row = from->rgba + (passes > 1 ? stride * (size_t)y : 0);
            png_read_row(png, row, NULL);
            if (pass == passes) composite(row, rgb + 3 * (size_t)y * (size_t)width, width, background);
        }
    return mien_image_ok;
}

static int32_t decode(png_structp png, png_infop info, source *from, png_bytep rgb, int32_t width, int32_t height, int32_t background) {
    if (setjmp(png_jmpbuf(png))) return from->status;
    set_limits(png, width, height);
    png_set_read_fn(png, from, take);
    png_read_info(png, info);
    if (png_get_image_width(png, info) != (png_uint_32)width || png_get_image_height(png, info) != (png_uint_32)height)
        return mien_image_corrupt;
    set_rgb(png, info);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const size_t row_bytes = png_get_rowbytes(png, info);
    int32_t status = mien_image_ok;
    if (row_bytes == 3 * (size_t)width) read_rgb(png, rgb, width, height, passes);
    else if (row_bytes == 4 * (size_t)width) status = read_rgba(png, from, rgb, width, height, passes, (unsigned)background);
    else return mien_image_unsupported;   // a transformation left another layout: never write it
    if (status == mien_image_ok) png_read_end(png, NULL);
    return status;
}

int32_t mien_png_decode(const void *bytes, size_t count, void *rgb, int32_t width, int32_t height, int32_t background) {
    source from = {.bytes = bytes, .left = count, .status = mien_image_corrupt};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &from.status, on_error, on_warning);
    if (!png) return mien_image_no_memory;
    png_infop info = png_create_info_struct(png);
    const int32_t status = info ? decode(png, info, &from, rgb, width, height, background) : mien_image_no_memory;
    png_destroy_read_struct(&png, &info, NULL);
    free(from.rgba);
    return status;
}
