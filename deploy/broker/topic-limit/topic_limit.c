/* A plugin of mosquitto 2.0: limits of the topics that a client publishes to, retains and subscribes to. An access list has no such limits.

   - A topic or filter has 200 octets at most. AMQP carries 255. The chain's broker would end the connection of a bridge that brings a longer one, again and again.
   - The retained topics and the filters of one user have a budget of memory, `plugin_opt_topics_mib`. Beyond it the user gets "not authorized".
   - A message of QoS 2 ends its sender's connection. Such a message waits until its sender releases it, so one session could leave 128 MiB of them.
     mosquitto 2.0.11 forgets its own `max_qos` when it reads its configuration again.
   - No client joins a shared subscription, unless `plugin_opt_shared_subscriptions true`. mosquitto hands each message to one member, and drops it where the
     access list lets that member read nothing. So any certificate could take messages from a group.

   A topic costs about what it takes in the broker's memory. The plugin is asked before the access list, so a message that the list refuses is charged to its
   sender as well. A will is charged when it is due. The count begins anew when the broker starts. */

#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>

enum { longest_topic = 200, mib = 1048576, pause_between_lines_s = 60 };
/* Measured with mosquitto 2.0.11 on amd64: a node takes 730 octets. Topics of a gateway share their first levels, and so their nodes. */
enum { octets_of_topic = 512, shared_levels = 12, octets_of_shared_level = 192, octets_of_level = 768 };

/* An entry of a tree. It begins with its name, for `by_name`. */
struct filter {
    const char *name;
    size_t octets;
};

struct client {
    const char *name;
    size_t octets;
    void *filters;
    const struct mosquitto *connection;
    time_t logged_at;
    bool has_logged;
};

struct claim {
    struct claim *next;
    struct client *owner;
    size_t octets;
};

struct retained {
    const char *name;
    struct claim *claims;
};

static mosquitto_plugin_id_t *plugin;
static size_t budget = (size_t)64 * mib;
static bool may_share = false;
static void *clients, *retained_topics;

static int by_name(const void *one, const void *other) {
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void *find(void *const *tree, const char *name) {
    void *found = tfind(&name, tree, by_name);
    return found ? *(void **)found : NULL;
}

/* Returns the tree's entry of that name, or a new one of so many octets; NULL without memory. */
static void *find_or_add(void **tree, const char *name, size_t size) {
    void *entry = find(tree, name);
    if (entry) return entry;
    size_t length = strlen(name) + 1;
    entry = calloc(1, size + length);
    if (!entry) return NULL;
    *(const char **)entry = memcpy((char *)entry + size, name, length);
    if (!tsearch(entry, tree, by_name)) {
        free(entry);
        return NULL;
    }
    return entry;
}

static struct client *client_of(const struct mosquitto *connection) {
    const char *name = mosquitto_client_username(connection);
    return find_or_add(&clients, name ? name : "", sizeof(struct client));
}

static size_t cost(const char *topic, size_t payload) {
    size_t levels = 1;
    for (const char *at = topic; (at = strchr(at, '/')); at++) levels++;
    size_t shared = levels < shared_levels ? levels : shared_levels;
    return octets_of_topic + shared * octets_of_shared_level + (levels - shared) * octets_of_level + strlen(topic) + payload;
}

/* Charges a client `octets` in place of `before`. Returns false, and logs it once a minute, where its budget is too small. */
static bool charge(struct client *client, size_t before, size_t octets) {
    size_t total = client->octets - before + octets;
    if (total > budget && octets > before) {
        time_t now = time(NULL);
        if (!client->has_logged || now < client->logged_at || now - client->logged_at >= pause_between_lines_s) {
            mosquitto_log_printf(MOSQ_LOG_WARNING, "topic-limit: the topics that \"%s\" retains or subscribes to take %zu MiB (topics_mib); it gets no more",
                                 client->name, budget / mib);
            client->has_logged = true;
            client->logged_at = now;
        }
        return false;
    }
    client->octets = total;
    return true;
}

static int retains(struct client *client, const char *topic, size_t payload) {
    struct retained *retained = find(&retained_topics, topic);
    struct claim *claim = retained ? retained->claims : NULL;
    while (claim && claim->owner != client) claim = claim->next;
    size_t octets = cost(topic, payload);
    if (!charge(client, claim ? claim->octets : 0, octets)) return MOSQ_ERR_ACL_DENIED;
    if (!claim) {
        retained = find_or_add(&retained_topics, topic, sizeof(struct retained));
        claim = calloc(1, sizeof(struct claim));
        if (!retained || !claim) {
            client->octets -= octets;
            free(claim);
            return MOSQ_ERR_ACL_DENIED;
        }
        claim->owner = client;
        claim->next = retained->claims;
        retained->claims = claim;
    }
    claim->octets = octets;
    return MOSQ_ERR_PLUGIN_DEFER;
}

static int subscribes(struct client *client, const char *topic) {
    if (!may_share && strncmp(topic, "$share/", 7) == 0) return MOSQ_ERR_ACL_DENIED;
    if (find(&client->filters, topic)) return MOSQ_ERR_PLUGIN_DEFER;
    size_t octets = cost(topic, 0);
    if (!charge(client, 0, octets)) return MOSQ_ERR_ACL_DENIED;
    struct filter *filter = find_or_add(&client->filters, topic, sizeof(struct filter));
    if (!filter) {
        client->octets -= octets;
        return MOSQ_ERR_ACL_DENIED;
    }
    filter->octets = octets;
    return MOSQ_ERR_PLUGIN_DEFER;
}

static void removes_filter(struct client *client, const char *topic) {
    struct filter *filter = find(&client->filters, topic);
    if (!filter) return;
    tdelete(filter, &client->filters, by_name);
    client->octets -= filter->octets;
    free(filter);
}

/* A connection without its former session: the broker has forgotten that session's filters. */
static void comes_with(struct client *client, const struct mosquitto *connection) {
    if (client->connection == connection) return;
    client->connection = connection;
    if (!mosquitto_client_clean_session(connection)) return;
    while (client->filters) removes_filter(client, (*(struct filter **)client->filters)->name);
}

static int check(int event, void *event_data, void *userdata) {
    const struct mosquitto_evt_acl_check *asked = event_data;
    (void)event;
    (void)userdata;
    if (strnlen(asked->topic, longest_topic + 1) > longest_topic) return MOSQ_ERR_ACL_DENIED;
    if (asked->access == MOSQ_ACL_WRITE && asked->qos > 1) return MOSQ_ERR_QOS_NOT_SUPPORTED;
    bool is_retained = asked->access == MOSQ_ACL_WRITE && asked->retain && asked->payloadlen > 0;
    bool is_filter = asked->access == MOSQ_ACL_SUBSCRIBE || asked->access == MOSQ_ACL_UNSUBSCRIBE;
    /* The access list decides about everything else. */
    if (!is_retained && !is_filter) return MOSQ_ERR_PLUGIN_DEFER;
    struct client *client = client_of(asked->client);
    if (!client) return MOSQ_ERR_ACL_DENIED;
    if (is_retained) return retains(client, asked->topic, asked->payloadlen);
    comes_with(client, asked->client);
    if (asked->access == MOSQ_ACL_SUBSCRIBE) return subscribes(client, asked->topic);
    removes_filter(client, asked->topic);
    return MOSQ_ERR_PLUGIN_DEFER;
}

/* A message that the access list permitted. An empty retained one clears the topic, whoever retained it. */
static int message(int event, void *event_data, void *userdata) {
    const struct mosquitto_evt_message *permitted = event_data;
    (void)event;
    (void)userdata;
    if (!permitted->retain || permitted->payloadlen > 0) return MOSQ_ERR_SUCCESS;
    struct retained *retained = find(&retained_topics, permitted->topic);
    if (!retained) return MOSQ_ERR_SUCCESS;
    for (struct claim *claim = retained->claims, *next; claim; claim = next) {
        next = claim->next;
        claim->owner->octets -= claim->octets;
        free(claim);
    }
    tdelete(retained, &retained_topics, by_name);
    free(retained);
    return MOSQ_ERR_SUCCESS;
}

/* A new connection may have this one's address in memory. */
static int disconnect(int event, void *event_data, void *userdata) {
    const struct mosquitto_evt_disconnect *ended = event_data;
    (void)event;
    (void)userdata;
    const char *name = mosquitto_client_username(ended->client);
    struct client *client = find(&clients, name ? name : "");
    if (client && client->connection == ended->client) client->connection = NULL;
    return MOSQ_ERR_SUCCESS;
}

int mosquitto_plugin_version(int count, const int *versions) {
    for (int index = 0; index < count; index++) {
        if (versions[index] == 5) return 5;
    }
    return -1;
}

static bool reads(const char *key, const char *value) {
    if (strcmp(key, "shared_subscriptions") == 0) {
        may_share = strcmp(value, "true") == 0;
        return may_share || strcmp(value, "false") == 0;
    }
    char *end = NULL;
    unsigned long figure = strtoul(value, &end, 10);
    if (strcmp(key, "topics_mib") != 0 || *value < '1' || *value > '9' || *end != '\0' || figure > 1048576) return false;
    budget = (size_t)figure * mib;
    return true;
}

int mosquitto_plugin_init(mosquitto_plugin_id_t *identifier, void **userdata, struct mosquitto_opt *options, int option_count) {
    (void)userdata;
    plugin = identifier;
    for (int index = 0; index < option_count; index++) {
        if (reads(options[index].key, options[index].value)) continue;
        mosquitto_log_printf(MOSQ_LOG_ERR, "topic-limit: plugin_opt_%s %s: there are topics_mib, from 1 to 1048576, and shared_subscriptions, true or false",
                             options[index].key, options[index].value);
        return MOSQ_ERR_INVAL;
    }
    int code = mosquitto_callback_register(plugin, MOSQ_EVT_ACL_CHECK, check, NULL, NULL);
    if (code == MOSQ_ERR_SUCCESS) code = mosquitto_callback_register(plugin, MOSQ_EVT_MESSAGE, message, NULL, NULL);
    if (code == MOSQ_ERR_SUCCESS) code = mosquitto_callback_register(plugin, MOSQ_EVT_DISCONNECT, disconnect, NULL, NULL);
    return code;
}

int mosquitto_plugin_cleanup(void *userdata, struct mosquitto_opt *options, int option_count) {
    (void)userdata;
    (void)options;
    (void)option_count;
    mosquitto_callback_unregister(plugin, MOSQ_EVT_DISCONNECT, disconnect, NULL);
    mosquitto_callback_unregister(plugin, MOSQ_EVT_MESSAGE, message, NULL);
    return mosquitto_callback_unregister(plugin, MOSQ_EVT_ACL_CHECK, check, NULL);
}
