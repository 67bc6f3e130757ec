// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/followed_tasks.h"

#include <algorithm>

namespace iscsiscope {

void FollowedTasks::end(FollowedTask &task) {
    task.open = false;
    task.ended = true;
    task.r2ts.reset();
    // Tags mostly count up: the task with a block's last tag is often its last open one. Its neighbours'
    // place is kept until then, so that what comes after a status is seen.
    const std::size_t at = place(task.itt);
    if (at % block_size == block_size - 1)
        free_if_over(blocks_[(at / block_size + blocks_.size() - 1) % blocks_.size()]);
}

void FollowedTasks::free_if_over(std::unique_ptr<Block> &block) {
    if (block && std::ranges::none_of(*block, [](const FollowedTask &t) { return t.open; }))
        block.reset();
}

std::size_t FollowedTasks::free_ended() {
    std::size_t left = 0;
    for (std::unique_ptr<Block> &block : blocks_) {
        free_if_over(block);
        left += block ? 1 : 0;
    }
    return left;
}

} // namespace iscsiscope
