#include "whence/io/files/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace whence {
namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// The 64 bytes, big-endian, stretched to 64 words.
std::array<std::uint32_t, 64> schedule(const char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | std::uint8_t(block[i]);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

void compress_one(State& state, const char* block) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State step = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += step[i];
}

void compress_portable(State& state, const char* blocks, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) compress_one(state, blocks + 64 * i);
}

#if defined(__x86_64__)
/// Four rounds per pair of instructions. They need the state as (a b e f) and (c d g h).
__attribute__((target("sha,sse4.1,ssse3"))) void compress_sha_ni(State& state, const char* blocks,
                                                                 std::size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i dcba = _mm_loadu_si128(words), hgfe = _mm_loadu_si128(words + 1);
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (std::size_t n = 0; n < count; ++n) {
    const auto* block = reinterpret_cast<const __m128i*>(blocks + 64 * n);
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(_mm_loadu_si128(block + i), swap);
#pragma GCC unroll 16  // the words must stay in registers
    for (int i = 0; i < 16; ++i) {
      const auto* k = reinterpret_cast<const __m128i*>(round_constants.data() + 4 * i);
      const __m128i sum = _mm_add_epi32(w[i & 3], _mm_loadu_si128(k));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      // The words sixteen rounds on replace those just used.
      const __m128i last = w[(i + 3) & 3], before = w[(i + 2) & 3];
      const __m128i early = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
      w[i & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(early, _mm_alignr_epi8(last, before, 4)), last);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_SHA)) return false;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3);
}
#endif

void compress(State& state, const char* blocks, std::size_t count) {
#if defined(__x86_64__)
  static const bool fast = has_sha_instructions();
  if (fast) return compress_sha_ni(state, blocks, count);
#endif
  compress_portable(state, blocks, count);
}

}  // namespace

void Sha256::update(std::string_view bytes) {
  const std::size_t held = bytes_ % 64;
  bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(bytes.size(), 64 - held);
    std::copy_n(bytes.data(), taken, rest_.data() + held);
    bytes.remove_prefix(taken);
    if (held + taken < 64) return;
    compress(state_, rest_.data(), 1);
  }
  compress(state_, bytes.data(), bytes.size() / 64);
  bytes.remove_prefix(bytes.size() / 64 * 64);
  std::copy_n(bytes.data(), bytes.size(), rest_.data());
}

std::string Sha256::hex() const {
  // The rest, a one bit, zeros, and the length in bits as eight bytes.
  State state = state_;
  std::string tail(rest_.data(), bytes_ % 64);
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += char(bytes_ * 8 >> shift & 255);
  compress(state, tail.data(), tail.size() / 64);

  std::string hex;
  for (const std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace whence
