// SPDX-License-Identifier: GPL-2.0-or-later
// BoxedOptional: std::optional for a large value that most owners do not have: eight bytes until it is there.
// Copies are deep.
#pragma once

#include <memory>
#include <utility>

namespace iscsiscope {

template <class T>
class BoxedOptional {
public:
    BoxedOptional() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a value may stand for it, as for std::optional
    BoxedOptional(T value) : value_(std::make_unique<T>(std::move(value))) {}
    BoxedOptional(const BoxedOptional &o) : value_(o ? std::make_unique<T>(*o) : nullptr) {}
    BoxedOptional(BoxedOptional &&) noexcept = default;
    BoxedOptional &operator=(const BoxedOptional &o) {
        value_ = o ? std::make_unique<T>(*o) : nullptr;
        return *this;
    }
    BoxedOptional &operator=(BoxedOptional &&) noexcept = default;
    ~BoxedOptional() = default;

    explicit operator bool() const { return value_ != nullptr; }
    bool has_value() const { return value_ != nullptr; }
    // Only with a value.
    T &operator*() { return *value_; }
    const T &operator*() const { return *value_; }
    T *operator->() { return value_.get(); }
    const T *operator->() const { return value_.get(); }
    T &emplace() { return *(value_ = std::make_unique<T>()); }
    void reset() { value_.reset(); }

private:
    std::unique_ptr<T> value_;
};

} // namespace iscsiscope
