#ifndef BEACOND_CLINUX_SHIM_H
#define BEACOND_CLINUX_SHIM_H

/* Headers that Swift's module of the C library leaves out. */
#include <sys/eventfd.h>
#include <sys/timex.h>

#endif
