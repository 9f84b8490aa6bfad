// Names that hold separators, and words for a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// The parts between separators; a part, or a piece of it after one of ":=+", may stand in double
/// quotes, and separators inside them do not count. Quotes stay.
std::vector<std::string> split_outside_quotes(std::string_view text, char separator);

/// The last such character outside double quotes, or npos.
std::size_t rfind_outside_quotes(std::string_view text, char wanted);

/// What stands in double quotes, with quotes inside doubled; other text as it is.
std::string unquoted(std::string_view text);

/// A name as split_outside_quotes and unquoted read it: in double quotes where it needs them.
std::string list_name(std::string_view name);

/// A word as a POSIX shell reads it: in single quotes where it needs them.
std::string shell_word(std::string_view word);

/// A command line to paste.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace whence
