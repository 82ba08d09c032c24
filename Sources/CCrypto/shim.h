#ifndef BEACOND_CCRYPTO_SHIM_H
#define BEACOND_CCRYPTO_SHIM_H

// What OpenSSL 3.0 calls deprecated can't be called by mistake.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/evp.h>
#include <openssl/hmac.h>

#endif
