// SPDX-License-Identifier: GPL-2.0-or-later
// A value or the sentence that says why there is none. No exceptions cross a room.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace iscsiscope {

struct Failure {
    std::string message;
};

// A failure that carries more than a sentence (a position in a text) is a type of its own.
template <typename T, typename E = Failure>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(E failure) : state_(std::in_place_index<1>, std::move(failure)) {}

    bool ok() const { return state_.index() == 0; }
    // The value is there only if ok(), the failure only if not.
    T &value() { return std::get<0>(state_); }
    const T &value() const { return std::get<0>(state_); }
    E &failure() { return std::get<1>(state_); }
    const E &failure() const { return std::get<1>(state_); }

private:
    std::variant<T, E> state_;
};

// For steps that yield nothing: empty when all went well.
using Status = std::optional<Failure>;

} // namespace iscsiscope
