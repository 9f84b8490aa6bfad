// One bad (or odd, but good) input and how reading it must end. The same bytes seed the fuzzers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "whence/io/table/data_reader.hpp"

namespace whence::bad_input {

struct Case {
  std::string id;  // of the catalogue, with a word for the variant: "C15 few"
  std::string bytes;
  std::string error;  // "" where the input is accepted
  int exit = 3;
  std::string place = {};  // the error's place must end so: ":3:1"
  std::string says = {};   // must occur in the message or the hint
  std::function<void(ReadOptions&)> change = {};
};

inline std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace whence::bad_input
