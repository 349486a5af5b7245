#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "CMienImage.h"
#include "output.h"

// The caller's arguments are checked in Swift, so that only memory can run out.
_Noreturn static void on_error(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void append(png_structp png, png_bytep bytes, size_t count) {
    mien_output *output = png_get_io_ptr(png);
    if (!mien_output_reserve(output, count)) png_longjmp(png, 1);
    memcpy(output->bytes + output->count, bytes, count);
    output->count += count;
}

static void flush(png_structp png) { (void)png; }

static int32_t encode(png_structp png, png_infop info, png_const_bytep rgb, int32_t width, int32_t height, mien_output *output) {
    if (setjmp(png_jmpbuf(png))) return mien_image_no_memory;
    png_set_write_fn(png, output, append, flush);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 2);   // ten times as fast as zlib's 6, and of photographs no larger
    png_write_info(png, info);
    for (int32_t y = 0; y < height; y++) png_write_row(png, rgb + (size_t)y * 3 * (size_t)width);
    png_write_end(png, NULL);
    return mien_image_ok;
}

int32_t mien_png_encode(const void *rgb, int32_t width, int32_t height, void **out, size_t *out_count) {
    mien_output output = {0};
    *out = NULL;
    *out_count = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    if (!png) return mien_image_no_memory;
    png_infop info = png_create_info_struct(png);
    const int32_t status = info ? encode(png, info, rgb, width, height, &output) : mien_image_no_memory;
    png_destroy_write_struct(&png, &info);
    if (status != mien_image_ok) {
        free(output.bytes);
        return status;
    }
    *out = output.bytes;
    *out_count = output.count;
    return mien_image_ok;
}
