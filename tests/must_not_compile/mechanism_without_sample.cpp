// A mechanism must score, differentiate and sample.
#include "whence/mechanisms/categorical_table.hpp"

struct Deaf {
  using Scalar = double;
  std::span<double> parameters() { return {}; }
  double log_prob(const whence::Dataset&, const whence::Family&, std::size_t) const { return 0; }
  void add_gradient(const whence::Dataset&, const whence::Family&, std::size_t, double,
                    std::span<double>) const {}
#ifdef CONTROL
  void sample(whence::Stream&, whence::Dataset&, const whence::Family&, std::size_t) const {}
#endif
};
static_assert(whence::Mechanism<Deaf>);
