// SPDX-License-Identifier: GPL-2.0-or-later
// A value or the sentence that says why there is none. No exceptions cross a room.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace iscsiscope::testbed::shim {

struct Failure {
    std::string message;
};

template <typename T>
class Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

    bool ok() const { return state_.index() == 0; }
    T &value() { return std::get<0>(state_); }
    const T &value() const { return std::get<0>(state_); }
    const Failure &failure() const { return std::get<1>(state_); }

private:
    std::variant<T, Failure> state_;
};

// For steps that yield nothing: empty when all went well.
using Status = std::optional<Failure>;

} // namespace iscsiscope::testbed::shim
