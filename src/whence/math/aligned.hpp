// Memory aligned for kernels: a vector of eight numbers that lies across two cache lines costs two
// loads, and a store several.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace whence {

/// Allocates at the beginning of a cache line.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  bool operator==(const CacheLineAllocator&) const = default;
};

/// As std::vector<double>; data() is the beginning of a cache line.
using AlignedNumbers = std::vector<double, CacheLineAllocator<double>>;

}  // namespace whence
