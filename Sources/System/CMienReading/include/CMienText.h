#ifndef CMIEN_TEXT_H
#define CMIEN_TEXT_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Tesseract's reader of printed text. The caller frees it with mien_text_free. One thread at a time; no C++ exception leaves.
typedef struct mien_text mien_text;

// Negative values are stable and never reused.
enum {
    mien_text_ok = 0,
    mien_text_late = -1,    // the time is over
    mien_text_failed = -2,  // out of memory, or a fault in the library
};

typedef struct {
    // In pixels: left and top included, right and bottom excluded.
    int32_t left, top, right, bottom;
    // 0...100
    float confidence;
    // Where the word's UTF-8 is in the text.
    size_t start, bytes;
} mien_text_word;

// Loads a language from Debian's folder. Returns a null pointer when its data is missing or memory runs out.
mien_text *mien_text_create(const char *language);
void mien_text_free(mien_text *);

// Reads words from 8-bit gray, rows top to bottom, `width` bytes apart, with about `dpi` pixels to the inch. Stops after
// `milliseconds`. On mien_text_ok, *words and *text are owned by the reader and valid until the next call.
int32_t mien_text_read(mien_text *, const void *gray, int32_t width, int32_t height, int32_t dpi, int32_t milliseconds,
                       const mien_text_word **words, size_t *count, const char **text, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
