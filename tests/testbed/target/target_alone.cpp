// SPDX-License-Identifier: GPL-2.0-or-later
// The target without the rest of the testbed: what the scripts of this folder run.
#include "sample-captures/testbed/target/target_main.h"

int main(int argc, char **argv) {
    return iscsiscope::testbed::target_main(argc, argv);
}
