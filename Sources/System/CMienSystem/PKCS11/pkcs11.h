#ifndef MIEN_PKCS11_H
#define MIEN_PKCS11_H

// The part of PKCS #11 2.40 that we use, declared by ourselves from the standard's text. On Linux, structures have their natural alignment.

typedef unsigned char CK_BYTE;
typedef unsigned long CK_ULONG;
typedef CK_ULONG CK_RV;

typedef struct {
    CK_BYTE major, minor;
} CK_VERSION;

typedef struct {
    CK_BYTE label[32], manufacturer[32], model[16], serial_number[16];
    CK_ULONG flags;
    CK_ULONG max_sessions, sessions, max_rw_sessions, rw_sessions, max_pin, min_pin;
    CK_ULONG total_public, free_public, total_private, free_private;
    CK_VERSION hardware, firmware;
    CK_BYTE utc_time[16];
} CK_TOKEN_INFO;

typedef struct {
    CK_ULONG type;
    void *value;
    CK_ULONG value_size;
} CK_ATTRIBUTE;

typedef struct {
    CK_ULONG mechanism;
    void *parameter;
    CK_ULONG parameter_size;
} CK_MECHANISM;

// With the field iv_bits, which the errata of 2.40 added and every module that we know expects.
typedef struct {
    void *iv;
    CK_ULONG iv_size, iv_bits;
    void *aad;
    CK_ULONG aad_size, tag_bits;
} CK_GCM_PARAMS;

typedef struct {
    CK_ULONG hash, mgf, source;
    void *source_data;
    CK_ULONG source_data_size;
} CK_RSA_PKCS_OAEP_PARAMS;

typedef struct {
    void *create_mutex, *destroy_mutex, *lock_mutex, *unlock_mutex;
    CK_ULONG flags;
    void *reserved;
} CK_C_INITIALIZE_ARGS;

typedef struct CK_FUNCTION_LIST {
    CK_VERSION version;
    CK_RV (*C_Initialize)(void *);
    void *C_Finalize, *C_GetInfo, *C_GetFunctionList;
    CK_RV (*C_GetSlotList)(CK_BYTE, CK_ULONG *, CK_ULONG *);
    void *C_GetSlotInfo;
    CK_RV (*C_GetTokenInfo)(CK_ULONG, CK_TOKEN_INFO *);
    void *C_GetMechanismList, *C_GetMechanismInfo, *C_InitToken, *C_InitPIN, *C_SetPIN;
    CK_RV (*C_OpenSession)(CK_ULONG, CK_ULONG, void *, void *, CK_ULONG *);
    CK_RV (*C_CloseSession)(CK_ULONG);
    void *C_CloseAllSessions, *C_GetSessionInfo, *C_GetOperationState, *C_SetOperationState;
    CK_RV (*C_Login)(CK_ULONG, CK_ULONG, CK_BYTE *, CK_ULONG);
    CK_RV (*C_Logout)(CK_ULONG);
    void *C_CreateObject, *C_CopyObject, *C_DestroyObject, *C_GetObjectSize;
    CK_RV (*C_GetAttributeValue)(CK_ULONG, CK_ULONG, CK_ATTRIBUTE *, CK_ULONG);
    void *C_SetAttributeValue;
    CK_RV (*C_FindObjectsInit)(CK_ULONG, CK_ATTRIBUTE *, CK_ULONG);
    CK_RV (*C_FindObjects)(CK_ULONG, CK_ULONG *, CK_ULONG, CK_ULONG *);
    CK_RV (*C_FindObjectsFinal)(CK_ULONG);
    CK_RV (*C_EncryptInit)(CK_ULONG, CK_MECHANISM *, CK_ULONG);
    CK_RV (*C_Encrypt)(CK_ULONG, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
    void *C_EncryptUpdate, *C_EncryptFinal;
    CK_RV (*C_DecryptInit)(CK_ULONG, CK_MECHANISM *, CK_ULONG);
    CK_RV (*C_Decrypt)(CK_ULONG, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
    void *C_DecryptUpdate, *C_DecryptFinal;
    void *C_DigestInit, *C_Digest, *C_DigestUpdate, *C_DigestKey, *C_DigestFinal;
    void *C_SignInit, *C_Sign, *C_SignUpdate, *C_SignFinal, *C_SignRecoverInit, *C_SignRecover;
    void *C_VerifyInit, *C_Verify, *C_VerifyUpdate, *C_VerifyFinal, *C_VerifyRecoverInit, *C_VerifyRecover;
    void *C_DigestEncryptUpdate, *C_DecryptDigestUpdate, *C_SignEncryptUpdate, *C_DecryptVerifyUpdate;
    CK_RV (*C_GenerateKey)(CK_ULONG, CK_MECHANISM *, CK_ATTRIBUTE *, CK_ULONG, CK_ULONG *);
    // More follows, which we do not use.
} CK_FUNCTION_LIST;

enum {
    CKR_OK = 0x000,
    CKR_PIN_LOCKED = 0x0A4,
    CKR_USER_ALREADY_LOGGED_IN = 0x100,
    CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191,

    CKF_OS_LOCKING_OK = 0x2,
    CKF_RW_SESSION = 0x2,
    CKF_SERIAL_SESSION = 0x4,
    CKF_USER_PIN_INITIALIZED = 0x8,
    CKF_TOKEN_INITIALIZED = 0x400,
    CKF_USER_PIN_FINAL_TRY = 0x20000,
    CKF_USER_PIN_LOCKED = 0x40000,
    CKU_USER = 1,

    CKO_PUBLIC_KEY = 2,
    CKO_PRIVATE_KEY = 3,
    CKO_SECRET_KEY = 4,
    CKK_RSA = 0x00,
    CKK_AES = 0x1F,

    CKA_CLASS = 0x000,
    CKA_TOKEN = 0x001,
    CKA_PRIVATE = 0x002,
    CKA_LABEL = 0x003,
    CKA_KEY_TYPE = 0x100,
    CKA_SENSITIVE = 0x103,
    CKA_ENCRYPT = 0x104,
    CKA_DECRYPT = 0x105,
    CKA_VALUE_LEN = 0x161,
    CKA_EXTRACTABLE = 0x162,

    CKM_RSA_PKCS_OAEP = 0x0009,
    CKM_SHA_1 = 0x0220,
    CKM_AES_KEY_GEN = 0x1080,
    CKM_AES_GCM = 0x1087,
    CKG_MGF1_SHA1 = 1,
    CKZ_DATA_SPECIFIED = 1,
};

#endif
