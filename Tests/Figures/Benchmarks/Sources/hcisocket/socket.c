// Puts a Unix socket in the place of the kernel's HCI sockets, so that the real `beacond run` can be measured on a machine
// without Bluetooth, such as a build server. LD_PRELOAD it and name the socket in BENCHMARK_CONTROLLER.
//
// The kernel's Bluetooth code, the controller and the air are what is missing. Everything of beacond is there: poll, recvmmsg,
// engine, queue, outbox, broker. There is one adapter, hci0, that is up; the socket bound to it is connected to the controller,
// which takes commands and sends events, one packet each.

#define _GNU_SOURCE
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { most = 1024 };

static char is_ours[most];
static struct hci_filter filters[most];

static int ours(int descriptor) { return descriptor >= 0 && descriptor < most && is_ours[descriptor]; }

int socket(int domain, int type, int protocol) {
    static int (*real)(int, int, int);
    if (!real) real = dlsym(RTLD_NEXT, "socket");
    if (domain != AF_BLUETOOTH) return real(domain, type, protocol);
    int descriptor = real(AF_UNIX, SOCK_SEQPACKET | (type & (SOCK_NONBLOCK | SOCK_CLOEXEC)), 0);
    if (descriptor >= 0 && descriptor < most) is_ours[descriptor] = 1;
    return descriptor;
}

int close(int descriptor) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "close");
    if (ours(descriptor)) is_ours[descriptor] = 0;
    return real(descriptor);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    static int (*real)(int, const struct sockaddr *, socklen_t);
    if (!real) real = dlsym(RTLD_NEXT, "bind");
    if (!ours(descriptor)) return real(descriptor, address, length);
    // The kernel's own events: there are none. A socket that is connected to nobody would count as hung up, so it is
    // connected to one that says nothing.
    if (((const struct sockaddr_hci *)address)->hci_dev == HCI_DEV_NONE) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) return -1;
        int result = dup3(pair[0], descriptor, O_CLOEXEC);
        close(pair[0]);
        return result < 0 ? -1 : 0;
    }
    struct sockaddr_un controller = {.sun_family = AF_UNIX};
    const char *path = getenv("BENCHMARK_CONTROLLER");
    if (!path || strlen(path) >= sizeof controller.sun_path) return errno = ENODEV, -1;
    strcpy(controller.sun_path, path);
    return connect(descriptor, (struct sockaddr *)&controller, sizeof controller);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
    static int (*real)(int, int, int, const void *, socklen_t);
    if (!real) real = dlsym(RTLD_NEXT, "setsockopt");
    if (!ours(descriptor) || level != SOL_HCI) return real(descriptor, level, name, value, length);
    if (name == HCI_FILTER) memcpy(&filters[descriptor], value, sizeof *filters);
    return 0;
}

int getsockopt(int descriptor, int level, int name, void *value, socklen_t *length) {
    static int (*real)(int, int, int, void *, socklen_t *);
    if (!real) real = dlsym(RTLD_NEXT, "getsockopt");
    if (!ours(descriptor) || level != SOL_HCI) return real(descriptor, level, name, value, length);
    if (name == HCI_FILTER) memcpy(value, &filters[descriptor], sizeof *filters);
    return 0;
}

int ioctl(int descriptor, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    if (!real) real = dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (!ours(descriptor)) return real(descriptor, request, argument);
    if (request == HCIGETDEVLIST) {
        struct hci_dev_list_req *list = argument;
        list->dev_num = 1;
        list->dev_req[0] = (struct hci_dev_req){.dev_id = 0, .dev_opt = 1 << HCI_UP | 1 << HCI_RUNNING};
    } else if (request == HCIGETDEVINFO) {
        struct hci_dev_info *info = argument;
        memset(info, 0, sizeof *info);
        strcpy(info->name, "hci0");
        info->bdaddr = (bdaddr_t){{0x01, 0x00, 0x00, 0x7D, 0x1A, 0x00}};
        info->flags = 1 << HCI_UP | 1 << HCI_RUNNING;
    }
    return 0;
}
