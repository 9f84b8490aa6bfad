// Lists of objects in a JSON document.
#pragma once

#include "whence/io/json/json.hpp"

namespace whence {

/// A JSON list of what `to_json` makes of each item.
template <class Items, class Function>
Json listed(const Items& items, Function to_json) {
  Json list = Json::list();
  for (const auto& item : items) list.items.push_back(to_json(item));
  return list;
}

}  // namespace whence
