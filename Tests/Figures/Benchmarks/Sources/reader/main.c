// What reading reports costs at the least: reads the controller's socket (BENCHMARK_CONTROLLER, as hcisocket does) at the pace
// that beacond reads at on a busy radio, as many with one call, and does nothing with what it reads.

#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { batch = 64 };

int main(void) {
    struct sockaddr_un controller = {.sun_family = AF_UNIX};
    const char *path = getenv("BENCHMARK_CONTROLLER");
    if (!path || strlen(path) >= sizeof controller.sun_path) return 64;
    strcpy(controller.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connect(descriptor, (struct sockaddr *)&controller, sizeof controller) != 0) return 1;
    struct pollfd waited = {.fd = descriptor, .events = POLLIN};
    while (poll(&waited, 1, -1) > 0) {
        static char packets[batch][264], controls[batch][64];
        struct iovec parts[batch];
        struct mmsghdr headers[batch];
        int count;
        do {
            for (int place = 0; place < batch; place++) {
                parts[place] = (struct iovec){packets[place], sizeof packets[place]};
                headers[place].msg_hdr = (struct msghdr){.msg_iov = &parts[place],
                                                         .msg_iovlen = 1,
                                                         .msg_control = controls[place],
                                                         .msg_controllen = sizeof controls[place]};
            }
            count = recvmmsg(descriptor, headers, batch, MSG_DONTWAIT, NULL);
            // The other end is gone.
            if (count > 0 && headers[count - 1].msg_len == 0) return 0;
        } while (count == batch);
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    }
}
