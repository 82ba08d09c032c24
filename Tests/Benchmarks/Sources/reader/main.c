// What reading reports costs at the least: reads the controller's socket (BENCHMARK_CONTROLLER, as hcisocket does) at the pace
// that beacond reads at on a busy radio, and does nothing with what it reads.

#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct sockaddr_un controller = {.sun_family = AF_UNIX};
    const char *path = getenv("BENCHMARK_CONTROLLER");
    if (!path || strlen(path) >= sizeof controller.sun_path) return 64;
    strcpy(controller.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connect(descriptor, (struct sockaddr *)&controller, sizeof controller) != 0) return 1;
    struct pollfd waited = {.fd = descriptor, .events = POLLIN};
    while (poll(&waited, 1, -1) > 0) {
        char packet[512], control[128];
        struct iovec part = {packet, sizeof packet};
        ssize_t count;
        do {
            struct msghdr header = {
                .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
            count = recvmsg(descriptor, &header, MSG_DONTWAIT);
        } while (count > 0);
        if (count == 0) return 0;
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    }
}
