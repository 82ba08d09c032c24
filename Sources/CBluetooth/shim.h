#ifndef BEACOND_CBLUETOOTH_SHIM_H
#define BEACOND_CBLUETOOTH_SHIM_H

#include <asm/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

/* The ioctl numbers as constants, because Swift does not import function-like macros. */
static const unsigned long BEACOND_HCIDEVUP = HCIDEVUP;
static const unsigned long BEACOND_HCIDEVDOWN = HCIDEVDOWN;
static const unsigned long BEACOND_HCIDEVRESET = HCIDEVRESET;
static const unsigned long BEACOND_HCIGETDEVLIST = HCIGETDEVLIST;

/* The kernel's struct mmsghdr. The C library declares it, and recvmmsg, for GNU programs only. Swift's module of the library is
   not compiled as one. */
struct beacond_mmsghdr {
    struct msghdr msg_hdr;
    unsigned int msg_len;
};

/* recvmmsg(2) without waiting. */
static inline long beacond_recvmmsg(int descriptor, struct beacond_mmsghdr *headers, unsigned int count) {
    return syscall(SYS_recvmmsg, descriptor, headers, count, MSG_DONTWAIT, (void *)0);
}

#endif
