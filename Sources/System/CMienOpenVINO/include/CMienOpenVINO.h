#ifndef CMIEN_OPENVINO_H
#define CMIEN_OPENVINO_H
#include <stddef.h>
#include <stdint.h>

// OpenVINO's C interface, brought down to what Mien needs: networks with one f32 or u8 input and any number of f32 outputs,
// compiled for the CPU. No policy.

// Negative values are stable and never reused.
enum {
    mien_ov_ok = 0,
    mien_ov_no_runtime = -1,    // the library or its CPU plug-in cannot be used
    mien_ov_unreadable = -2,    // no model, or not one this build reads
    mien_ov_uncompilable = -3,  // read, but the CPU plug-in cannot run it as asked
    mien_ov_unsuitable = -4,    // not one static input, or an element type we do not take
    mien_ov_failed = -5,        // a run failed
};

typedef struct mien_ov_core mien_ov_core;        // any thread
typedef struct mien_ov_network mien_ov_network;  // any thread
typedef struct mien_ov_request mien_ov_request;  // one thread at a time

// All functions that return a status write a NUL-terminated reason, in English and without personal data, into `why` (cut to `why_bytes`).

int32_t mien_ov_core_new(mien_ov_core **core, char *why, size_t why_bytes);
void mien_ov_core_free(mien_ov_core *core);

// Returns memory to the system that the C library's allocator keeps free, as after compiling networks. Any thread.
void mien_ov_return_memory(void);

// The run-time's version text, copied into `text`; empty when unknown.
void mien_ov_version(char *text, size_t text_bytes);
// "FP32 BF16 …": what the CPU plug-in says it can, copied into `text`; empty when unknown.
void mien_ov_capabilities(const mien_ov_core *core, char *text, size_t text_bytes);

// Reads and compiles `path`. `streams` runs can be under way at once, each with `threads` threads.
// `precision` is "f32" or "bf16". `cache_folder` may be NULL: then nothing is kept.
// Where the file leaves input sides open, `shape` (rank numbers) fixes them; rank 0 means: take it as it is.
// The caller frees *network with mien_ov_network_free, after all its requests.
int32_t mien_ov_network_open(const mien_ov_core *core, const char *path, int32_t threads, int32_t streams, const char *precision,
                             const char *cache_folder, const int64_t *shape, size_t rank, int32_t reshape, mien_ov_network **network, char *why,
                             size_t why_bytes);
// The same for an IR in memory: `model` is the text of its .xml file, `weights` the content of its .bin file. Both are only read
// during the call. `shape` fixes the input's sides.
int32_t mien_ov_network_open_bytes(const mien_ov_core *core, const void *model, size_t model_bytes, const void *weights,
                                   size_t weights_bytes, int32_t threads, int32_t streams, const char *precision,
                                   const int64_t *shape, size_t rank, mien_ov_network **network, char *why, size_t why_bytes);
void mien_ov_network_free(mien_ov_network *network);

// The caller frees *request with mien_ov_request_free.
int32_t mien_ov_request_new(const mien_ov_network *network, mien_ov_request **request, char *why, size_t why_bytes);
void mien_ov_request_free(mien_ov_request *request);

// The input's memory, owned by the request and valid as long as it. *bytes_per_element is 4 (f32) or 1 (u8).
void mien_ov_request_input(mien_ov_request *request, void **data, size_t *elements, int32_t *bytes_per_element);

int32_t mien_ov_request_run(mien_ov_request *request, char *why, size_t why_bytes);

size_t mien_ov_request_outputs(const mien_ov_request *request);
// f32 values of output `index`, owned by the request and valid until its next run.
void mien_ov_request_output(const mien_ov_request *request, size_t index, const float **data, size_t *elements);

#endif
