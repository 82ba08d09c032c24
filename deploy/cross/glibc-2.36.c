/* Debian 12 has glibc 2.36, and the Swift runtime that is linked into beacond was compiled against a later one. These are the
   names that it takes from there, in terms of what glibc 2.36 has. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* C23's readers of numbers also accept 0b, which the older ones take for a 0. The runtime never asks for base 2. */
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

/* Copies what fits, always ends it with a zero, and returns the whole length. */
size_t strlcpy(char *target, const char *source, size_t size) {
    size_t length = strlen(source);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(target, source, copied);
        target[copied] = 0;
    }
    return length;
}

size_t strlcat(char *target, const char *source, size_t size) {
    size_t length = strnlen(target, size);
    return length == size ? length + strlen(source) : length + strlcpy(target + length, source, size - length);
}
