#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void mien_ov_say(char *why, size_t why_bytes, const char *what) {
    if (!why || why_bytes == 0) return;
    const char *detail = ov_get_last_err_msg();
    if (detail && *detail)
        snprintf(why, why_bytes, "%s: %s", what, detail);
    else
        snprintf(why, why_bytes, "%s", what);
}

int32_t mien_ov_core_new(mien_ov_core **out, char *why, size_t why_bytes) {
    mien_ov_core *core = calloc(1, sizeof *core);
    if (!core) abort();
    if (ov_core_create(&core->raw) != OK) {
        mien_ov_say(why, why_bytes, "OpenVINO does not start");
        free(core);
        return mien_ov_no_runtime;
    }
    *out = core;
    return mien_ov_ok;
}

void mien_ov_core_free(mien_ov_core *core) {
    if (!core) return;
    ov_core_free(core->raw);
    free(core);
}

void mien_ov_return_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void mien_ov_version(char *text, size_t text_bytes) {
    ov_version_t version = {0};
    text[0] = 0;
    if (ov_get_openvino_version(&version) != OK) return;
    snprintf(text, text_bytes, "%s", version.buildNumber ? version.buildNumber : "");
    ov_version_free(&version);
}

void mien_ov_capabilities(const mien_ov_core *core, char *text, size_t text_bytes) {
    char *value = NULL;
    text[0] = 0;
    if (ov_core_get_property(core->raw, "CPU", ov_property_key_device_capabilities, &value) != OK || !value) return;
    snprintf(text, text_bytes, "%s", value);
    ov_free(value);
}
