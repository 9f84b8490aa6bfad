#include "whence/io/files/special_bytes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/io/files/special_bytes.cpp"  // once per instruction set
#include <hwy/foreach_target.h>                                 // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whence {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Without vectors: a compare per byte.
inline std::uint64_t special_bytes_plain(const char* text, char delimiter) {
  std::uint64_t mask = 0;
  for (int i = 0; i < 64; ++i) {
    const char c = text[i];
    const bool special = c == delimiter || c == '"' || c == '\n' || c == '\r';
    mask |= std::uint64_t(special) << i;
  }
  return mask;
}

inline std::uint64_t special_bytes(const char* text, char delimiter) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  if (lanes < 8) return special_bytes_plain(text, delimiter);
  const auto wanted = hn::Set(d, std::uint8_t(delimiter));
  const auto quote = hn::Set(d, std::uint8_t('"'));
  const auto feed = hn::Set(d, std::uint8_t('\n'));
  const auto carriage = hn::Set(d, std::uint8_t('\r'));
  std::uint8_t bits[16] = {};  // a store may write a few bytes too many
  for (std::size_t i = 0; i < 64; i += lanes) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(text) + i);
    const auto found = hn::Or(hn::Or(hn::Eq(bytes, wanted), hn::Eq(bytes, quote)),
                              hn::Or(hn::Eq(bytes, feed), hn::Eq(bytes, carriage)));
    hn::StoreMaskBits(d, found, bits + i / 8);
  }
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 8; ++i) mask |= std::uint64_t(bits[i]) << (8 * i);
  return mask;
}

void FindSpecialBytes(const char* text, std::size_t blocks, char delimiter, std::uint64_t* masks) {
  for (std::size_t n = 0; n < blocks; ++n) masks[n] = special_bytes(text + 64 * n, delimiter);
}

}  // namespace HWY_NAMESPACE
}  // namespace whence
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(FindSpecialBytes);

void find_special_bytes(const char* text, std::size_t blocks, char delimiter,
                        std::uint64_t* masks) {
  HWY_DYNAMIC_DISPATCH(FindSpecialBytes)(text, blocks, delimiter, masks);
}

}  // namespace whence
#endif
