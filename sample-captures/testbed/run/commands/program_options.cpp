// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/program_options.h"

#include "sample-captures/testbed/initiator/options.h"
#include "sample-captures/testbed/run/commands/stream.h"
#include "sample-captures/testbed/target/target_main.h"

namespace iscsiscope::testbed::run {

const scenario::OptionNames &program_options() {
    static const scenario::OptionNames names = {{"initiator", initiator::option_names()},
                                                {"target", target_option_names()},
                                                {"stream", stream_option_names()}};
    return names;
}

} // namespace iscsiscope::testbed::run
