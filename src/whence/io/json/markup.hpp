// Foreign text inside HTML, SVG and JSON: whatever a name holds, it comes out as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// The code points of UTF-8 text; every byte that is not valid UTF-8 becomes U+FFFD.
std::vector<char32_t> code_points(std::string_view text);

/// The other way: one code point more.
void append_utf8(std::string& out, char32_t point);

/// Safe between tags and inside quoted attributes, in HTML and in XML alike. Characters that XML
/// forbids, and those that reorder their neighbours (bidirectional overrides), become U+FFFD.
std::string escape_markup(std::string_view text);

/// A quoted JSON string that is also safe inside <script>: `<`, `>`, `&`, U+2028/9 are \uXXXX.
std::string json_string(std::string_view text);

/// A number for people: `digits` significant digits (six decimals at most), no trailing zeros, "1.2
/// × 10⁻⁷" where plain digits would be long, "–" for what is not finite. The script of the page
/// does the same.
std::string human_number(double value, int digits = 4);

/// 10 to a power as people write it: "10⁻³".
std::string power_of_ten(int exponent);

/// An id out of any text: [a-z0-9-] only, at most 48 characters, never empty.
std::string slug(std::string_view text);

}  // namespace whence
