// Both at their shortest: no header, no checksum, no length, and the states are kept from one text to the next.
#include "peers.h"
#include <zlib.h>

static z_stream deflater, inflater;

size_t zlib_encode(const uint8_t *dictionary, size_t size, const uint8_t *text, size_t count, uint8_t *out, size_t room) {
    if (!deflater.state) deflateInit2(&deflater, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    deflateReset(&deflater);
    if (size) deflateSetDictionary(&deflater, dictionary, (uInt)size);
    deflater.next_in = (Bytef *)text, deflater.avail_in = (uInt)count;
    deflater.next_out = out, deflater.avail_out = (uInt)room;
    deflate(&deflater, Z_FINISH);
    return room - deflater.avail_out;
}

size_t zlib_decode(const uint8_t *dictionary, size_t size, const uint8_t *coded, size_t count, uint8_t *out, size_t room) {
    if (!inflater.state) inflateInit2(&inflater, -15);
    inflateReset(&inflater);
    if (size) inflateSetDictionary(&inflater, dictionary, (uInt)size);
    inflater.next_in = (Bytef *)coded, inflater.avail_in = (uInt)count;
    inflater.next_out = out, inflater.avail_out = (uInt)room;
    inflate(&inflater, Z_FINISH);
    return room - inflater.avail_out;
}

// Declared here, so that libzstd is enough without its headers.
void *ZSTD_createCCtx(void), *ZSTD_createDCtx(void), *ZSTD_createCDict(const void *, size_t, int), *ZSTD_createDDict(const void *, size_t);
size_t ZSTD_CCtx_setParameter(void *, int, int), ZSTD_DCtx_setParameter(void *, int, int);
size_t ZSTD_CCtx_refCDict(void *, const void *), ZSTD_DCtx_refDDict(void *, const void *);
size_t ZSTD_compress2(void *, void *, size_t, const void *, size_t), ZSTD_decompressDCtx(void *, void *, size_t, const void *, size_t);
unsigned ZSTD_isError(size_t);

enum { LEVEL = 100, CONTENT_SIZE = 200, CHECKSUM = 201, DICTIONARY_ID = 202, FORMAT = 10, READ_FORMAT = 1000, MAGICLESS = 1 };
static void *writer, *reader;

void zstd_begin(const uint8_t *dictionary, size_t size, int level) {
    if (!writer) writer = ZSTD_createCCtx(), reader = ZSTD_createDCtx();
    ZSTD_CCtx_setParameter(writer, LEVEL, level);
    ZSTD_CCtx_setParameter(writer, CONTENT_SIZE, 0);
    ZSTD_CCtx_setParameter(writer, CHECKSUM, 0);
    ZSTD_CCtx_setParameter(writer, DICTIONARY_ID, 0);
    ZSTD_CCtx_setParameter(writer, FORMAT, MAGICLESS);
    ZSTD_DCtx_setParameter(reader, READ_FORMAT, MAGICLESS);
    // Few are made, and the process is short.
    ZSTD_CCtx_refCDict(writer, ZSTD_createCDict(dictionary, size, level));
    ZSTD_DCtx_refDDict(reader, ZSTD_createDDict(dictionary, size));
}

size_t zstd_encode(const uint8_t *text, size_t count, uint8_t *out, size_t room) {
    size_t size = ZSTD_compress2(writer, out, room, text, count);
    return ZSTD_isError(size) ? 0 : size;
}

size_t zstd_decode(const uint8_t *coded, size_t count, uint8_t *out, size_t room) {
    size_t size = ZSTD_decompressDCtx(reader, out, room, coded, count);
    return ZSTD_isError(size) ? 0 : size;
}
