// What Debian's zlib and zstd make of a text with a dictionary; peers.c.
#include <stddef.h>
#include <stdint.h>

size_t zlib_encode(const uint8_t *dictionary, size_t size, const uint8_t *text, size_t count, uint8_t *out, size_t room);
size_t zlib_decode(const uint8_t *dictionary, size_t size, const uint8_t *coded, size_t count, uint8_t *out, size_t room);
void zstd_begin(const uint8_t *dictionary, size_t size, int level);
size_t zstd_encode(const uint8_t *text, size_t count, uint8_t *out, size_t room);
size_t zstd_decode(const uint8_t *coded, size_t count, uint8_t *out, size_t room);
