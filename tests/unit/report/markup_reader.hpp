// A strict little reader of the HTML and SVG that we write, for tests: stricter than browsers, so
// that whatever it accepts means the same to all of them.
#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace whence::test {

struct MarkupReader {
  std::string skeleton;                 // every tag with its attribute names, no text, no values
  std::vector<std::string> attributes;  // every "name=value", values as written
  std::vector<std::string> texts;       // every piece of text, as written
  std::string style, script, island;    // contents of the raw elements

  explicit MarkupReader(std::string_view text) : rest_(text) {
    while (!rest_.empty()) rest_[0] == '<' ? read_tag() : read_text();
    if (!open_.empty()) fail("not closed: " + open_.back());
  }

 private:
  std::string_view rest_;
  std::vector<std::string> open_;

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + ", before: " + std::string(rest_.substr(0, 80)));
  }
  std::string take_until(std::string_view end) {
    const auto at = rest_.find(end);
    if (at == std::string_view::npos) fail("missing " + std::string(end));
    std::string out(rest_.substr(0, at));
    rest_.remove_prefix(at + end.size());
    return out;
  }
  void read_text() {
    const std::string text(rest_.substr(0, rest_.find('<')));
    if (text.find('>') != std::string::npos) fail("a bare > in text");
    rest_.remove_prefix(text.size());
    texts.push_back(text);
  }
  std::string take_name() {
    std::string out;
    while (!rest_.empty() &&
           (std::isalnum(static_cast<unsigned char>(rest_[0])) || rest_[0] == '-'))
      out += rest_[0], rest_.remove_prefix(1);
    if (out.empty()) fail("no name");
    return out;
  }
  void read_tag() {
    rest_.remove_prefix(1);
    if (rest_.substr(0, 9) == "!doctype ") return void(take_until(">"));
    if (rest_[0] == '/') {
      rest_.remove_prefix(1);
      const std::string name = take_until(">");
      if (open_.empty() || open_.back() != name) fail("closes nothing: " + name);
      open_.pop_back();
      skeleton += "</" + name + ">";
      return;
    }
    read_opening_tag();
  }
  void read_opening_tag() {
    const std::string name = take_name();
    skeleton += "<" + name;
    bool json = false;
    while (!rest_.empty() && rest_[0] == ' ') {
      rest_.remove_prefix(1);
      const std::string attribute = take_name();
      if (rest_.substr(0, 2) != "=\"") fail("an attribute without a quoted value");
      rest_.remove_prefix(2);
      const std::string value = take_until("\"");
      if (value.find_first_of("<>") != std::string::npos) fail("a bare < or > in an attribute");
      attributes.push_back(attribute + "=" + value);
      skeleton += " " + attribute;
      json = json || value == "application/json";
    }
    skeleton += ">";
    const bool empty = rest_.substr(0, 2) == "/>";
    take_until(empty ? "/>" : ">");
    if (empty || name == "meta" || name == "link") return;
    if (name == "style" || name == "script") {
      (name == "style" ? style : json ? island : script) += take_until("</" + name + ">");
      skeleton += "</" + name + ">";
      return;
    }
    open_.push_back(name);
  }
};

/// Text as a browser shows it: the five entities that we write are undone.
inline std::string unescaped(std::string text) {
  constexpr std::string_view table[][2] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [entity, character] : table)
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
      text.replace(at, entity.size(), character);
  return text;
}

}  // namespace whence::test
