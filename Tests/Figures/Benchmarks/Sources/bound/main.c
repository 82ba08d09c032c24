// The work of `beacond replay --output none` in straight C: what it costs at the least. One file, no abstraction, no
// library; written for speed as one would write it, and not tuned further.
//
//     bound CAPTURE REGIONS RANGED        RANGED is 1 where the first region is ranged
//
// btsnoop in, legacy reports decoded and checked as beacond does, iBeacons found by hash, learned intervals, a Kalman and an
// exponential filter, silence, regions with entry and exit, and once a second the ranged list: sorted, compared with the
// last one, and encoded where it differs. Rotation, duplicates, blindness, extended reports, the outbox and damage that
// goes beyond a wrong length are left out. So is the keyed pseudonym: the address itself is written.

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { gaps = 15, unheard = 0, heard, silent, gone };

struct identity {
    uint64_t high, low;
    uint32_t numbers; // major, minor
};

struct transmitter {
    struct identity identity;
    uint64_t address; // with its type in bits 48 and up
    int64_t last_heard, silence_due;
    double level, variance;                       // Kalman
    int64_t level_at, mean_at;                    // microseconds
    double earlier, earlier_weight, latest, latest_weight; // exponential
    uint16_t recent[gaps], sorted[gaps];
    uint8_t count, next, presence, zone;
    int8_t power;
    int32_t region;
    double published_m;
    uint8_t published_zone;
};

struct region {
    struct identity identity;
    uint8_t parts; // 1: UUID, 2: and major, 3: and minor
    int inside;
    int64_t leaves_at;
};

static struct transmitter *transmitters;
static uint32_t *table, table_size = 1024, used;
static struct region *regions;
static uint32_t *region_table, region_table_size, region_count;
static uint64_t reports, beacons, rejected, events, messages, octets;
static int is_ranged;

static uint64_t mix(uint64_t value) {
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93;
    return value ^ value >> 32;
}
static uint64_t hash_identity(const struct identity *identity) {
    return mix(identity->high ^ mix(identity->low ^ mix(identity->numbers)));
}

static int same_identity(const struct identity *a, const struct identity *b) {
    return a->high == b->high && a->low == b->low && a->numbers == b->numbers;
}

static int32_t find_region_of(struct identity identity, uint8_t parts) {
    if (parts < 3) identity.numbers &= parts == 2 ? 0xFFFF0000 : 0;
    uint64_t place = hash_identity(&identity) + parts;
    for (;; place++) {
        uint32_t entry = region_table[place & (region_table_size - 1)];
        if (!entry) return -1;
        struct region *region = &regions[entry - 1];
        if (region->parts == parts && same_identity(&region->identity, &identity)) return (int32_t)entry - 1;
    }
}
// One region is enough for a bound.
static int32_t find_region(const struct identity *identity) {
    for (uint8_t parts = 1; parts <= 3; parts++) {
        int32_t found = find_region_of(*identity, parts);
        if (found >= 0) return found;
    }
    return -1;
}

static void add_region(struct identity identity, uint8_t parts) {
    regions[region_count] = (struct region){.identity = identity, .parts = parts};
    uint64_t place = hash_identity(&identity) + parts;
    while (region_table[place & (region_table_size - 1)]) place++;
    region_table[place & (region_table_size - 1)] = ++region_count;
}

static void grow(void) {
    free(table);
    table_size *= 2;
    table = calloc(table_size, sizeof *table);
    transmitters = realloc(transmitters, (size_t)table_size * 3 / 4 * sizeof *transmitters);
    if (!table || !transmitters) exit(71);
    for (uint32_t index = 0; index < used; index++) {
        uint64_t place = mix(hash_identity(&transmitters[index].identity) ^ transmitters[index].address);
        while (table[place & (table_size - 1)]) place++;
        table[place & (table_size - 1)] = index + 1;
    }
}

static struct transmitter *find(const struct identity *identity, uint64_t address) {
    uint64_t place = mix(hash_identity(identity) ^ address);
    for (;; place++) {
        uint32_t entry = table[place & (table_size - 1)];
        if (!entry) break;
        struct transmitter *known = &transmitters[entry - 1];
        if (known->address == address && same_identity(&known->identity, identity)) return known;
    }
    if (used + 1 >= table_size * 3 / 4) {
        grow();
        return find(identity, address);
    }
    struct transmitter *new = &transmitters[used];
    memset(new, 0, sizeof *new);
    new->identity = *identity;
    new->address = address;
    new->region = find_region(identity);
    new->silence_due = INT64_MAX;
    table[place & (table_size - 1)] = ++used;
    return new;
}

static void learn(struct transmitter *beacon, int64_t gap_us) {
    if (gap_us < 10000 || gap_us > 60000000) return;
    uint16_t gap = (uint16_t)(gap_us / 1000);
    uint16_t *sorted = beacon->sorted;
    int last = beacon->count;
    if (beacon->count == gaps) {
        uint16_t oldest = beacon->recent[beacon->next];
        int index = 0;
        while (sorted[index] != oldest) index++;
        memmove(&sorted[index], &sorted[index + 1], (size_t)(gaps - 1 - index) * sizeof *sorted);
        last--;
    } else {
        beacon->count++;
    }
    while (last > 0 && sorted[last - 1] > gap) {
        sorted[last] = sorted[last - 1];
        last--;
    }
    sorted[last] = gap;
    beacon->recent[beacon->next] = gap;
    beacon->next = (uint8_t)((beacon->next + 1) % gaps);
}

static int64_t patience_us(const struct transmitter *beacon) {
    return beacon->count < 3 ? 0 : (int64_t)beacon->sorted[beacon->count / 2] * 4000;
}

static int64_t longer(int64_t a, int64_t b) { return a > b ? a : b; }

static void smooth(struct transmitter *beacon, double rssi, int64_t now) {
    // For distances: a random walk of 1 dB in 30 s.
    if (beacon->variance == 0) {
        beacon->level = rssi;
        beacon->variance = 1;
    } else {
        double predicted = beacon->variance + (double)(now - beacon->level_at) / 1e6 / 900;
        double share = 1 / (predicted + 1);
        beacon->level += predicted * share * (rssi - beacon->level);
        beacon->variance = predicted * share;
    }
    beacon->level_at = now;
    // For regions: field strength, 2.5 s.
    double field = exp(rssi / 20 * M_LN10);
    double elapsed_s = (double)(now - beacon->mean_at) / 1e6;
    if (beacon->latest_weight == 0) {
        beacon->latest_weight = -expm1(-0.1 / 2.5);
    } else {
        double sum = beacon->earlier_weight + beacon->latest_weight;
        beacon->earlier += beacon->latest_weight / sum * (beacon->latest - beacon->earlier);
        beacon->earlier_weight = sum * exp(-elapsed_s / 2.5);
        beacon->latest_weight = -expm1(-elapsed_s / 2.5);
    }
    beacon->latest = field;
    beacon->mean_at = now;
}

static double region_dbm(const struct transmitter *beacon) {
    double sum = beacon->earlier_weight + beacon->latest_weight;
    double mean = beacon->earlier + beacon->latest_weight / sum * (beacon->latest - beacon->earlier);
    return round(log10(mean) * 20e6) / 1e6;
}

static double distance_m(const struct transmitter *beacon) {
    double metres = exp((beacon->power - beacon->level) / 25 * M_LN10);
    return metres < 0.01 ? 0.01 : metres > 1000 ? 1000 : metres;
}

static uint8_t zone(double metres, uint8_t before) {
    if (metres < 0.5 * (before == 1 ? 1.15 : 1)) return 1;
    if (metres < 4 * (before == 1 || before == 2 ? 1.15 : 1)) return 2;
    return 3;
}

static void sighted(const struct identity *identity, uint64_t address, int8_t power, int rssi, int64_t now) {
    struct transmitter *beacon = find(identity, address);
    if (beacon->presence != unheard) learn(beacon, now - beacon->last_heard);
    beacon->presence = heard;
    beacon->last_heard = now;
    beacon->power = power;
    if (rssi != 127) smooth(beacon, rssi, now);
    beacon->silence_due = now + longer(2000000, patience_us(beacon));
    if (beacon->region < 0) return;
    struct region *region = &regions[beacon->region];
    if (region_dbm(beacon) < -127) return;
    if (!region->inside) {
        region->inside = 1;
        events++;
    }
    region->leaves_at = longer(region->leaves_at, now + longer(20000000, patience_us(beacon)));
}

static void decode_data(const uint8_t *data, int length, uint64_t address, int rssi, int64_t now) {
    for (int offset = 0; offset < length && data[offset];) {
        int end = offset + 1 + data[offset];
        if (end > length) {
            rejected++;
            return;
        }
        const uint8_t *content = data + offset + 2;
        if (data[offset + 1] == 0xFF && end - offset >= 27 && content[0] == 0x4C && content[1] == 0 && content[2] == 2 &&
            content[3] == 0x15) {
            struct identity identity = {0, 0, 0};
            for (int index = 4; index < 12; index++) identity.high = identity.high << 8 | content[index];
            for (int index = 12; index < 20; index++) identity.low = identity.low << 8 | content[index];
            for (int index = 20; index < 24; index++) identity.numbers = identity.numbers << 8 | content[index];
            beacons++;
            sighted(&identity, address, (int8_t)content[24], rssi, now);
        }
        offset = end;
    }
}

static void decode_event(const uint8_t *event, int length, int64_t now) {
    if (length < 4 || event[0] != 0x3E || event[2] != 0x02) return;
    if (length > 2 + event[1]) length = 2 + event[1];
    int offset = 4;
    for (int report = 0; report < event[3]; report++) {
        if (length - offset < 10 || offset + 9 + event[offset + 8] >= length) {
            rejected++;
            return;
        }
        int size = event[offset + 8];
        const uint8_t *data = event + offset + 9;
        if (size > 31 || event[offset + 1] > 3) {
            rejected++;
        } else {
            uint64_t address = (uint64_t)event[offset + 1] << 48;
            for (int index = 0; index < 6; index++) address |= (uint64_t)event[offset + 2 + index] << (8 * index);
            reports++;
            decode_data(data, size, address, (int8_t)data[size], now);
        }
        offset += 10 + size;
    }
}

static struct entry {
    double metres;
    uint32_t index;
} *list;

static int nearer(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    if (a->metres != b->metres) return a->metres < b->metres ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static char *encoded;

static void range(int64_t now, int is_due) {
    uint32_t count = 0;
    int changed = is_due;
    for (uint32_t index = 0; index < used; index++) {
        struct transmitter *beacon = &transmitters[index];
        if (beacon->presence == gone || beacon->region != 0) continue;
        double metres = beacon->presence == heard ? distance_m(beacon) : HUGE_VAL;
        beacon->zone = beacon->presence == heard ? zone(metres, beacon->zone) : 0;
        if (beacon->zone != beacon->published_zone || fabs(metres - beacon->published_m) >= 0.5) changed = 1;
        list[count++] = (struct entry){metres, index};
    }
    if (!changed) return;
    qsort(list, count, sizeof *list, nearer);
    static const char *zones[] = {"unknown", "immediate", "near", "far"};
    char *at = encoded;
    at += sprintf(at, "{\"schema\":1,\"at\":%lld,\"count\":%u,\"beacons\":[", (long long)now, count);
    for (uint32_t number = 0; number < count; number++) {
        struct transmitter *beacon = &transmitters[list[number].index];
        beacon->published_zone = beacon->zone;
        beacon->published_m = list[number].metres;
        at += sprintf(
            at,
            "%s{\"track\":%u,\"uuid\":\"%016llX%016llX\",\"major\":%u,\"minor\":%u,\"proximity\":\"%s\",\"accuracy_m\":%.2f,"
            "\"rssi_dbm\":%.1f,\"measured_power_dbm\":%d,\"age_ms\":%lld,\"device\":\"%012llx\"}",
            number ? "," : "", list[number].index + 1, (unsigned long long)beacon->identity.high,
            (unsigned long long)beacon->identity.low, beacon->identity.numbers >> 16, beacon->identity.numbers & 0xFFFF,
            zones[beacon->zone], beacon->zone ? list[number].metres : -1, beacon->level, beacon->power,
            (long long)(now - beacon->last_heard) / 1000, (unsigned long long)beacon->address & 0xFFFFFFFFFFFF);
    }
    at += sprintf(at, "]}");
    messages++;
    octets += (uint64_t)(at - encoded);
}

// Once a second: who fell silent, what is left, what is near.
static void tick(int64_t now, int64_t second) {
    for (uint32_t index = 0; index < used; index++) {
        struct transmitter *beacon = &transmitters[index];
        if (beacon->silence_due >= now || beacon->presence == gone) continue;
        beacon->presence++;
        beacon->silence_due = beacon->last_heard + longer(10000000, patience_us(beacon));
    }
    for (uint32_t index = 0; index < region_count; index++) {
        if (!regions[index].inside || regions[index].leaves_at >= now) continue;
        regions[index].inside = 0;
        events++;
    }
    if (is_ranged && regions[0].inside) {
        static size_t room;
        if (room < used) {
            room = used + used / 2;
            list = realloc(list, room * sizeof *list);
            encoded = realloc(encoded, room * 320 + 100);
            if (!list || !encoded) exit(71);
        }
        range(now, second % 10 == 0);
    }
}

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

int main(int count, char **arguments) {
    if (count != 4) return fprintf(stderr, "usage: bound CAPTURE REGIONS RANGED\n"), 64;
    uint32_t wanted = (uint32_t)strtoul(arguments[2], NULL, 10);
    is_ranged = atoi(arguments[3]);
    int file = open(arguments[1], O_RDONLY);
    if (file < 0 || wanted == 0) return 66;

    for (region_table_size = 16; region_table_size < wanted * 2;) region_table_size *= 2;
    region_table = calloc(region_table_size, sizeof *region_table);
    regions = calloc(wanted, sizeof *regions);
    table = NULL;
    if (!region_table || !regions) return 71;
    grow();
    add_region((struct identity){0x39ED98FF2900441A, 0x802F9C398FC199D2, 0}, 1);
    for (uint32_t number = 1; number < wanted; number++)
        add_region((struct identity){0x5EAB0000 + number, number, number << 16}, 2);

    enum { piece = 1 << 18 };
    static uint8_t buffer[piece + (1 << 17) + 24];
    size_t have = 0, position = 16;
    int64_t next_tick = 0, second = 0;
    for (ssize_t got; (got = read(file, buffer + have, piece)) > 0;) {
        have += (size_t)got;
        while (have - position >= 24) {
            const uint8_t *record = buffer + position;
            uint32_t included = big32(record + 4);
            if (included > big32(record) || included > 1 << 17) return 65;
            if (have - position < 24 + included) break;
            int64_t now = (int64_t)((uint64_t)big32(record + 16) << 32 | big32(record + 20));
            if (next_tick == 0) next_tick = now + 1000000;
            for (; now > next_tick; next_tick += 1000000) tick(next_tick, second++);
            if (included > 1 && record[24] == 0x04) decode_event(record + 25, (int)included - 1, now);
            position += 24 + included;
        }
        memmove(buffer, buffer + position, have - position);
        have -= position;
        position = 0;
    }
    fprintf(
        stderr, "reports=%llu ibeacons=%llu rejected=%llu transmitters=%u events=%llu messages=%llu octets=%llu bytes_each=%zu\n",
        (unsigned long long)reports, (unsigned long long)beacons, (unsigned long long)rejected, used,
        (unsigned long long)events, (unsigned long long)messages, (unsigned long long)octets, sizeof(struct transmitter));
    return 0;
}
