#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gives every open side of the single input the number from `shape`; with `reshape` the others, too.
static int32_t close_shape(ov_model_t *model, const int64_t *shape, size_t rank, int32_t reshape) {
    if (rank == 0 || !(reshape || ov_model_is_dynamic(model))) return mien_ov_ok;
    ov_partial_shape_t closed = {0};
    if (ov_partial_shape_create_static((int64_t)rank, shape, &closed) != OK) return mien_ov_unsuitable;
    const ov_status_e status = ov_model_reshape_single_input(model, closed);
    ov_partial_shape_free(&closed);
    return status == OK ? mien_ov_ok : mien_ov_unsuitable;
}

enum { property_count = 5 };

struct options {
    char threads[16], streams[16];
    ov_property_t properties[property_count];
};

static void set_options(struct options *o, int32_t threads, int32_t streams, const char *precision, const char *cache_folder) {
    snprintf(o->threads, sizeof o->threads, "%d", threads * streams);
    snprintf(o->streams, sizeof o->streams, "%d", streams);
    const ov_property_t properties[property_count] = {
        {ov_property_key_inference_num_threads, o->threads},
        {ov_property_key_num_streams, o->streams},
        {ov_property_key_hint_inference_precision, precision},
        {ov_property_key_hint_enable_cpu_pinning, "NO"},
        {ov_property_key_cache_dir, cache_folder ? cache_folder : ""},
    };
    memcpy(o->properties, properties, sizeof properties);
}

static int has_wanted_sides(size_t inputs, size_t outputs) { return inputs == 1 && outputs >= 1 && outputs <= mien_ov_outputs_most; }

// 1 when the compiled network has one input without open sides, and 1 to 16 outputs.
static int is_complete(const ov_compiled_model_t *compiled) {
    size_t inputs = 0, outputs = 0;
    if (ov_compiled_model_inputs_size(compiled, &inputs) != OK || ov_compiled_model_outputs_size(compiled, &outputs) != OK) return 0;
    if (!has_wanted_sides(inputs, outputs)) return 0;
    ov_output_const_port_t *input = NULL;
    if (ov_compiled_model_input(compiled, &input) != OK) return 0;
    ov_shape_t shape = {0};
    // Only a static shape can be had this way.
    const int is_static = ov_const_port_get_shape(input, &shape) == OK;
    if (is_static) ov_shape_free(&shape);
    ov_output_const_port_free(input);
    return is_static;
}

// By its path: with a filled cache the file itself is then not even read. NULL when that does not do; opening it step by step tells why.
static ov_compiled_model_t *compile_path(const ov_core_t *core, const char *path, const struct options *options) {
    ov_compiled_model_t *compiled = NULL;
    if (ov_core_compile_model_from_file_props(core, path, "CPU", property_count, options->properties, &compiled) != OK) return NULL;
    if (is_complete(compiled)) return compiled;
    ov_compiled_model_free(compiled);
    return NULL;
}

// Closes open sides and compiles. Frees the model.
static int32_t compile_read(const ov_core_t *core, ov_model_t *model, const struct options *options, const int64_t *shape, size_t rank,
                            int32_t reshape, ov_compiled_model_t **compiled, char *why, size_t why_bytes) {
    size_t inputs = 0, outputs = 0;
    ov_model_inputs_size(model, &inputs);
    ov_model_outputs_size(model, &outputs);
    int32_t status = has_wanted_sides(inputs, outputs) ? close_shape(model, shape, rank, reshape) : mien_ov_unsuitable;
    if (status != mien_ov_ok) {
        mien_ov_say(why, why_bytes, "the model does not have one input of the declared shape and 1 to 16 outputs");
    } else if (ov_core_compile_model_props(core, model, "CPU", property_count, options->properties, compiled) != OK) {
        mien_ov_say(why, why_bytes, "the model cannot be compiled for this CPU");
        status = mien_ov_uncompilable;
    }
    ov_model_free(model);
    return status;
}

// Step by step: read, close open sides, compile.
static int32_t compile_model(const ov_core_t *core, const char *path, const struct options *options, const int64_t *shape, size_t rank,
                             int32_t reshape, ov_compiled_model_t **compiled, char *why, size_t why_bytes) {
    ov_model_t *model = NULL;
    if (ov_core_read_model(core, path, NULL, &model) != OK) {
        mien_ov_say(why, why_bytes, "the model cannot be read");
        return mien_ov_unreadable;
    }
    return compile_read(core, model, options, shape, rank, reshape, compiled, why, why_bytes);
}

int32_t mien_ov_network_open(const mien_ov_core *core, const char *path, int32_t threads, int32_t streams, const char *precision,
                             const char *cache_folder, const int64_t *shape, size_t rank, int32_t reshape, mien_ov_network **out,
                             char *why, size_t why_bytes) {
    struct options options;
    set_options(&options, threads, streams, precision, cache_folder);
    ov_compiled_model_t *compiled = reshape ? NULL : compile_path(core->raw, path, &options);
    if (!compiled) {
        const int32_t status = compile_model(core->raw, path, &options, shape, rank, reshape, &compiled, why, why_bytes);
        if (status != mien_ov_ok) return status;
    }
    mien_ov_network *network = calloc(1, sizeof *network);
    if (!network) abort();
    network->raw = compiled;
    *out = network;
    return mien_ov_ok;
}

int32_t mien_ov_network_open_bytes(const mien_ov_core *core, const void *model_text, size_t model_bytes, const void *weights,
                                   size_t weights_bytes, int32_t threads, int32_t streams, const char *precision,
                                   const int64_t *shape, size_t rank, mien_ov_network **out, char *why, size_t why_bytes) {
    ov_shape_t sides = {0};
    const int64_t count = (int64_t)weights_bytes;
    ov_tensor_t *tensor = NULL;
    ov_model_t *model = NULL;
    if (ov_shape_create(1, &count, &sides) != OK) return mien_ov_failed;
    // The tensor is only read.
    int32_t status = ov_tensor_create_from_host_ptr(U8, sides, (void *)(uintptr_t)weights, &tensor) == OK ? mien_ov_ok : mien_ov_failed;
    ov_shape_free(&sides);
    if (status == mien_ov_ok && ov_core_read_model_from_memory_buffer(core->raw, model_text, model_bytes, tensor, &model) != OK) {
        status = mien_ov_unreadable;
    }
    if (status != mien_ov_ok) {
        mien_ov_say(why, why_bytes, "the model cannot be read");
        if (tensor) ov_tensor_free(tensor);
        return status;
    }
    struct options options;
    set_options(&options, threads, streams, precision, NULL);
    ov_compiled_model_t *compiled = NULL;
    status = compile_read(core->raw, model, &options, shape, rank, 1, &compiled, why, why_bytes);
    ov_tensor_free(tensor);
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
