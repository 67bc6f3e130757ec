// SPDX-License-Identifier: GPL-2.0-or-later
// Result: a value, or a failure with a sentence for the user. Rooms report errors with it, not by exceptions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace iscsiscope {

struct Failure {
    std::string message;
};

// E: a type of its own for failures that carry more than a sentence, such as a position in a text.
template <typename T, typename E = Failure>
class [[nodiscard]] Result {
public:
    // Implicit, so that a function returns a value or a failure as it is.
    // NOLINTBEGIN(google-explicit-constructor)
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(E failure) : state_(std::in_place_index<1>, std::move(failure)) {}
    // NOLINTEND(google-explicit-constructor)

    bool ok() const { return state_.index() == 0; }
    // value() may be called only if ok(), failure() only if not.
    T &value() { return std::get<0>(state_); }
    const T &value() const { return std::get<0>(state_); }
    E &failure() { return std::get<1>(state_); }
    const E &failure() const { return std::get<1>(state_); }

private:
    std::variant<T, E> state_;
};

// The result of a step that yields no value: empty if it succeeded.
using Status = std::optional<Failure>;

} // namespace iscsiscope
