#include "whence/io/table/kept_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "whence/core/error.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/json/stored_json.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 255;

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? std::uint8_t(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// Only what base64() writes; nothing for anything else.
std::optional<std::string> from_base64(std::string_view text) {
  std::array<std::uint8_t, 256> value{};
  value.fill(no_digit);
  for (std::size_t i = 0; i < digits.size(); ++i) value[std::uint8_t(digits[i])] = std::uint8_t(i);
  if (text.size() % 4 != 0) return {};
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t padding = 0;
    if (i + 4 == text.size())
      while (padding < 2 && text[i + 3 - padding] == '=') ++padding;
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t digit = k < 4 - padding ? value[std::uint8_t(text[i + k])] : 0;
      if (digit == no_digit) return {};
      word = word << 6 | digit;
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) out += char(word >> (16 - 8 * k) & 255);
  }
  return out;
}

constexpr const char* start_again = "start again with all data and another file";

[[noreturn]] void refuse(const std::string& file, const std::string& problem,
                         const std::string& hint = start_again) {
  throw Error(ExitCode::checkpoint, "E-STATE", file, problem, hint);
}

[[noreturn]] void refuse_damaged(const std::string& file, const std::string& problem) {
  throw Error(ExitCode::checkpoint, "E-STATE-DAMAGED", file, problem, start_again);
}

Json content_json(const KeptFiles& kept) {
  Json files = Json::list();
  for (const KeptFile& file : kept.files)
    files.items.push_back(Json::object({{"path", base64(file.path)},
                                        {"baseline", file.baseline},
                                        {"content", base64(*file.content)}}));
  return Json::object({{"options", kept.options}, {"files", std::move(files)}});
}

KeptFile read_file(const StoredJson& reader, const Json& json) {
  const auto path = from_base64(reader.text(json, "path"));
  auto content = from_base64(reader.text(json, "content"));
  if (!path || !content || path->empty() || path->find('\0') != std::string::npos)
    reader.refuse("a file in it cannot be read");
  return {*path, reader.flag(json, "baseline"),
          std::make_shared<const std::string>(std::move(*content))};
}

}  // namespace

std::string kept_files_text(const KeptFiles& kept) {
  const Json content = content_json(kept);
  const std::string sum = sha256_hex(content.dump());
  return Json::object({{"program", "whence"},
                       {"kind", "direction-state"},
                       {"format", kept_files_format},
                       {"version", version()},
                       {"sha256", sum},
                       {"content", content}})
             .dump() +
         "\n";
}

KeptFiles read_kept_files(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = read_json(text, file, {text.size() + 1});
  } catch (const Error&) {
    refuse_damaged(file, "this is not a state of whence direction, or it is cut short");
  }
  const StoredJson reader([&](const std::string& problem) { refuse(file, problem); });
  if (!json.is(Json::Kind::object) || !json.find("program") || !json.find("kind") ||
      reader.text(json, "program") != "whence" || reader.text(json, "kind") != "direction-state")
    refuse(file, "this is not a state of whence direction");
  const std::uint64_t format = reader.count(json, "format");
  if (format > std::uint64_t(kept_files_format))
    refuse(file, "a newer whence wrote this state", "use whence " + reader.text(json, "version"));
  if (format < std::uint64_t(kept_files_format)) refuse(file, "an older whence wrote this state");
  const Json& content = reader.member(json, "content", Json::Kind::object);
  if (sha256_hex(content.dump()) != reader.text(json, "sha256"))
    refuse_damaged(file, "the state is damaged: its checksum differs");
  KeptFiles kept;
  kept.options = reader.member(content, "options", Json::Kind::object);
  for (const Json& item : reader.list(content, "files"))
    kept.files.push_back(read_file(reader, item));
  if (kept.files.empty()) reader.refuse("there is no file in it");
  for (std::size_t i = 1; i < kept.files.size(); ++i)
    if (kept.files[i].baseline) reader.refuse("its baseline is not the first file");
  return kept;
}

}  // namespace whence
