// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/document_head.h"

#include "analyzer/report/html/html_page.h"

#include <array>
#include <fmt/format.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>

namespace iscsiscope::html {
namespace {

// "'sha256-...'" as the Content Security Policy Level 3 has it, section 2.3.1.
std::string hash_source(std::string_view text) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t *>(text.data()));
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&context, digest.size(), digest.data());
    std::array<char, BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)> encoded{};
    base64_encode_raw(encoded.data(), digest.size(), digest.data());
    return fmt::format(" 'sha256-{}'", std::string_view(encoded.data(), encoded.size()));
}

} // namespace

std::string document_head(std::string_view title, std::string_view style,
                          std::span<const std::string_view> scripts) {
    std::string policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src" + hash_source(style);
    policy += scripts.empty() ? "" : "; script-src";
    for (const std::string_view script : scripts)
        policy += hash_source(script);
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                       "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
                       policy, escape(title), style);
}

} // namespace iscsiscope::html
