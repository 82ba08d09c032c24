#ifndef BEACOND_CSQLITE_SHIM_H
#define BEACOND_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
