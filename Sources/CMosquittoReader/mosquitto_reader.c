/* libmosquitto before 2.1 aborts the process when a broker sends an MQTT 5 property that does not exist: property__read logs
 * it without naming a client, and log__printf asserts that there is one. Nothing that a broker says may end the agent, so
 * that one assertion ends the reading instead. From 2.1 on the library returns the same code by itself, and this file can
 * go once no supported distribution has an older one. */
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
    /* What is jumped over are frames of libmosquitto alone, which hold no lock there. The packet is freed with the client;
     * a property of some bytes, and of a PUBLISH its topic, are lost. */
    if (_setjmp(beforeReading) != 0) return MOSQ_ERR_MALFORMED_PACKET;
    isReading = true;
    int code = mosquitto_loop_read(client, 1);
    isReading = false;
    return code;
}

typedef void (*AssertionFailure)(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

/* In place of the C library's, which every other assertion of the process still gets. */
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
