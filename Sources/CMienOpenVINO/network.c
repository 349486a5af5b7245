#include "shim.h"

#include <stdio.h>
#include <stdlib.h>

// Gives every open side of the single input the number from `shape`.
static int32_t close_shape(ov_model_t *model, const int64_t *shape, size_t rank) {
    if (rank == 0 || !ov_model_is_dynamic(model)) return mien_ov_ok;
    ov_partial_shape_t closed = {0};
    if (ov_partial_shape_create_static((int64_t)rank, shape, &closed) != OK) return mien_ov_unsuitable;
    const ov_status_e status = ov_model_reshape_single_input(model, closed);
    ov_partial_shape_free(&closed);
    return status == OK ? mien_ov_ok : mien_ov_unsuitable;
}

static int32_t compile(const ov_core_t *core, const ov_model_t *model, int32_t threads, int32_t streams, const char *precision,
                       const char *cache_folder, ov_compiled_model_t **compiled) {
    char thread_text[16], stream_text[16];
    snprintf(thread_text, sizeof thread_text, "%d", threads * streams);
    snprintf(stream_text, sizeof stream_text, "%d", streams);
    ov_property_t properties[6] = {
        {ov_property_key_inference_num_threads, thread_text},
        {ov_property_key_num_streams, stream_text},
        {ov_property_key_hint_inference_precision, precision},
        {ov_property_key_hint_enable_cpu_pinning, "NO"},
        {ov_property_key_cache_dir, cache_folder ? cache_folder : ""},
    };
    return ov_core_compile_model_props(core, model, "CPU", 5, properties, compiled) == OK ? mien_ov_ok : mien_ov_uncompilable;
}

int32_t mien_ov_network_open(const mien_ov_core *core, const char *path, int32_t threads, int32_t streams, const char *precision,
                             const char *cache_folder, const int64_t *shape, size_t rank, mien_ov_network **out, char *why,
                             size_t why_bytes) {
    ov_model_t *model = NULL;
    if (ov_core_read_model(core->raw, path, NULL, &model) != OK) {
        mien_ov_say(why, why_bytes, "the model cannot be read");
        return mien_ov_unreadable;
    }
    size_t inputs = 0, outputs = 0;
    ov_model_inputs_size(model, &inputs);
    ov_model_outputs_size(model, &outputs);
    int32_t status = inputs == 1 && outputs >= 1 && outputs <= mien_ov_outputs_most ? mien_ov_ok : mien_ov_unsuitable;
    if (status == mien_ov_ok) status = close_shape(model, shape, rank);
    if (status != mien_ov_ok) mien_ov_say(why, why_bytes, "the model does not have one input of the declared shape and 1 to 16 outputs");

    ov_compiled_model_t *compiled = NULL;
    if (status == mien_ov_ok) {
        status = compile(core->raw, model, threads, streams, precision, cache_folder, &compiled);
        if (status != mien_ov_ok) mien_ov_say(why, why_bytes, "the model cannot be compiled for this CPU");
    }
    ov_model_free(model);
    if (status != mien_ov_ok) return status;

    mien_ov_network *network = calloc(1, sizeof *network);
    if (!network) abort();
    network->raw = compiled;
    *out = network;
    return mien_ov_ok;
}

void mien_ov_network_free(mien_ov_network *network) {
    if (!network) return;
    ov_compiled_model_free(network->raw);
    free(network);
}
