#ifndef CMIEN_MEDIA_H
#define CMIEN_MEDIA_H

#include "CMienImage.h"

#include <stddef.h>
#include <stdint.h>

// What Swift cannot see of FFmpeg and Linux: macros and variadic calls. Any thread, unless said otherwise.

// What a negative status of FFmpeg means. The numbers are ours and stable.
enum {
    mien_media_other = 0,
    mien_media_again = 1,         // no data yet
    mien_media_end = 2,
    mien_media_stopped = 3,       // the caller asked for it
    mien_media_invalid = 4,       // the data breaks the rules of its format, or is of none that is known
    mien_media_no_decoder = 5,
    mien_media_no_memory = 6,
    mien_media_not_allowed = 7,
    mien_media_busy = 8,
    mien_media_no_device = 9,
};
int32_t mien_media_outcome(int32_t status);

// Statuses that our callbacks return to FFmpeg.
int32_t mien_media_status_end(void);
int32_t mien_media_status_stopped(void);

// How the frames of `stream`, an AVStream, are to be shown: quarter turns clockwise (0...3), plus 4 when they are mirrored, left for right,
// before they are turned. 0 without a matrix, or with one that is neither.
int32_t mien_media_orientation(const void *stream);
// The same of nine numbers as a display matrix has them.
int32_t mien_media_orientation_of_matrix(const int32_t matrix[9]);

// Loads libavdevice, once, for as long as the process lives, and has it tell FFmpeg of its devices. 1, or 0 when it is not installed.
//
// It is not linked: it brings X11, sound and more into every process, and only those that open a camera need it.
int32_t mien_media_load_devices(void);

// What the driver of `device`, an open descriptor, reports of it: three texts and V4L2_CAP_… bits of this device. 1, or 0 when it is not a
// video device.
int32_t mien_media_camera_report(int32_t device, char driver[33], char card[33], char bus[33], uint32_t *can);

#endif
