#ifndef MIEN_IMAGE_OUTPUT_H
#define MIEN_IMAGE_OUTPUT_H
#include <stddef.h>

// Bytes that grow at the end. Zeroed, it is empty.
typedef struct {
    unsigned char *bytes;
    size_t count, capacity;
} mien_output;

// Makes room for `more` bytes after `count`. 0 when out of memory; what is there stays.
int mien_output_reserve(mien_output *, size_t more);

#endif
