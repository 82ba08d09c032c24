// Writes a btsnoop capture (datalink 1002) on standard output: what a gateway's controller reports of a number of
// beacons that all advertise at one interval, and of other devices between them. The same arguments write the same bytes.
//
//     capture BEACONS REPORTS INTERVAL_MS
//
// One report in five is of a device that is no beacon. Beacons have static addresses, one UUID, major 1 and up with 10,000
// minors each. Every advertisement comes 0 to 10 ms late, as the Core asks for, one in ten is lost, and levels wander.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { others = 50, minors = 10000, delay_us = 10000 };

// 2026-01-01T00:00:00Z, in microseconds since year 0, btsnoop's origin.
static const int64_t begin_us = 0x00DCDDB30F2F8000 + INT64_C(1767225600000000);

static const uint8_t uuid[16] = {0x39, 0xED, 0x98, 0xFF, 0x29, 0x00, 0x44, 0x1A,
                                 0x80, 0x2F, 0x9C, 0x39, 0x8F, 0xC1, 0x99, 0xD2};

struct report {
    int64_t at_us;
    uint32_t device;
};

// xorshift64*: good enough to spread, and the same everywhere.
static uint64_t state = 0x9E3779B97F4A7C15;
static uint64_t next_random(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1D;
}
static uint32_t below(uint32_t limit) { return (uint32_t)((next_random() >> 32) * limit >> 32); }

static int by_time(const void *left, const void *right) {
    const struct report *a = left, *b = right;
    if (a->at_us != b->at_us) return a->at_us < b->at_us ? -1 : 1;
    return a->device < b->device ? -1 : a->device > b->device;
}

static uint8_t *big32(uint8_t *at, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) *at++ = (uint8_t)(value >> shift);
    return at;
}

static uint8_t *beacon_data(uint8_t *at, uint32_t number) {
    static const uint8_t front[] = {0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15};
    memcpy(at, front, sizeof front);
    at += sizeof front;
    memcpy(at, uuid, sizeof uuid);
    at += sizeof uuid;
    uint32_t major = 1 + number / minors, minor = number % minors;
    *at++ = (uint8_t)(major >> 8);
    *at++ = (uint8_t)major;
    *at++ = (uint8_t)(minor >> 8);
    *at++ = (uint8_t)minor;
    *at++ = (uint8_t)-59;
    return at;
}

// Flags, a name and somebody's manufacturer data.
static uint8_t *other_data(uint8_t *at, uint32_t number) {
    static const uint8_t front[] = {0x02, 0x01, 0x1A, 0x07, 0x09, 'o', 't', 'h', 'e', 'r'};
    memcpy(at, front, sizeof front);
    at += sizeof front;
    *at++ = (uint8_t)('a' + number % 26);
    static const uint8_t more[] = {0x0B, 0xFF, 0x4C, 0x00, 0x10, 0x06, 0x0B, 0x1E, 0x35, 0x2C, 0x7A, 0x40};
    memcpy(at, more, sizeof more);
    return at + sizeof more;
}

static void write_report(const struct report *report, uint32_t beacons, int8_t *level) {
    uint8_t record[24 + 1 + 2 + 2 + 41], *at = record + 24;
    uint32_t number = report->device;
    int is_beacon = number < beacons;
    // A static random address, and a public one.
    uint64_t address = is_beacon ? UINT64_C(0xC0FFEE000000) + number : UINT64_C(0x001A7D000000) + number;
    *at++ = 0x04;
    *at++ = 0x3E;
    uint8_t *length = at++;
    *at++ = 0x02;
    *at++ = 1;
    *at++ = is_beacon ? 0x03 : 0x00;
    *at++ = is_beacon ? 0x01 : 0x00;
    for (int shift = 0; shift < 48; shift += 8) *at++ = (uint8_t)(address >> shift);
    uint8_t *data_length = at++;
    at = is_beacon ? beacon_data(at, number) : other_data(at, number);
    *data_length = (uint8_t)(at - data_length - 1);
    int step = (int)below(3) - 1;
    if (level[number] + step <= -45 && level[number] + step >= -95) level[number] += step;
    *at++ = (uint8_t)(level[number] + (int)below(9) - 4);
    *length = (uint8_t)(at - length - 1);
    uint8_t *header = record;
    uint32_t packet = (uint32_t)(at - record) - 24;
    int64_t time = begin_us + report->at_us;
    header = big32(header, packet);
    header = big32(header, packet);
    header = big32(header, 3);
    header = big32(header, 0);
    header = big32(header, (uint32_t)(time >> 32));
    big32(header, (uint32_t)time);
    fwrite(record, 1, (size_t)(at - record), stdout);
}

int main(int count, char **arguments) {
    if (count != 4) return fprintf(stderr, "usage: capture BEACONS REPORTS INTERVAL_MS\n"), 64;
    uint32_t beacons = (uint32_t)strtoul(arguments[1], NULL, 10);
    uint32_t reports = (uint32_t)strtoul(arguments[2], NULL, 10);
    int64_t interval_us = strtol(arguments[3], NULL, 10) * 1000;
    if (beacons == 0 || reports == 0 || interval_us == 0) return 64;

    struct report *list = malloc((size_t)reports * sizeof *list);
    int64_t *phase = malloc(beacons * sizeof *phase);
    int8_t *level = malloc(beacons + others);
    if (!list || !phase || !level) return 71;
    for (uint32_t number = 0; number < beacons; number++)
        phase[number] = (int64_t)(next_random() % (uint64_t)interval_us);
    for (uint32_t number = 0; number < beacons + others; number++) level[number] = (int8_t)(-55 - (int)below(35));

    uint32_t written = 0;
    for (int64_t round = 0; written < reports; round++) {
        for (uint32_t number = 0; number < beacons && written < reports; number++) {
            if (below(10) == 0) continue;
            int64_t at = round * interval_us + phase[number] + below(delay_us);
            list[written++] = (struct report){at, number};
            // One in five reports is another device's: one for each four of beacons.
            if (below(4) == 0 && written < reports)
                list[written++] = (struct report){at + below(delay_us), beacons + below(others)};
        }
    }
    qsort(list, written, sizeof *list, by_time);

    uint8_t header[16] = "btsnoop";
    big32(big32(header + 8, 1), 1002);
    fwrite(header, 1, sizeof header, stdout);
    for (uint32_t index = 0; index < written; index++) write_report(&list[index], beacons, level);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 74;
}
