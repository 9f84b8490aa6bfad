#include "whence/evidence/labels/new_evidence.hpp"

#include "whence/evidence/labels/joint_evidence.hpp"
#include "whence/evidence/labels/shift_evidence.hpp"

namespace whence {

namespace {

enum class Kind : unsigned char { conditionals = 1, level, change };

thread_local ByteWriter* present = nullptr;

ByteWriter& begin(Kind kind, const VariableSet& set) {
  present->put(kind).put(static_cast<std::uint16_t>(set.size()));
  set.each([](std::size_t v) { present->put(static_cast<std::uint16_t>(v)); });
  return *present;
}

VariableSet set_of(ByteReader& bytes, std::size_t variables) {
  VariableSet set;
  const std::size_t size = bytes.get<std::uint16_t>();
  for (std::size_t k = 0; k < size && !bytes.failed(); ++k)
    if (const std::size_t v = bytes.get<std::uint16_t>(); v < variables) set.insert(v);
  return set;
}

}  // namespace

NewEvidence::NewEvidence() { present = &bytes_; }
NewEvidence::~NewEvidence() { present = nullptr; }

void NewEvidence::note_conditionals(const VariableSet& given, const std::vector<double>& values) {
  if (present != nullptr) begin(Kind::conditionals, given).put_list(values);
}

void NewEvidence::note_level(const VariableSet& given, std::size_t variable, double value) {
  if (present != nullptr) begin(Kind::level, given).put(std::uint64_t(variable)).put(value);
}

void NewEvidence::note_change(const VariableSet& parents, std::size_t number, float value) {
  if (present != nullptr) begin(Kind::change, parents).put(std::uint64_t(number)).put(value);
}

bool learn_evidence(std::string_view text, const JointEvidence& joint, const ShiftEvidence& shift) {
  for (ByteReader bytes(text); !bytes.whole();) {
    if (bytes.failed()) return false;
    const Kind kind = bytes.get<Kind>();
    const VariableSet set = set_of(bytes, shift.variables());
    if (kind == Kind::conditionals) {
      const auto values = bytes.get_list<double>();
      if (bytes.failed() || !joint.learn_conditionals(set, values)) return false;
    } else if (kind == Kind::level) {
      const std::size_t variable = bytes.get<std::uint64_t>();
      const auto value = bytes.get<double>();
      if (bytes.failed() || variable >= shift.variables()) return false;
      joint.learn_level(set, variable, value);
    } else if (kind == Kind::change) {
      const std::size_t number = bytes.get<std::uint64_t>();
      const auto value = bytes.get<float>();
      if (bytes.failed() || number >= shift.variables() * shift.environments()) return false;
      shift.learn_change(set, number, value);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace whence
