// The operating system, failing on demand: the n-th call that touches files returns an error.
// This program's own definitions of those calls stand before the C library's.
#pragma once

#include <cstddef>

namespace whence::faults {

struct Fault {
  std::size_t at = 1;          // the number of the call, from 1
  int error = 0;               // errno; 0: a write of half the bytes instead
  bool for_ever = false;       // all calls from there on
  const char* call = nullptr;  // only calls of this name count
};

/// Calls fail while it lives.
class Injected {
 public:
  explicit Injected(const Fault& fault);
  ~Injected();
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

  /// A call has failed: without one, `at` lay behind the last call.
  bool fired() const;
};

}  // namespace whence::faults
