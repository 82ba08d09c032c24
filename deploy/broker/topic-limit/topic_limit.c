/* A plugin of mosquitto 2.0: no topic may be longer than 200 octets, whoever publishes it and whatever the access list permits.

   A topic of more than 255 octets cannot be carried by AMQP, and mosquitto's access lists bound no length. A message that the store's broker
   took and the chain's broker refuses would end the bridge's connection again and again, and keep all others of the store waiting. */

#include <stddef.h>
#include <string.h>

#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>

static const size_t longest_topic = 200;

static int check(int event, void *event_data, void *userdata) {
    const struct mosquitto_evt_acl_check *asked = event_data;
    (void)event;
    (void)userdata;
    /* Everything else is for the access list to say. */
    return strnlen(asked->topic, longest_topic + 1) > longest_topic ? MOSQ_ERR_ACL_DENIED : MOSQ_ERR_PLUGIN_DEFER;
}

int mosquitto_plugin_version(int count, const int *versions) {
    for (int index = 0; index < count; index++) {
        if (versions[index] == 5) return 5;
    }
    return -1;
}

int mosquitto_plugin_init(mosquitto_plugin_id_t *identifier, void **userdata, struct mosquitto_opt *options, int option_count) {
    (void)options;
    (void)option_count;
    /* What the callback is unregistered with. */
    *userdata = identifier;
    return mosquitto_callback_register(identifier, MOSQ_EVT_ACL_CHECK, check, NULL, NULL);
}

int mosquitto_plugin_cleanup(void *userdata, struct mosquitto_opt *options, int option_count) {
    (void)options;
    (void)option_count;
    return mosquitto_callback_unregister(userdata, MOSQ_EVT_ACL_CHECK, check, NULL);
}
