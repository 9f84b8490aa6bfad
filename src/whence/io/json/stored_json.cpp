#include "whence/io/json/stored_json.hpp"

#include <stdexcept>

namespace whence {

void StoredJson::refuse(const std::string& problem) const {
  refuse_(problem);
  throw std::logic_error("a refusal that returned: " + problem);
}

const Json& StoredJson::member(const Json& object, const char* key, Json::Kind kind) const {
  const Json* value = object.is(Json::Kind::object) ? object.find(key) : nullptr;
  if (!value || !value->is(kind)) refuse(std::string("there is no usable \"") + key + "\"");
  return *value;
}

const std::string& StoredJson::text(const Json& object, const char* key) const {
  return member(object, key, Json::Kind::text).text;
}

bool StoredJson::flag(const Json& object, const char* key) const {
  return member(object, key, Json::Kind::boolean).truth;
}

std::uint64_t StoredJson::count(const Json& object, const char* key) const {
  const auto value = member(object, key, Json::Kind::number).as_uint64();
  if (!value) refuse(std::string("\"") + key + "\" is not a count");
  return *value;
}

const std::vector<Json>& StoredJson::list(const Json& object, const char* key) const {
  return member(object, key, Json::Kind::list).items;
}

std::vector<std::string> StoredJson::texts(const Json& object, const char* key) const {
  std::vector<std::string> out;
  for (const Json& item : list(object, key)) {
    if (!item.is(Json::Kind::text)) refuse(std::string("\"") + key + "\" lists what is no text");
    out.push_back(item.text);
  }
  return out;
}

}  // namespace whence
