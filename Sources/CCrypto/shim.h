#ifndef BEACOND_CCRYPTO_SHIM_H
#define BEACOND_CCRYPTO_SHIM_H

#include <openssl/evp.h>
#include <openssl/hmac.h>

#endif
