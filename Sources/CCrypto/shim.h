#ifndef BEACOND_CCRYPTO_SHIM_H
#define BEACOND_CCRYPTO_SHIM_H

// Hides the functions that OpenSSL 3.0 deprecates.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#endif
