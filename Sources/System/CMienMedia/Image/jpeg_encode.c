#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "CMienImage.h"
#include "output.h"

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
} failure;

typedef struct {
    struct jpeg_destination_mgr base;
    mien_output output;
} destination;

// The caller's arguments are checked in Swift, so that only memory can run out.
_Noreturn static void on_error(j_common_ptr jpeg) { longjmp(((failure *)jpeg->err)->escape, 1); }
static void ignore(j_common_ptr jpeg, int level) { (void)jpeg, (void)level; }
static void print_nothing(j_common_ptr jpeg) { (void)jpeg; }

static void lend(j_compress_ptr jpeg) {
    destination *to = (destination *)jpeg->dest;
    if (!mien_output_reserve(&to->output, 1)) on_error((j_common_ptr)jpeg);
    to->base.next_output_byte = to->output.bytes + to->output.count;
    to->base.free_in_buffer = to->output.capacity - to->output.count;
}

static boolean extend(j_compress_ptr jpeg) {
    destination *to = (destination *)jpeg->dest;
    to->output.count = to->output.capacity;   // libjpeg calls when the buffer is full, whatever free_in_buffer says
    lend(jpeg);
    return TRUE;
}

static void finish(j_compress_ptr jpeg) {
    destination *to = (destination *)jpeg->dest;
    to->output.count = to->output.capacity - to->base.free_in_buffer;
}

static void encode(j_compress_ptr jpeg, const JSAMPLE *rgb, int32_t width, int32_t height, int32_t quality, int32_t full_chroma) {
    jpeg->image_width = (JDIMENSION)width;
    jpeg->image_height = (JDIMENSION)height;
    jpeg->input_components = 3;
    jpeg->in_color_space = JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    if (full_chroma) jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = (JSAMPROW)(rgb + jpeg->next_scanline * 3 * (size_t)width);
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
}

int32_t mien_jpeg_encode(const void *rgb, int32_t width, int32_t height, int32_t quality, int32_t full_chroma,
                         void **out, size_t *out_count) {
    struct jpeg_compress_struct jpeg;
    failure failed;
    destination to = {.base = {.init_destination = lend, .empty_output_buffer = extend, .term_destination = finish}};

    *out = NULL;
    *out_count = 0;
    memset(&jpeg, 0, sizeof jpeg);
    jpeg.err = jpeg_std_error(&failed.base);
    failed.base.error_exit = on_error;
    failed.base.emit_message = ignore;
    failed.base.output_message = print_nothing;
    if (setjmp(failed.escape)) {
        jpeg_destroy_compress(&jpeg);
        free(to.output.bytes);
        return mien_image_no_memory;
    }
    jpeg_create_compress(&jpeg);
    jpeg.dest = &to.base;
    encode(&jpeg, rgb, width, height, quality, full_chroma);
    jpeg_destroy_compress(&jpeg);
    *out = to.output.bytes;
    *out_count = to.output.count;
    return mien_image_ok;
}
