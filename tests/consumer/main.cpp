// A stranger's program: includes an installed header, links the installed library.
#include <cstring>

#include "whence/paper/embedded.hpp"
#include "whence/version.hpp"

int main() {
  const bool named = std::strlen(whence::version()) > 0 && std::strlen(whence::revision()) > 0;
  const bool carries_experiments = whence::embedded_experiment_count > 0;
  return named && carries_experiments ? 0 : 1;
}
