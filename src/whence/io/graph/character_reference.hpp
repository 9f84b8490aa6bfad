// Characters as XML and GML write them: &amp; &#8364; &#x20AC;
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace whence {

/// The text with its references replaced; nothing when one of them is unknown or not closed.
std::optional<std::string> without_references(std::string_view text);

/// `text` with & < > " ' and everything that is not printable ASCII as a reference.
std::string with_references(std::string_view text);

}  // namespace whence
