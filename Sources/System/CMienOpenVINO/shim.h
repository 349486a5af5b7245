#ifndef MIEN_OV_SHIM_H
#define MIEN_OV_SHIM_H
#include "CMienOpenVINO.h"

#include <openvino/c/openvino.h>

struct mien_ov_core {
    ov_core_t *raw;
};

struct mien_ov_network {
    ov_compiled_model_t *raw;
};

enum { mien_ov_outputs_most = 16 };

struct mien_ov_request {
    ov_infer_request_t *raw;
    ov_tensor_t *input;
    ov_tensor_t *outputs[mien_ov_outputs_most];
    size_t output_count;
};

// Writes `what` and OpenVINO's own last message into `why`.
void mien_ov_say(char *why, size_t why_bytes, const char *what);

#endif
