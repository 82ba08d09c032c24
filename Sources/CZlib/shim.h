#ifndef BEACOND_CZLIB_SHIM_H
#define BEACOND_CZLIB_SHIM_H

#include <zlib.h>

// deflateInit2 and inflateInit2 are macros, which Swift cannot call. The data has neither header nor checksum.
static inline int beacond_deflate_init(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, -14, 6, Z_DEFAULT_STRATEGY);
}

static inline int beacond_inflate_init(z_stream *stream) { return inflateInit2(stream, -14); }

#endif
