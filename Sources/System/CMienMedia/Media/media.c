#include "CMienMedia.h"

#include <dlfcn.h>
#include <libavdevice/version.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <linux/videodev2.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

int32_t mien_media_outcome(int32_t status) {
    switch (status) {
        case AVERROR(EAGAIN): return mien_media_again;
        case AVERROR_EOF: return mien_media_end;
        case AVERROR_EXIT: return mien_media_stopped;
        case AVERROR_INVALIDDATA:
        case AVERROR_DEMUXER_NOT_FOUND:
        case AVERROR_PATCHWELCOME: return mien_media_invalid;
        case AVERROR_DECODER_NOT_FOUND: return mien_media_no_decoder;
        case AVERROR(ENOMEM): return mien_media_no_memory;
        case AVERROR(EACCES):
        case AVERROR(EPERM): return mien_media_not_allowed;
        case AVERROR(EBUSY): return mien_media_busy;
        case AVERROR(ENODEV):
        case AVERROR(ENXIO):
        case AVERROR(ENOENT): return mien_media_no_device;
        default: return mien_media_other;
    }
}

int32_t mien_media_status_end(void) { return AVERROR_EOF; }
int32_t mien_media_status_stopped(void) { return AVERROR_EXIT; }

int32_t mien_media_orientation_of_matrix(const int32_t matrix[9]) {
    // Rows of 2×2, 16.16: (a b; c d) takes (x, y) to (ax + cy, bx + dy), y downwards.
    double a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    double determinant = a * d - b * c;
    if (determinant == 0) return 0;
    int mirrored = determinant < 0;
    // A mirror first (x → −x) leaves the turn alone.
    if (mirrored) { a = -a; b = -b; }
    double degrees = atan2(b, a) * 180 / M_PI;
    double turns = round(degrees / 90);
    if (fabs(degrees - turns * 90) > 1) return 0;
    return ((int32_t)turns + 4) % 4 + (mirrored ? 4 : 0);
}

int32_t mien_media_orientation(const void *stream) {
    const AVStream *video = stream;
    const uint8_t *data = NULL;
    size_t count = 0;
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    for (int i = 0; i < video->codecpar->nb_coded_side_data; i++) {
        const AVPacketSideData *side = &video->codecpar->coded_side_data[i];
        if (side->type == AV_PKT_DATA_DISPLAYMATRIX) { data = side->data; count = side->size; }
    }
#else
    data = av_stream_get_side_data(video, AV_PKT_DATA_DISPLAYMATRIX, &count);
#endif
    int32_t matrix[9];
    if (data == NULL || count < sizeof matrix) return 0;
    memcpy(matrix, data, sizeof matrix);
    return mien_media_orientation_of_matrix(matrix);
}

static int devices_are_loaded = 0;

static void load_devices(void) {
    // What it brings along (OpenBLAS, for one) may start threads that stay. They get the name of the thread that loads: not ours.
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, "libavdevice");
    void *library = dlopen("libavdevice.so." AV_STRINGIFY(LIBAVDEVICE_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    prctl(PR_SET_NAME, name);
    if (library == NULL) return;
    void (*register_all)(void) = (void (*)(void))dlsym(library, "avdevice_register_all");
    if (register_all == NULL) return;
    register_all();
    devices_are_loaded = 1;
}

int32_t mien_media_load_devices(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_devices);
    return devices_are_loaded;
}

int32_t mien_media_camera_report(int32_t device, char driver[33], char card[33], char bus[33], uint32_t *can) {
    struct v4l2_capability capability;
    memset(&capability, 0, sizeof capability);
    if (ioctl(device, VIDIOC_QUERYCAP, &capability) != 0) return 0;
    // The fields are at most 32 bytes long and need not end with a zero.
    memcpy(driver, capability.driver, sizeof capability.driver);
    memcpy(card, capability.card, sizeof capability.card);
    memcpy(bus, capability.bus_info, sizeof capability.bus_info);
    driver[sizeof capability.driver] = card[sizeof capability.card] = bus[sizeof capability.bus_info] = 0;
    *can = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
    return 1;
}
