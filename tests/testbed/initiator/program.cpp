// SPDX-License-Identifier: GPL-2.0-or-later
// The initiator by itself, for the tests that run it as a program.
#include "sample-captures/testbed/initiator/initiator_main.h"

int main(int argc, char **argv) {
    return iscsiscope::testbed::initiator_main(argc, argv);
}
