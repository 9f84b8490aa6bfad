// Data files that are kept whole inside another file, so that a later run reads them again together
// with new ones. Nothing else gives the bytes of one run over all files: types, levels, units and
// warnings come from all of them together.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/json/json.hpp"

namespace whence {

/// Raised when older programs could not continue.
inline constexpr int kept_files_format = 2;

struct KeptFile {
  std::string path;  // as it was given
  bool baseline = false;
  std::shared_ptr<const std::string> content;  // its bytes
};

/// What `whence direction --state` remembers.
struct KeptFiles {
  Json options;  // everything that was asked for at the start
  std::vector<KeptFile> files;
};

/// Equal files give equal bytes; a checksum is among them.
std::string kept_files_text(const KeptFiles& kept);

/// Errors are of code checkpoint: E-STATE-DAMAGED where the bytes are not those that were written,
/// E-STATE where the file is of another program or of another version.
KeptFiles read_kept_files(std::string_view text, const std::string& file);

}  // namespace whence
