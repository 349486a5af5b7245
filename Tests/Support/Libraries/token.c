#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../Sources/System/CMienSystem/PKCS11/pkcs11.h"

static int is(const char *state) {
    const char *wanted = getenv("MIEN_TEST_TOKEN");
    return wanted && strcmp(wanted, state) == 0;
}

static CK_RV initialize(void *arguments) {
    (void)arguments;
    return CKR_OK;
}

static CK_RV slots(CK_BYTE present, CK_ULONG *list, CK_ULONG *count) {
    (void)present;
    if (list) list[0] = 7;
    *count = 1;
    return CKR_OK;
}

static CK_RV token_info(CK_ULONG slot, CK_TOKEN_INFO *info) {
    (void)slot;
    memset(info, ' ', sizeof *info);
    memcpy(info->label, "test", 4);
    info->flags = CKF_TOKEN_INITIALIZED | CKF_USER_PIN_INITIALIZED;
    if (is("no-pin")) info->flags = CKF_TOKEN_INITIALIZED;
    if (is("locked")) info->flags |= CKF_USER_PIN_LOCKED;
    if (is("last-try")) info->flags |= CKF_USER_PIN_FINAL_TRY;
    return CKR_OK;
}

static CK_RV open_session(CK_ULONG slot, CK_ULONG flags, void *application, void *notify, CK_ULONG *session) {
    (void)slot, (void)flags, (void)application, (void)notify;
    *session = 1;
    return CKR_OK;
}

static CK_RV close_session(CK_ULONG session) {
    (void)session;
    return CKR_OK;
}

static CK_RV login(CK_ULONG session, CK_ULONG user, CK_BYTE *pin, CK_ULONG size) {
    (void)session, (void)user, (void)pin, (void)size;
    if (is("last-try")) fputs("the last try was used up\n", stderr), abort();
    if (is("locks")) return CKR_PIN_LOCKED;
    return 0x30;  // CKR_DEVICE_ERROR
}

static CK_FUNCTION_LIST functions = {
    .version = {2, 40},
    .C_Initialize = initialize,
    .C_GetSlotList = slots,
    .C_GetTokenInfo = token_info,
    .C_OpenSession = open_session,
    .C_CloseSession = close_session,
    .C_Login = login,
};

__attribute__((visibility("default"))) CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    *list = &functions;
    return CKR_OK;
}
