#ifndef BEACOND_CBLUETOOTH_SHIM_H
#define BEACOND_CBLUETOOTH_SHIM_H

#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

/* Swift does not import function-like macros: the ioctl numbers as constants. */
static const unsigned long BEACOND_HCIDEVUP = HCIDEVUP;
static const unsigned long BEACOND_HCIDEVDOWN = HCIDEVDOWN;
static const unsigned long BEACOND_HCIDEVRESET = HCIDEVRESET;
static const unsigned long BEACOND_HCIGETDEVLIST = HCIGETDEVLIST;

#endif
