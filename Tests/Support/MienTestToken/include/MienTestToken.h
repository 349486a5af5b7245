#ifndef MIENTESTTOKEN_H
#define MIENTESTTOKEN_H

// A PKCS #11 module for tests, with one token “test” that fails as MIEN_TEST_TOKEN says: "locked", "last-try", "no-pin", "locks" (the login finds it
// locked), or "broken" (every login fails with CKR_DEVICE_ERROR). A login while the token says that one try is left is written to standard error.
int mien_test_token_is_here(void);

#endif
