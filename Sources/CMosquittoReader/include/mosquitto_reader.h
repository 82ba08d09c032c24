#ifndef BEACOND_MOSQUITTO_READER_H
#define BEACOND_MOSQUITTO_READER_H

#include <mosquitto.h>

/* mosquitto_loop_read, which a broker can't make end the process. MOSQ_ERR_MALFORMED_PACKET where it tried: the client may
 * only be destroyed then. */
int beacond_mosquitto_read(struct mosquitto *client);

#endif
