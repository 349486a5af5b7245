#define _GNU_SOURCE
#include "CMienPKCS11.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pkcs11.h"

// More tokens than any machine has.
enum { max_slots = 256, aes_bytes = 32, gcm_tag_bits = 128, label_size = 32 };

struct mien_token {
    const CK_FUNCTION_LIST *functions;
    CK_ULONG session;
    int has_session;
    CK_ULONG encrypting_key, decrypting_key;
    int32_t kind;
    char labels[max_slots * (label_size + 1) + 1];
};

int32_t mien_token_module(const char *module, mien_token **token) {
    *token = NULL;
    void *library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    if (!library) return mien_token_no_module;
    CK_RV (*list)(CK_FUNCTION_LIST **) = NULL;
    // ISO C has no conversion between pointers to data and to functions.
    *(void **)&list = dlsym(library, "C_GetFunctionList");
    CK_FUNCTION_LIST *functions = NULL;
    if (!list || list(&functions) != CKR_OK || !functions) return mien_token_not_a_module;
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    CK_RV status = functions->C_Initialize(&arguments);
    if (status != CKR_OK && status != CKR_CRYPTOKI_ALREADY_INITIALIZED) return (int32_t)status;
    mien_token *made = calloc(1, sizeof *made);
    if (!made) return mien_token_out_of_memory;
    made->functions = functions;
    *token = made;
    return mien_token_ok;
}

// The length of a label, which is padded with spaces.
static size_t length_of(const CK_BYTE *label) {
    size_t length = label_size;
    while (length > 0 && (label[length - 1] == ' ' || label[length - 1] == 0)) length--;
    return length;
}

static int32_t slots_of(mien_token *token, CK_ULONG *slots, CK_ULONG *count) {
    *count = max_slots;
    return (int32_t)token->functions->C_GetSlotList(1, slots, count);
}

int32_t mien_token_labels(mien_token *token, const char **labels) {
    CK_ULONG slots[max_slots], count;
    token->labels[0] = 0;
    *labels = token->labels;
    int32_t status = slots_of(token, slots, &count);
    if (status) return status;
    size_t size = 0;
    for (CK_ULONG index = 0; index < count; index++) {
        CK_TOKEN_INFO info;
        if (token->functions->C_GetTokenInfo(slots[index], &info) != CKR_OK) continue;
        if (!(info.flags & CKF_TOKEN_INITIALIZED)) continue;
        size_t length = length_of(info.label);
        memcpy(token->labels + size, info.label, length);
        size += length;
        token->labels[size++] = '\n';
    }
    token->labels[size] = 0;
    return mien_token_ok;
}

int32_t mien_token_open(mien_token *token, const char *label, const void *pin, size_t pin_size) {
    CK_ULONG slots[max_slots], count, found = 0, flags = 0, slot = 0;
    int32_t status = slots_of(token, slots, &count);
    if (status) return status;
    for (CK_ULONG index = 0; index < count; index++) {
        CK_TOKEN_INFO info;
        if (token->functions->C_GetTokenInfo(slots[index], &info) != CKR_OK) continue;
        size_t length = length_of(info.label);
        if (length != strlen(label) || memcmp(info.label, label, length)) continue;
        found++;
        slot = slots[index];
        flags = info.flags;
    }
    if (found == 0) return mien_token_absent;
    if (found > 1) return mien_token_ambiguous;
    if (!(flags & CKF_USER_PIN_INITIALIZED)) return mien_token_without_pin;
    if (flags & CKF_USER_PIN_LOCKED) return mien_token_locked;
    // A server that is started again and again must not lock the token.
    if (flags & CKF_USER_PIN_FINAL_TRY) return mien_token_last_try;
    CK_RV result = token->functions->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &token->session);
    if (result != CKR_OK) return (int32_t)result;
    token->has_session = 1;
    // The module does not change the PIN, but its declaration says that it may.
    CK_BYTE *copy = malloc(pin_size + 1);
    if (!copy) return mien_token_out_of_memory;
    memcpy(copy, pin, pin_size);
    result = token->functions->C_Login(token->session, CKU_USER, copy, pin_size);
    explicit_bzero(copy, pin_size);
    free(copy);
    if (result == CKR_USER_ALREADY_LOGGED_IN) return mien_token_ok;
    if (result == CKR_PIN_LOCKED) return mien_token_locked;
    return (int32_t)result;
}

// Finds the objects of a class with a label: how many, at most two, and the first one.
static int32_t find(mien_token *token, CK_ULONG class, const char *label, CK_ULONG *count, CK_ULONG *object) {
    CK_ATTRIBUTE wanted[] = {{CKA_CLASS, &class, sizeof class}, {CKA_LABEL, (void *)label, strlen(label)}};
    CK_RV status = token->functions->C_FindObjectsInit(token->session, wanted, 2);
    if (status != CKR_OK) return (int32_t)status;
    CK_ULONG objects[2];
    *count = 0;
    status = token->functions->C_FindObjects(token->session, objects, 2, count);
    token->functions->C_FindObjectsFinal(token->session);
    if (status == CKR_OK && *count > 0) *object = objects[0];
    return (int32_t)status;
}

static int has(mien_token *token, CK_ULONG object, CK_ULONG attribute) {
    CK_BYTE value = 0;
    CK_ATTRIBUTE asked = {attribute, &value, sizeof value};
    return token->functions->C_GetAttributeValue(token->session, object, &asked, 1) == CKR_OK && value;
}

// Not the opposite of has: a token that does not answer says neither.
static int lacks(mien_token *token, CK_ULONG object, CK_ULONG attribute) {
    CK_BYTE value = 1;
    CK_ATTRIBUTE asked = {attribute, &value, sizeof value};
    return token->functions->C_GetAttributeValue(token->session, object, &asked, 1) == CKR_OK && !value;
}

static CK_ULONG type_of(mien_token *token, CK_ULONG object) {
    CK_ULONG type = ~0UL;
    CK_ATTRIBUTE asked = {CKA_KEY_TYPE, &type, sizeof type};
    return token->functions->C_GetAttributeValue(token->session, object, &asked, 1) == CKR_OK ? type : ~0UL;
}

int32_t mien_token_find_key(mien_token *token, const char *label, int32_t *kind, int32_t *is_guarded) {
    CK_ULONG secrets = 0, privates = 0, publics = 0, secret = 0, private = 0, public = 0;
    int32_t status = find(token, CKO_SECRET_KEY, label, &secrets, &secret);
    if (!status) status = find(token, CKO_PRIVATE_KEY, label, &privates, &private);
    if (!status) status = find(token, CKO_PUBLIC_KEY, label, &publics, &public);
    if (status) return status;
    if (secrets + privates == 0) return mien_token_no_key;
    if (secrets + privates > 1 || publics > 1) return mien_token_many_keys;
    if (secrets) {
        if (type_of(token, secret) != CKK_AES || !has(token, secret, CKA_ENCRYPT) || !has(token, secret, CKA_DECRYPT))
            return mien_token_unusable_key;
        token->encrypting_key = token->decrypting_key = secret;
        token->kind = mien_token_aes;
    } else {
        if (!publics || type_of(token, private) != CKK_RSA || !has(token, private, CKA_DECRYPT) || !has(token, public, CKA_ENCRYPT))
            return mien_token_unusable_key;
        token->encrypting_key = public;
        token->decrypting_key = private;
        token->kind = mien_token_rsa;
    }
    *kind = token->kind;
    *is_guarded = has(token, token->decrypting_key, CKA_SENSITIVE) && lacks(token, token->decrypting_key, CKA_EXTRACTABLE);
    return mien_token_ok;
}

int32_t mien_token_make_key(mien_token *token, const char *label) {
    CK_ULONG count = 0, object = 0, class = CKO_SECRET_KEY, type = CKK_AES, size = aes_bytes;
    for (CK_ULONG taken = CKO_PUBLIC_KEY; taken <= CKO_SECRET_KEY; taken++) {
        int32_t status = find(token, taken, label, &count, &object);
        if (status) return status;
        if (count) return mien_token_many_keys;
    }
    CK_BYTE yes = 1, no = 0;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &class, sizeof class},       {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_VALUE_LEN, &size, sizeof size},     {CKA_LABEL, (void *)label, strlen(label)},
        {CKA_TOKEN, &yes, sizeof yes},           {CKA_PRIVATE, &yes, sizeof yes},
        {CKA_SENSITIVE, &yes, sizeof yes},       {CKA_EXTRACTABLE, &no, sizeof no},
        {CKA_ENCRYPT, &yes, sizeof yes},         {CKA_DECRYPT, &yes, sizeof yes},
    };
    CK_MECHANISM mechanism = {CKM_AES_KEY_GEN, NULL, 0};
    return (int32_t)token->functions->C_GenerateKey(token->session, &mechanism, template, sizeof template / sizeof *template, &object);
}

// The mechanism for the found key, in room of the caller.
typedef struct {
    CK_GCM_PARAMS gcm;
    CK_RSA_PKCS_OAEP_PARAMS oaep;
    CK_MECHANISM mechanism;
} mechanism;

static CK_MECHANISM *mechanism_of(
    const mien_token *token, mechanism *room, const void *nonce, size_t nonce_size, const void *context, size_t context_size) {
    if (token->kind == mien_token_aes) {
        room->gcm = (CK_GCM_PARAMS){(void *)nonce, nonce_size, nonce_size * 8, (void *)context, context_size, gcm_tag_bits};
        room->mechanism = (CK_MECHANISM){CKM_AES_GCM, &room->gcm, sizeof room->gcm};
    } else {
        // SHA-1 is what every token supports. OAEP does not need it to resist collisions.
        room->oaep = (CK_RSA_PKCS_OAEP_PARAMS){CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0};
        room->mechanism = (CK_MECHANISM){CKM_RSA_PKCS_OAEP, &room->oaep, sizeof room->oaep};
    }
    return &room->mechanism;
}

int32_t mien_token_encrypt(
    mien_token *token, const void *nonce, size_t nonce_size, const void *context, size_t context_size, const void *bytes, size_t bytes_size, void *out,
    size_t *size) {
    if (!token->kind) return mien_token_no_key;
    mechanism room;
    CK_RV status = token->functions->C_EncryptInit(
        token->session, mechanism_of(token, &room, nonce, nonce_size, context, context_size), token->encrypting_key);
    CK_ULONG count = *size;
    if (status == CKR_OK) status = token->functions->C_Encrypt(token->session, (CK_BYTE *)bytes, bytes_size, out, &count);
    *size = count;
    return (int32_t)status;
}

int32_t mien_token_decrypt(
    mien_token *token, const void *nonce, size_t nonce_size, const void *context, size_t context_size, const void *bytes, size_t bytes_size, void *out,
    size_t *size) {
    if (!token->kind) return mien_token_no_key;
    mechanism room;
    CK_RV status = token->functions->C_DecryptInit(
        token->session, mechanism_of(token, &room, nonce, nonce_size, context, context_size), token->decrypting_key);
    CK_ULONG count = *size;
    if (status == CKR_OK) status = token->functions->C_Decrypt(token->session, (CK_BYTE *)bytes, bytes_size, out, &count);
    *size = count;
    return (int32_t)status;
}

void mien_token_close(mien_token *token) {
    if (!token) return;
    if (token->has_session) token->functions->C_CloseSession(token->session);
    free(token);
}
