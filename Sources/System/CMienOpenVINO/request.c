#include "shim.h"

#include <stdlib.h>

int32_t mien_ov_request_new(const mien_ov_network *network, mien_ov_request **out, char *why, size_t why_bytes) {
    mien_ov_request *request = calloc(1, sizeof *request);
    if (!request) abort();
    ov_element_type_e type = DYNAMIC;
    size_t outputs = 0;
    ov_status_e status = ov_compiled_model_create_infer_request(network->raw, &request->raw);
    if (status == OK) status = ov_infer_request_get_input_tensor(request->raw, &request->input);
    if (status == OK) status = ov_tensor_get_element_type(request->input, &type);
    if (status == OK) status = ov_compiled_model_outputs_size(network->raw, &outputs);
    int32_t result = status == OK ? mien_ov_ok : mien_ov_failed;
    if (result == mien_ov_ok && type != F32 && type != U8) result = mien_ov_unsuitable;
    for (size_t i = 0; result == mien_ov_ok && i < outputs && i < mien_ov_outputs_most; i++) {
        if (ov_infer_request_get_output_tensor_by_index(request->raw, i, &request->outputs[i]) != OK ||
            ov_tensor_get_element_type(request->outputs[i], &type) != OK)
            result = mien_ov_failed;
        else if (type != F32)
            result = mien_ov_unsuitable;
        request->output_count = i + 1;
    }
    if (result != mien_ov_ok) {
        mien_ov_say(why, why_bytes, result == mien_ov_unsuitable ? "inputs must be f32 or u8 and outputs f32" : "no infer request");
        mien_ov_request_free(request);
        return result;
    }
    *out = request;
    return mien_ov_ok;
}

void mien_ov_request_free(mien_ov_request *request) {
    if (!request) return;
    for (size_t i = 0; i < request->output_count; i++)
        if (request->outputs[i]) ov_tensor_free(request->outputs[i]);
    if (request->input) ov_tensor_free(request->input);
    if (request->raw) ov_infer_request_free(request->raw);
    free(request);
}

void mien_ov_request_input(mien_ov_request *request, void **data, size_t *elements, int32_t *bytes_per_element) {
    ov_element_type_e type = DYNAMIC;
    *data = NULL;
    *elements = 0;
    ov_tensor_data(request->input, data);
    ov_tensor_get_size(request->input, elements);
    ov_tensor_get_element_type(request->input, &type);
    *bytes_per_element = type == F32 ? 4 : 1;
}

int32_t mien_ov_request_run(mien_ov_request *request, char *why, size_t why_bytes) {
    if (ov_infer_request_infer(request->raw) == OK) return mien_ov_ok;
    mien_ov_say(why, why_bytes, "the network did not run");
    return mien_ov_failed;
}

size_t mien_ov_request_outputs(const mien_ov_request *request) { return request->output_count; }

void mien_ov_request_output(const mien_ov_request *request, size_t index, const float **data, size_t *elements) {
    void *raw = NULL;
    *elements = 0;
    if (index < request->output_count && ov_tensor_data(request->outputs[index], &raw) == OK)
        ov_tensor_get_size(request->outputs[index], elements);
    *data = raw;
}
