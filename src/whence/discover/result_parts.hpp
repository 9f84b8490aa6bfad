// Pieces that every documented result has in common.
#pragma once

#include "whence/io/data_reader.hpp"
#include "whence/io/json.hpp"

namespace whence {

/// A JSON list of what `to_json` makes of each item.
template <class Items, class Function>
Json listed(const Items& items, Function to_json) {
  Json list = Json::list();
  for (const auto& item : items) list.items.push_back(to_json(item));
  return list;
}

/// A file that was read, with its hash.
Json input_json(const SourceInfo& source);

}  // namespace whence
