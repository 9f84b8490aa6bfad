// A table as its file has it, and altered: with its labels shuffled, or with a mistake that people
// make.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/table/memory_table.hpp"
#include "whence/io/table/raw_table.hpp"

namespace whence {

enum class Alteration {
  none,
  shuffled,      // environments dealt out to the rows at random: nothing changes anywhere
  thousandfold,  // one cell times 1000
  lost_point,    // one cell times 10
  swapped,       // two numbers of one row in each other's place
  sentinel,      // three cells of one column hold -999
  other_unit,    // 1 % of the rows have one column in another unit: times 100
  copied_rows,   // a block of 5 % of the rows comes twice
};
inline constexpr std::array all_alterations = {
    Alteration::shuffled, Alteration::thousandfold, Alteration::lost_point, Alteration::swapped,
    Alteration::sentinel, Alteration::other_unit,   Alteration::copied_rows};

std::string_view name_of(Alteration alteration);

/// A cell that was made wrong, by the value that stands there now.
struct PlantedCell {
  std::string column;
  double value = 0;
};

struct AlteredTable {
  std::shared_ptr<const MemoryTable> table;
  std::vector<PlantedCell> cells;
};

/// Which rows and columns: by `seed` and `number` alone. Mistakes go into columns of `numbers`,
/// names of columns that hold measurements (few of them: fewer mistakes may fit).
AlteredTable altered(const RawTable& table, Alteration alteration, const std::string& environment,
                     const std::vector<std::string>& numbers, std::uint64_t seed,
                     std::uint32_t number);

}  // namespace whence
