#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

#include "CMienImage.h"

typedef struct {
    const unsigned char *bytes;
    size_t left;
    int ended;
} source;

typedef struct {
    unsigned char *rgb;
    int32_t width, height;
    int64_t max_frame_pixels;
} screen;

static int take(GifFileType *gif, GifByteType *to, int count) {
    source *from = gif->UserData;
    if (count < 0) return 0;
    if ((size_t)count > from->left) {
        from->ended = 1;
        count = (int)from->left;
    }
    memcpy(to, from->bytes, (size_t)count);
    from->bytes += count;
    from->left -= (size_t)count;
    return count;
}

static int32_t status_of(int error, const source *from) {
    if (from->ended) return mien_image_truncated;
    switch (error) {
    case D_GIF_ERR_READ_FAILED: case D_GIF_ERR_EOF_TOO_SOON: return mien_image_truncated;
    case D_GIF_ERR_NOT_ENOUGH_MEM: return mien_image_no_memory;
    default: return mien_image_corrupt;
    }
}

// The part of a line that lies on the screen. 0 when a pixel names a colour that the palette does not have.
static int paint(const screen *on, const ColorMapObject *palette, int transparent, const GifImageDesc *frame,
                 const GifPixelType *line, int row) {
    const int32_t y = frame->Top + row;
    if (y >= on->height) return 1;
    for (int i = 0; i < frame->Width && frame->Left + i < on->width; i++) {
        if (line[i] == transparent) continue;
        if (line[i] >= palette->ColorCount) return 0;
        const GifColorType colour = palette->Colors[line[i]];
        unsigned char *to = on->rgb + 3 * ((size_t)y * (size_t)on->width + (size_t)(frame->Left + i));
        to[0] = colour.Red, to[1] = colour.Green, to[2] = colour.Blue;
    }
    return 1;
}

// Interlaced rows come in four groups: from row 0 every 8th, from 4 every 8th, from 2 every 4th, from 1 every 2nd.
static int32_t read_lines(GifFileType *gif, const screen *on, const ColorMapObject *palette, int transparent, GifPixelType *line) {
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    const GifImageDesc *frame = &gif->Image;
    for (int group = 0; group < (frame->Interlace ? 4 : 1); group++)
        for (int row = first[group]; row < frame->Height; row += frame->Interlace ? step[group] : 1) {
            if (DGifGetLine(gif, line, frame->Width) != GIF_OK) return status_of(gif->Error, gif->UserData);
            if (!paint(on, palette, transparent, frame, line, row)) return mien_image_corrupt;
        }
    return mien_image_ok;
}

static int32_t read_frame(GifFileType *gif, const screen *on, int transparent) {
    if (DGifGetImageDesc(gif) != GIF_OK) return status_of(gif->Error, gif->UserData);
    const GifImageDesc *frame = &gif->Image;
    const ColorMapObject *palette = frame->ColorMap ? frame->ColorMap : gif->SColorMap;
    if (frame->Width <= 0 || frame->Height <= 0 || frame->Left < 0 || frame->Top < 0 || !palette) return mien_image_corrupt;
    if ((int64_t)frame->Width * frame->Height > on->max_frame_pixels) return mien_image_too_complex;
    GifPixelType *line = malloc((size_t)frame->Width);
    if (!line) return mien_image_no_memory;
    const int32_t status = read_lines(gif, on, palette, transparent, line);
    free(line);
    return status;
}

// Reads one extension; when it is a graphic control, notes which index is transparent.
static int read_extension(GifFileType *gif, int *transparent) {
    int code;
    GifByteType *block;   // the first byte is the count of those that follow
    if (DGifGetExtension(gif, &code, &block) != GIF_OK) return GIF_ERROR;
    while (block) {
        GraphicsControlBlock control;
        if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
            *transparent = control.TransparentColor;
        if (DGifGetExtensionNext(gif, &block) != GIF_OK) return GIF_ERROR;
    }
    return GIF_OK;
}

static int32_t decode(GifFileType *gif, const screen *on) {
    int transparent = NO_TRANSPARENT_COLOR;
    for (;;) {
        GifRecordType record;
        if (DGifGetRecordType(gif, &record) != GIF_OK) return status_of(gif->Error, gif->UserData);
        switch (record) {
        case IMAGE_DESC_RECORD_TYPE: return read_frame(gif, on, transparent);
        case EXTENSION_RECORD_TYPE:
            if (read_extension(gif, &transparent) != GIF_OK) return status_of(gif->Error, gif->UserData);
            break;
        default: return mien_image_corrupt;   // the end, before any frame
        }
    }
}

int32_t mien_gif_decode(const void *bytes, size_t count, void *rgb, int32_t width, int32_t height, int32_t background,
                        int64_t max_frame_pixels) {
    source from = {.bytes = bytes, .left = count};
    int error = 0;
    GifFileType *gif = DGifOpen(&from, take, &error);
    if (!gif) return status_of(error, &from);
    const screen on = {.rgb = rgb, .width = width, .height = height, .max_frame_pixels = max_frame_pixels};
    int32_t status = mien_image_corrupt;
    if (gif->SWidth == width && gif->SHeight == height) {
        memset(rgb, background, 3 * (size_t)width * (size_t)height);
        status = decode(gif, &on);
    }
    DGifCloseFile(gif, &error);
    return status;
}
