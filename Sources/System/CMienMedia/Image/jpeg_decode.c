#include <limits.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "CMienImage.h"

// What libjpeg calls back with; `base` and `progress` lead their structs, so that libjpeg's pointer is also a pointer to ours.
typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
    int32_t status;
} failure;

typedef struct {
    struct jpeg_progress_mgr base;
    int32_t max_scans;
} scan_limit;

_Noreturn static void give_up(j_common_ptr jpeg, int32_t status) {
    failure *failed = (failure *)jpeg->err;
    failed->status = status;
    longjmp(failed->escape, 1);
}

_Noreturn static void on_error(j_common_ptr jpeg) {
    switch (jpeg->err->msg_code) {
    case JERR_ARITH_NOTIMPL: case JERR_BAD_PRECISION: case JERR_CCIR601_NOTIMPL: case JERR_CONVERSION_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
        give_up(jpeg, mien_image_unsupported);
    case JERR_OUT_OF_MEMORY:
        give_up(jpeg, mien_image_no_memory);
    case JERR_NO_BACKING_STORE:   // the coefficients do not fit in max_memory_to_use
        give_up(jpeg, mien_image_too_complex);
    default:
        give_up(jpeg, mien_image_corrupt);
    }
}

// libjpeg goes on after a warning and makes pixels up. A picture that is to say who somebody is must not be made up,
// so that lost entropy-coded data is an error here. Harmless oddities (stray bytes between markers, a newer JFIF) are not.
static void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF: case JWRN_HIT_MARKER:
        give_up(jpeg, mien_image_truncated);
    case JWRN_HUFF_BAD_CODE: case JWRN_ARITH_BAD_CODE: case JWRN_MUST_RESYNC: case JWRN_BOGUS_PROGRESSION:
        give_up(jpeg, mien_image_corrupt);
    default:
        return;
    }
}

static void print_nothing(j_common_ptr jpeg) { (void)jpeg; }

static void check_scans(j_common_ptr jpeg) {
    if (((j_decompress_ptr)jpeg)->input_scan_number > ((scan_limit *)jpeg->progress)->max_scans)
        give_up(jpeg, mien_image_too_complex);
}

// A source of all bytes at once: being asked for more means that there are too few.
static void start(j_decompress_ptr jpeg) { (void)jpeg; }
static void stop(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean fill(j_decompress_ptr jpeg) { give_up((j_common_ptr)jpeg, mien_image_truncated); }

static void skip(j_decompress_ptr jpeg, long count) {
    if (count <= 0) return;
    if ((unsigned long)count > jpeg->src->bytes_in_buffer) give_up((j_common_ptr)jpeg, mien_image_truncated);
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

static void read_rgb(j_decompress_ptr jpeg, JSAMPLE *rgb) {
    const size_t stride = 3 * (size_t)jpeg->output_width;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW rows[8];
        JDIMENSION count = jpeg->output_height - jpeg->output_scanline;
        if (count > 8) count = 8;
        for (JDIMENSION i = 0; i < count; i++) rows[i] = rgb + (jpeg->output_scanline + i) * stride;
        jpeg_read_scanlines(jpeg, rows, count);
    }
}

static JSAMPLE ink(unsigned colour, unsigned black) { return (JSAMPLE)((colour * black + 127) / 255); }

// Adobe stores CMYK inverted (255 is no ink), and its files are nearly all there are; without its marker, 255 is full ink.
// The plain formula R = C'·K'/255, as there is no colour profile here to do better.
static void read_cmyk(j_decompress_ptr jpeg, JSAMPLE *rgb) {
    const unsigned flip = jpeg->saw_Adobe_marker ? 0 : 255;
    JSAMPARRAY row = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, 4 * jpeg->output_width, 1);
    while (jpeg->output_scanline < jpeg->output_height) {
        jpeg_read_scanlines(jpeg, row, 1);
        const JSAMPLE *cmyk = row[0];
        for (JDIMENSION x = 0; x < jpeg->output_width; x++, cmyk += 4, rgb += 3) {
            const unsigned black = cmyk[3] ^ flip;
            for (int i = 0; i < 3; i++) rgb[i] = ink(cmyk[i] ^ flip, black);
        }
    }
}

static void decode(j_decompress_ptr jpeg, JSAMPLE *rgb, int32_t width, int32_t height, int32_t divisor) {
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->image_width != (JDIMENSION)width || jpeg->image_height != (JDIMENSION)height)
        give_up((j_common_ptr)jpeg, mien_image_corrupt);
    const int cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    jpeg->scale_num = 1;
    jpeg->scale_denom = (unsigned)divisor;
    jpeg_start_decompress(jpeg);
    // `rgb` was sized by the same division; a library that scales otherwise must not write beyond it.
    if (jpeg->output_width != (JDIMENSION)((width + divisor - 1) / divisor) ||
        jpeg->output_height != (JDIMENSION)((height + divisor - 1) / divisor))
        give_up((j_common_ptr)jpeg, mien_image_unsupported);
    if (cmyk) read_cmyk(jpeg, rgb); else read_rgb(jpeg, rgb);
    jpeg_finish_decompress(jpeg);   // reads on to the end marker, so that a missing one is noticed
}

int32_t mien_jpeg_decode(const void *bytes, size_t count, void *rgb, int32_t width, int32_t height, int32_t divisor,
                         int32_t max_scans, int64_t max_memory) {
    struct jpeg_decompress_struct jpeg;
    failure failed;
    scan_limit limit = {.base.progress_monitor = check_scans, .max_scans = max_scans};
    struct jpeg_source_mgr source = {
        .next_input_byte = bytes, .bytes_in_buffer = count, .init_source = start, .fill_input_buffer = fill,
        .skip_input_data = skip, .resync_to_restart = jpeg_resync_to_restart, .term_source = stop};

    memset(&jpeg, 0, sizeof jpeg);
    jpeg.err = jpeg_std_error(&failed.base);
    failed.base.error_exit = on_error;
    failed.base.emit_message = on_message;
    failed.base.output_message = print_nothing;
    failed.status = mien_image_ok;
    if (setjmp(failed.escape) == 0) {
        jpeg_create_decompress(&jpeg);
        jpeg.mem->max_memory_to_use = max_memory < LONG_MAX ? (long)max_memory : LONG_MAX;
        jpeg.src = &source;
        jpeg.progress = &limit.base;
        decode(&jpeg, rgb, width, height, divisor);
    }
    jpeg_destroy_decompress(&jpeg);
    return failed.status;
}
