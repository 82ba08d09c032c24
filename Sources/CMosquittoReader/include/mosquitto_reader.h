#ifndef BEACOND_MOSQUITTO_READER_H
#define BEACOND_MOSQUITTO_READER_H

#include <mosquitto.h>

/* Calls mosquitto_loop_read, without letting a broker end the process. Returns MOSQ_ERR_MALFORMED_PACKET where a packet would
 * have done so: the client may only be destroyed then. */
int beacond_mosquitto_read(struct mosquitto *client);

#endif
