// A field of a text file as a number, independent of any locale.
#pragma once

#include <string_view>

namespace whence {

/// What a field is. The forms are listed in docs/formats.md.
enum class FieldKind {
  number,
  overflow,   // a number that no double can hold
  underflow,  // not zero, but so small that it reads as zero
  not_a_number,
  infinite,
  malformed,  // meant as a number, written in a form that is read in two ways: 1'000, 1,5, 0x1p3
  text,
  empty,
};

struct ParsedField {
  FieldKind kind = FieldKind::empty;
  double value = 0;  // of numbers; negative zero reads as zero
};

/// Spaces and tabs around it do not count. `decimal` is '.' or ','.
ParsedField parse_field(std::string_view text, char decimal = '.');

/// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

}  // namespace whence
