// SPDX-License-Identifier: GPL-2.0-or-later
// JSON values as text that is valid UTF-8 whatever bytes their texts hold.
#include "analyzer/base/utf8.h"
#include "analyzer/report/json/json_parts.h"

#include <algorithm>

namespace iscsiscope {
namespace {

bool all_utf8(const Json &j) {
    if (j.is_string())
        return is_utf8(j.get_ref<const std::string &>());
    for (auto member = j.begin(); j.is_object() && member != j.end(); ++member)
        if (!is_utf8(member.key()) || !all_utf8(*member))
            return false;
    return !j.is_array() || std::all_of(j.begin(), j.end(), all_utf8);
}

Json with_escapes(const Json &j) {
    if (j.is_string())
        return utf8_text(j.get_ref<const std::string &>());
    if (j.is_object()) {
        Json all = Json::object();
        for (auto member = j.begin(); member != j.end(); ++member)
            all[utf8_text(member.key())] = with_escapes(*member);
        return all;
    }
    if (!j.is_array())
        return j;
    Json all = Json::array();
    for (const Json &element : j)
        all.push_back(with_escapes(element));
    return all;
}

} // namespace

std::string json_text(const Json &j) {
    return all_utf8(j) ? j.dump(2) : with_escapes(j).dump(2);
}

} // namespace iscsiscope
