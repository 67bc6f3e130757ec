// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/config/lun_spec.h"

#include "analyzer/base/units.h"
#include "sample-captures/testbed/target/config/distribution_spec.h"
#include "sample-captures/testbed/target/service/raid0.h"

#include <charconv>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

// The keys of one specification. Each is taken once; what is left over at the end is a mistake.
class Keys {
public:
    bool add(std::string_view pair) {
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos)
            return false;
        return values_.try_emplace(std::string(pair.substr(0, equals)), pair.substr(equals + 1)).second;
    }

    template <class T, class Parse>
    void take(const std::string &key, T &into, Parse parse) {
        const auto at = values_.find(key);
        if (at == values_.end())
            return;
        if (const auto value = parse(std::string_view(at->second)); value.ok())
            into = static_cast<T>(value.value());
        else if (error_.empty())
            error_ = fmt::format("{}: {}", key, value.failure().message);
        values_.erase(at);
    }

    std::string problem() const {
        if (!error_.empty() || values_.empty())
            return error_;
        return fmt::format("unknown key \"{}\"", values_.begin()->first);
    }

private:
    std::map<std::string, std::string> values_;
    std::string error_;
};

Result<std::uint32_t> parse_count(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return Failure{fmt::format("\"{}\" is not a whole number", text)};
    return value;
}

Result<std::uint64_t> parse_bytes_per_second(std::string_view text) {
    auto rate = parse_rate(text);
    if (rate.ok())
        rate.value() /= 8;
    return rate;
}

auto one_of(std::string_view yes, std::string_view no) {
    return [=](std::string_view text) -> Result<bool> {
        if (text != yes && text != no)
            return Failure{fmt::format("\"{}\" is neither {} nor {}", text, yes, no)};
        return text == yes;
    };
}

void take_disk_shape(Keys &keys, DiskShape &shape) {
    std::uint32_t rpm = 7200;
    keys.take("rpm", rpm, parse_count);
    shape.mean_rotation = mean_rotational_wait(rpm);
    keys.take("rotation", shape.mean_rotation, parse_duration);
    DurationRange seek{shape.seek_shortest, shape.seek_longest};
    keys.take("seek", seek, parse_duration_range);
    shape.seek_shortest = seek.low;
    shape.seek_longest = seek.high;
    keys.take("rate", shape.bytes_per_second, parse_bytes_per_second);
}

struct Common {
    std::uint32_t number = 0;
    std::uint32_t block = 512;
    bool read_only = false;
    Distribution service;
    bool serial = false;
};

Common take_common(Keys &keys, std::uint16_t default_number) {
    Common common;
    common.number = default_number;
    keys.take("lun", common.number, parse_count);
    keys.take("block", common.block, parse_bytes);
    keys.take("readonly", common.read_only, one_of("yes", "no"));
    keys.take("service", common.service, parse_distribution);
    keys.take("queue", common.serial, one_of("serial", "parallel"));
    return common;
}

} // namespace

Result<NumberedUnit> make_unit(const std::string &specification, std::uint16_t default_number,
                               const std::string &target_name, std::uint64_t seed) {
    const auto fail = [&](std::string_view why) {
        return Failure{fmt::format("--lun {}: {}", specification, why)};
    };
    std::string_view rest = specification;
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos)
        return fail("write it as ram:SIZE, file:PATH, disk:SIZE or raid0:SIZE");
    const std::string_view kind = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
    const std::string argument(rest.substr(0, rest.find(',')));
    Keys keys;
    while (rest.find(',') != std::string_view::npos) {
        rest.remove_prefix(rest.find(',') + 1);
        const std::string_view pair = rest.substr(0, rest.find(','));
        if (!keys.add(pair))
            return fail(fmt::format("\"{}\" is not key=value, or the key stands twice", pair));
    }

    const Common common = take_common(keys, default_number);
    const auto given_size = parse_bytes(argument);
    std::uint64_t size = given_size.ok() ? given_size.value() : 0;
    LogicalUnit unit;
    if (kind == "file") {
        size = 0;
        keys.take("size", size, parse_bytes);
    } else if (kind != "ram" && kind != "disk" && kind != "raid0") {
        return fail(fmt::format("\"{}\" is not a kind of disk (ram, file, disk, raid0)", kind));
    } else if (size == 0) {
        return fail(given_size.ok() ? "a disk of 0 bytes" : given_size.failure().message);
    }
    if (kind == "disk") {
        DiskShape shape;
        shape.size = size;
        take_disk_shape(keys, shape);
        unit.service = std::make_unique<ModelledDisk>(shape, seed);
    } else if (kind == "raid0") {
        Raid0Shape shape;
        shape.disk.size = size;
        take_disk_shape(keys, shape.disk);
        keys.take("disks", shape.disks, parse_count);
        keys.take("stripe", shape.stripe_unit, parse_bytes);
        keys.take("cache", shape.cache, parse_bytes);
        keys.take("cacherate", shape.cache_bytes_per_second, parse_bytes_per_second);
        keys.take("write", shape.write_back, one_of("back", "through"));
        if (shape.disks == 0 || shape.disks > 256 || shape.stripe_unit < 512)
            return fail("disks must be 1 to 256 and stripe at least 512");
        unit.service = std::make_unique<Raid0>(shape, seed);
    }
    if (common.service.kind != Distribution::Kind::none) {
        if (unit.service)
            return fail("service= goes with ram and file; disk and raid0 have their own times");
        unit.service = std::make_unique<DistributionService>(common.service, common.serial, seed);
    }
    if (const std::string problem = keys.problem(); !problem.empty())
        return fail(problem);
    if (common.block != 512 && common.block != 1024 && common.block != 2048 && common.block != 4096)
        return fail("block must be 512, 1024, 2048 or 4096");
    if (common.number > 16383)
        return fail("lun must be 0 to 16383");

    auto made = kind == "file" ? open_file_store(argument, size, common.read_only) : make_memory_store(size);
    if (!made.ok())
        return fail(made.failure().message);
    std::unique_ptr<Store> &store = made.value();
    if (store->size() < common.block)
        return fail("smaller than one block");
    DiskIdentity identity{target_name, common.number, fmt::format("{:08d}", common.number)};
    unit.disk = std::make_unique<Disk>(std::move(store), common.block, common.read_only, kind == "file",
                                       std::move(identity));
    return NumberedUnit{static_cast<std::uint16_t>(common.number), std::move(unit)};
}

} // namespace iscsiscope::testbed
