#ifndef BEACOND_CBLUETOOTH_SHIM_H
#define BEACOND_CBLUETOOTH_SHIM_H

#include <asm/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

/* Swift does not import function-like macros: the ioctl numbers as constants. */
static const unsigned long BEACOND_HCIDEVUP = HCIDEVUP;
static const unsigned long BEACOND_HCIDEVDOWN = HCIDEVDOWN;
static const unsigned long BEACOND_HCIDEVRESET = HCIDEVRESET;
static const unsigned long BEACOND_HCIGETDEVLIST = HCIGETDEVLIST;

/* The C library declares recvmmsg for GNU programs only, which Swift's own module of it is not compiled as. This is the kernel's
   struct mmsghdr. */
struct beacond_mmsghdr {
    struct msghdr msg_hdr;
    unsigned int msg_len;
};

/* recvmmsg(2) that does not wait. */
static inline long beacond_recvmmsg(int descriptor, struct beacond_mmsghdr *headers, unsigned int count) {
    return syscall(SYS_recvmmsg, descriptor, headers, count, MSG_DONTWAIT, (void *)0);
}

#endif
