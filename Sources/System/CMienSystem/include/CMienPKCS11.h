#ifndef CMIENPKCS11_H
#define CMIENPKCS11_H

#include <stddef.h>
#include <stdint.h>

// Keys in a token: a hardware security module, a smart card, or SoftHSM, through the PKCS #11 module of its maker (OASIS PKCS #11 2.40, which 3.x
// extends). The caller closes a token with mien_token_close. One thread at a time.
typedef struct mien_token mien_token;

// Negative values are stable and never reused. Positive ones are the return values (CKR_…) of the module.
enum {
    mien_token_ok = 0,
    // The module cannot be loaded.
    mien_token_no_module = -1,
    // The file is a library, but no PKCS #11 module.
    mien_token_not_a_module = -2,
    // No token has the label.
    mien_token_absent = -3,
    // Several tokens have the label.
    mien_token_ambiguous = -4,
    // The token was not set up: it has no user PIN.
    mien_token_without_pin = -5,
    // The PIN was wrong so often that the token accepts none any more.
    mien_token_locked = -6,
    // One wrong PIN would lock the token, so none was tried.
    mien_token_last_try = -7,
    mien_token_no_key = -8,
    mien_token_many_keys = -9,
    // The key is neither an AES key nor an RSA key pair, or may not encrypt and decrypt.
    mien_token_unusable_key = -10,
    mien_token_out_of_memory = -11,
};

// The kinds of keys.
enum { mien_token_aes = 1, mien_token_rsa = 2 };

// Loads `module` and initializes it. The module stays loaded until the process ends, because many do not survive being unloaded.
int32_t mien_token_module(const char *module, mien_token **token);

// *labels gets the labels of all tokens of the module, one a line, owned by `token` and valid until the next call.
int32_t mien_token_labels(mien_token *token, const char **labels);

// Opens the token with `label` and logs in as its user. Call it once.
int32_t mien_token_open(mien_token *token, const char *label, const void *pin, size_t pin_size);

// Finds the key with `label`: an AES key, or an RSA key pair. *kind gets its kind, *is_guarded whether the token never gives it away (1 or 0).
int32_t mien_token_find_key(mien_token *token, const char *label, int32_t *kind, int32_t *is_guarded);

// Makes an AES key of 256 bits that never leaves the token. mien_token_many_keys if the label is taken.
int32_t mien_token_make_key(mien_token *token, const char *label);

// Encrypts under the found key: AES-GCM with a tag of 16 bytes, or RSA-OAEP with SHA-1, which ignores `nonce` and `context`. *size is the room at
// `out` before, and the number of bytes after.
int32_t mien_token_encrypt(
    mien_token *token, const void *nonce, size_t nonce_size, const void *context, size_t context_size, const void *bytes, size_t bytes_size, void *out,
    size_t *size);

// The reverse of mien_token_encrypt.
int32_t mien_token_decrypt(
    mien_token *token, const void *nonce, size_t nonce_size, const void *context, size_t context_size, const void *bytes, size_t bytes_size, void *out,
    size_t *size);

// Logs out and closes the session.
void mien_token_close(mien_token *token);

#endif
