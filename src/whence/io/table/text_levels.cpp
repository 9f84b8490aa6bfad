#include "whence/io/table/text_levels.hpp"

#include <cstring>
#include <random>

namespace whence {
namespace {

__extension__ using Product = unsigned __int128;

std::uint64_t secret() {
  static const std::uint64_t value = [] {
    std::random_device device;
    return std::uint64_t(device()) << 32 | device() | 1;
  }();
  return value;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const Product product = Product(a) * b;
  return std::uint64_t(product) ^ std::uint64_t(product >> 64);
}

/// Eight bytes at a time, each folded in by a full multiplication with secret factors.
std::uint64_t hash_of(std::string_view text) {
  const std::uint64_t key = secret();
  std::uint64_t hash = key ^ text.size();
  while (text.size() > 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    hash = mixed(hash ^ word, key ^ 0x9e3779b97f4a7c15);
    text.remove_prefix(8);
  }
  std::uint64_t word = 0;
  for (const char c : text) word = word << 8 | std::uint8_t(c);
  return mixed(hash ^ word, key ^ 0xd1b54a32d192ed03);
}

}  // namespace

TextLevels::Found TextLevels::add(std::string_view text) {
  if (texts_.size() * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  for (std::size_t slot = hash;; ++slot) {
    slot &= slots_.size() - 1;
    std::int32_t& level = slots_[slot];
    if (level < 0) {
      level = std::int32_t(texts_.size());
      texts_.emplace_back(text);
      hashes_.push_back(hash);
      bytes_ += sizeof(std::string) + text.size() + sizeof hash + 2 * sizeof level;
      return {level, true};
    }
    const auto known = std::size_t(level);
    if (hashes_[known] == hash && texts_[known] == text) return {level, false};
  }
}

void TextLevels::grow() {
  slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, -1);
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t slot = hashes_[i] & (slots_.size() - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = std::int32_t(i);
  }
}

}  // namespace whence
