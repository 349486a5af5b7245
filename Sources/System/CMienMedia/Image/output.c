#include "output.h"

#include <stdlib.h>

#include "CMienImage.h"

int mien_output_reserve(mien_output *output, size_t more) {
    if (more <= output->capacity - output->count) return 1;
    size_t capacity = output->capacity ? 2 * output->capacity : 16384;
    if (capacity < output->count + more) capacity = output->count + more;
    unsigned char *bytes = realloc(output->bytes, capacity);
    if (!bytes) return 0;
    output->bytes = bytes;
    output->capacity = capacity;
    return 1;
}

void mien_image_free(void *bytes) { free(bytes); }
