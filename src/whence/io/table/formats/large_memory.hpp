// Room for many values at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <vector>

namespace whence {

/// Reserves, and asks the system for large pages: filling fresh memory in small ones costs more
/// than reading the numbers that go there. Only a hint; nothing depends on it.
template <class T>
void reserve_large(std::vector<T>& values, std::size_t capacity) {
  constexpr std::uintptr_t page = 4096, worthwhile = std::uintptr_t(4) << 20;
  values.reserve(capacity);
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + page - 1) & ~(page - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(values.data() + values.capacity());
  if (end < begin + worthwhile) return;
#ifdef MADV_HUGEPAGE
  ::madvise(reinterpret_cast<void*>(begin), (end - begin) & ~(page - 1), MADV_HUGEPAGE);
#endif
}

}  // namespace whence
