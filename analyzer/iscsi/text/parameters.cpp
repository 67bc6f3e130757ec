// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/negotiation.h"

#include <array>
#include <string>
#include <utility>
#include <variant>

namespace iscsiscope {
namespace {

using Parameters = OperationalParameters;

struct NumberField {
    std::string_view key;
    Parameter parameter;
    std::uint32_t Parameters::*field;
};
struct BoolField {
    std::string_view key;
    Parameter parameter;
    bool Parameters::*field;
    std::string_view on, off;
};

constexpr std::array number_fields = {
    NumberField{"MaxConnections", Parameter::max_connections, &Parameters::max_connections},
    NumberField{"MaxBurstLength", Parameter::max_burst_length, &Parameters::max_burst_length},
    NumberField{"FirstBurstLength", Parameter::first_burst_length, &Parameters::first_burst_length},
    NumberField{"DefaultTime2Wait", Parameter::default_time2wait, &Parameters::default_time2wait},
    NumberField{"DefaultTime2Retain", Parameter::default_time2retain, &Parameters::default_time2retain},
    NumberField{"MaxOutstandingR2T", Parameter::max_outstanding_r2t, &Parameters::max_outstanding_r2t},
    NumberField{"ErrorRecoveryLevel", Parameter::error_recovery_level, &Parameters::error_recovery_level},
};

constexpr std::array bool_fields = {
    BoolField{"HeaderDigest", Parameter::header_digest, &Parameters::header_digest_crc32c, "CRC32C", "None"},
    BoolField{"DataDigest", Parameter::data_digest, &Parameters::data_digest_crc32c, "CRC32C", "None"},
    BoolField{"InitialR2T", Parameter::initial_r2t, &Parameters::initial_r2t, "Yes", "No"},
    BoolField{"ImmediateData", Parameter::immediate_data, &Parameters::immediate_data, "Yes", "No"},
    BoolField{"DataPDUInOrder", Parameter::data_pdu_in_order, &Parameters::data_pdu_in_order, "Yes", "No"},
    BoolField{"DataSequenceInOrder", Parameter::data_sequence_in_order, &Parameters::data_sequence_in_order,
              "Yes", "No"},
};

std::uint32_t Parameters::*receive_limit(Party party) {
    return party == Party::initiator ? &Parameters::max_recv_data_segment_length_initiator
                                     : &Parameters::max_recv_data_segment_length_target;
}

using Place = std::variant<std::monostate, std::uint32_t Parameters::*, const BoolField *>;

Place find_place(std::string_view key, Party party) {
    if (key == "MaxRecvDataSegmentLength")
        return receive_limit(party);
    for (const auto &f : number_fields)
        if (f.key == key)
            return f.field;
    for (const auto &f : bool_fields)
        if (f.key == key)
            return &f;
    return {};
}

} // namespace

bool set_parameter(OperationalParameters &parameters, Party party, std::string_view key,
                   std::string_view value) {
    const Place place = find_place(key, party);
    if (const auto *number = std::get_if<std::uint32_t Parameters::*>(&place)) {
        const KeyRule *rule = find_rule(key);
        std::uint64_t n = 0;
        if (!parse_number(value, n) || n > 0xffffffff || (rule != nullptr && n < rule->low))
            return false;
        parameters.**number = static_cast<std::uint32_t>(n);
        return true;
    }
    if (const auto *flag = std::get_if<const BoolField *>(&place)) {
        if (value != (*flag)->on && value != (*flag)->off)
            return false;
        parameters.*(*flag)->field = value == (*flag)->on;
        return true;
    }
    return false;
}

std::optional<Parameter> parameter_of(Party party, std::string_view key) {
    if (key == "MaxRecvDataSegmentLength")
        return party == Party::initiator ? Parameter::max_recv_initiator : Parameter::max_recv_target;
    for (const auto &f : number_fields)
        if (f.key == key)
            return f.parameter;
    for (const auto &f : bool_fields)
        if (f.key == key)
            return f.parameter;
    return std::nullopt;
}

std::string parameter_text(const OperationalParameters &parameters, Party party, std::string_view key) {
    const Place place = find_place(key, party);
    if (const auto *number = std::get_if<std::uint32_t Parameters::*>(&place))
        return std::to_string(parameters.**number);
    if (const auto *flag = std::get_if<const BoolField *>(&place))
        return std::string(parameters.*(*flag)->field ? (*flag)->on : (*flag)->off);
    return {};
}

std::vector<KeyValue> offer_keys(const OperationalParameters &wish, Party self) {
    std::vector<KeyValue> keys;
    for (const auto &rule : key_rules()) {
        std::string value = parameter_text(wish, self, rule.key);
        if (value.empty())
            continue;
        // Digests are offered together with None, since the responder need not support them.
        if (rule.function == ResultFunction::list && value != "None")
            value += ",None";
        keys.push_back({std::string(rule.key), std::move(value)});
    }
    return keys;
}

} // namespace iscsiscope
