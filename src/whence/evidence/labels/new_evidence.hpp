// Evidence from labels that a thread worked out, as bytes for other processes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/shared_work.hpp"
#include "whence/core/variable_set.hpp"

namespace whence {

class JointEvidence;
class ShiftEvidence;

/// While it lives, this thread notes in it what it works out. Who reads the bytes need not work it
/// out again. One per thread at a time.
class NewEvidence {
 public:
  NewEvidence();
  ~NewEvidence();
  NewEvidence(const NewEvidence&) = delete;
  NewEvidence& operator=(const NewEvidence&) = delete;

  std::string take() { return bytes_.take(); }

  /// Of all numbers given a set, of levels given a set, and of a change; nothing where this thread
  /// notes nothing.
  static void note_conditionals(const VariableSet& given, const std::vector<double>& values);
  static void note_level(const VariableSet& given, std::size_t variable, double value);
  static void note_change(const VariableSet& parents, std::size_t number, float value);

 private:
  ByteWriter bytes_;
};

/// Puts evidence that was worked out elsewhere where it is looked for. False where the bytes are
/// not such evidence.
bool learn_evidence(std::string_view bytes, const JointEvidence& joint, const ShiftEvidence& shift);

}  // namespace whence
