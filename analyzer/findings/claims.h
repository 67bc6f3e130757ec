// SPDX-License-Identifier: GPL-2.0-or-later
// Which entries of the ledger each kind of finding may claim: their causes, and whose they are. A finding can
// claim nothing else, so that it can blame only whose time it is (docs/ledger.md has this table). Which of
// the kinds that may claim an entry gets it, Attribution decides; an entry belongs to one finding at most.
#pragma once

#include "analyzer/cycles/records/causes.h"
#include "analyzer/cycles/records/owners.h"
#include "analyzer/findings/kinds.h"

#include <initializer_list>
#include <span>

namespace iscsiscope {

struct Claim {
    FindingKind kind{};
    std::initializer_list<Cause> causes;
    std::initializer_list<Owner> owners;
};

// In the order of the kinds, of which some have several. Kinds that are not in it claim no time.
std::span<const Claim> claims();
bool may_claim(FindingKind, Cause, Owner);

} // namespace iscsiscope
