/* libmosquitto before 2.1 aborts the process when a broker sends an unknown MQTT 5 property: property__read logs it without
 * a client, and log__printf asserts that there is one. No packet of a broker may end the agent, so that one assertion ends
 * the reading instead. From 2.1 on the library itself returns the same code. This file can go once no supported
 * distribution has an older library. */
#define _GNU_SOURCE
#include "mosquitto_reader.h"

#include <assert.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf beforeReading;
static _Thread_local bool isReading;

int beacond_mosquitto_read(struct mosquitto *client)
{
    /* The jump skips frames of libmosquitto alone, which hold no lock there. The packet is freed with the client. A property
     * of some bytes leaks, and so does a PUBLISH's topic. */
    if (_setjmp(beforeReading) != 0) return MOSQ_ERR_MALFORMED_PACKET;
    isReading = true;
    int code = mosquitto_loop_read(client, 1);
    isReading = false;
    return code;
}

typedef void (*AssertionFailure)(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

/* Replaces the C library's function, and calls it for every other assertion of the process. */
void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function)
{
    if (isReading && function != NULL && strcmp(function, "log__printf") == 0) {
        isReading = false;
        _longjmp(beforeReading, 1);
    }
    AssertionFailure next = (AssertionFailure)dlsym(RTLD_NEXT, "__assert_fail");
    if (next != NULL) next(assertion, file, line, function);
    abort();
}
