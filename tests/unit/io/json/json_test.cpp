// The strict reader and the writer, against the grammar and against another implementation.
#include "whence/io/json/json.hpp"

#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "whence/core/error.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  try {
    read_json(text, "f", limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_config);
    return error.id() + " " + error.place();
  }
  return "accepted";
}

TEST(JsonReader, ReadsEveryKindAndItsPlace) {
  const Json root = read_json(
      "{\"a\": [1, -2.5e3, true, false, null],\n \"b\": {\"c\": \"x\\u00e9\\n\\ud83d\\ude00\"}}",
      "f");
  ASSERT_TRUE(root.is(Json::Kind::object));
  const Json& list = *root.find("a");
  EXPECT_EQ(list.items[0].as_int64(), 1);
  EXPECT_EQ(list.items[1].as_double(), -2500);
  EXPECT_FALSE(list.items[1].is_integer());
  EXPECT_TRUE(list.items[2].truth);
  EXPECT_TRUE(list.items[4].is(Json::Kind::null));
  EXPECT_EQ(root.find("b")->find("c")->text, "xé\n😀");
  EXPECT_EQ(root.members[1].place.line, 2);
  EXPECT_EQ(root.members[1].place.column, 2);
  EXPECT_EQ(root.find("b")->members[0].place.column, 8);
  EXPECT_EQ(root.find("nothing"), nullptr);
}

TEST(JsonReader, NamesThePlaceOfEveryMistake) {
  EXPECT_EQ(refusal(""), "E-JSON-EMPTY f:1:1");
  EXPECT_EQ(refusal("{"), "E-JSON-SYNTAX f:1:2");
  EXPECT_EQ(refusal("{\"a\":1,\n\"a\":2}"), "E-JSON-DUPLICATE f:2:1");
  EXPECT_EQ(refusal("[1,]"), "E-JSON-SYNTAX f:1:4");
  EXPECT_EQ(refusal("[1 2]"), "E-JSON-SYNTAX f:1:4");
  EXPECT_EQ(refusal("[\"\\q\"]"), "E-JSON-SYNTAX f:1:3");
  EXPECT_EQ(refusal("[\"\\ud800\"]"), "E-JSON-SYNTAX f:1:3");
  EXPECT_EQ(refusal("[\"\\ud800\\u0041\"]"), "E-JSON-SYNTAX f:1:3");
  EXPECT_EQ(refusal("[\"\xC0\xAF\"]"), "E-JSON-ENCODING f:1:3");
  EXPECT_EQ(refusal("[+1]"), "E-JSON-SYNTAX f:1:2");
  EXPECT_EQ(refusal("[.5]"), "E-JSON-SYNTAX f:1:2");
  EXPECT_EQ(refusal("[5.]"), "E-JSON-SYNTAX f:1:4");
  EXPECT_EQ(refusal("[1e]"), "E-JSON-SYNTAX f:1:4");
  EXPECT_EQ(refusal("[-0]"), "E-JSON-NUMBER f:1:2");
  EXPECT_EQ(refusal("[1e309]"), "E-JSON-NUMBER f:1:2");
  EXPECT_EQ(refusal("[1e-400]"), "E-JSON-NUMBER f:1:2");
  EXPECT_EQ(refusal("[truth]"), "E-JSON-SYNTAX f:1:2");
  EXPECT_EQ(refusal(std::string_view("[1]\0", 4)), "E-JSON-SYNTAX f:1:4");
}

TEST(JsonReader, AcceptsTheLimitsAndNothingBeyond) {
  const JsonLimits limits{100, 3};
  EXPECT_EQ(refusal("[[[1]]]", limits), "accepted");
  EXPECT_EQ(refusal("[[[[1]]]]", limits), "E-JSON-DEPTH f:1:4");
  EXPECT_EQ(refusal(std::string(99, ' ') + "1", limits), "accepted");
  EXPECT_EQ(refusal(std::string(100, ' ') + "1", limits), "E-JSON-SIZE f");
  EXPECT_EQ(refusal("[1e308, 4.9e-324, 0, 0.0]"), "accepted");
}

TEST(JsonReader, TakesEveryWholeNumberAsItIs) {
  EXPECT_EQ(read_json("18446744073709551615", "f").as_uint64(), 18446744073709551615u);
  EXPECT_FALSE(read_json("18446744073709551616", "f").as_uint64());
  EXPECT_FALSE(read_json("-1", "f").as_uint64());
  EXPECT_EQ(read_json("-9223372036854775808", "f").as_int64(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(read_json("1.0", "f").as_int64());
}

/// Documents that are nearly JSON: pieces of it in any order.
std::string nearly_json() {
  static const std::vector<std::string> pieces = {
      "{",       "}",           "[",    "]",    ",",  ":",  "\"a\"",      "\"b\"", "1",
      "-2.5",    "1e5",         "true", "null", " ",  "\"", "\\",         "01",    "-",
      "\"\\n\"", "\"\\u00e9\"", "é",    "\x80", "\n", "0",  "\"\\ud800\""};
  std::string out;
  const int length = *rc::gen::inRange(1, 12);
  for (int i = 0; i < length; ++i) out += *rc::gen::elementOf(pieces);
  return out;
}

TEST(JsonReader, AgreesWithAnotherReaderOnWhatIsJson) {
  int accepted = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string text = nearly_json();
    const std::string said = refusal(text);
    // Duplicates are JSON, and negative zero is; we refuse both on purpose.
    if (said.find("DUPLICATE") != said.npos || said.find("NUMBER") != said.npos) return;
    RC_ASSERT(nlohmann::json::accept(text) == (said == "accepted"));
    accepted += said == "accepted";
  }));
  EXPECT_GT(accepted, 0);
}

Json any_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 6 : 4)) {
    case 0: return Json(*rc::gen::arbitrary<bool>());
    case 1: return Json(*rc::gen::arbitrary<std::int64_t>());
    case 2: return Json(*rc::gen::arbitrary<double>());
    case 3: return Json(*rc::gen::string<std::string>());
    case 4: {
      Json list = Json::list();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list.items.push_back(any_json(depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        object.set("k" + std::to_string(i) + "\"\\", any_json(depth - 1));
      return object;
    }
  }
}

bool is_utf8(const std::string& text) {
  return nlohmann::json::accept(
             nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) &&
         nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) ==
             nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
}

TEST(JsonWriter, WritesWhatReadersRead) {
  EXPECT_TRUE(rc::check([] {
    const Json value = any_json(3);
    for (const int indent : {0, 2}) {
      const std::string text = value.dump(indent);
      if (!is_utf8(text)) return;  // texts of arbitrary bytes are the caller's business
      RC_ASSERT(nlohmann::json::accept(text));
      RC_ASSERT(read_json(text, "f").dump() == value.dump());
    }
  }));
}

TEST(JsonWriter, HasNoWordForWhatIsNotFinite) {
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(Json("a\"\\\n\x01\x7f").dump(), "\"a\\\"\\\\\\n\\u0001\\u007f\"");
}

TEST(JsonWriter, KeepsNumbersOfACurveOnOneLine) {
  const std::vector<double> x = {1, 2, 3};
  EXPECT_EQ(Json::object({{"x", Json::list(x)}}).dump(2), "{\n  \"x\": [1, 2, 3]\n}");
  EXPECT_EQ(Json::object({{"x", Json::list(x)}, {"y", true}}).dump(), "{\"x\":[1,2,3],\"y\":true}");
  EXPECT_EQ(sorted(read_json("{\"b\":{\"d\":1,\"c\":2},\"a\":0}", "f")).dump(),
            "{\"a\":0,\"b\":{\"c\":2,\"d\":1}}");
}

}  // namespace
}  // namespace whence
