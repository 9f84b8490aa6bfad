// At most so many rows of a table, drawn at random, as many as possible from each environment.
//
// Environments with few rows keep all of them; the others keep equal numbers. Whether a row is kept
// depends on its number within its environment and on how many rows all environments have, so
// neither the pieces in which a table is read nor the order of its environments matters. Rows come
// in order and are forgotten on the way: no more than twice those wanted are held at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace whence {

constexpr std::size_t every_row = std::size_t(-1);

/// The largest number c such that the first c rows of each environment are `most` rows together at
/// most; every_row where everything fits.
std::size_t rows_of_each(std::span<const std::size_t> rows, std::size_t most);

class RowDraw {
 public:
  RowDraw(std::size_t most, std::uint64_t seed) : most_(most), seed_(seed) {}

  /// The next rows of the table, with the environment of each (-1: none is named).
  void add(std::span<const std::int32_t> environments);
  /// The next rows of a table that is one environment.
  void add(std::size_t rows);

  bool is_full() const { return held_.size() / 2 > most_; }

  /// Drops rows that cannot be among those drawn. Which of the rows held until now stay,
  /// ascending.
  std::vector<std::size_t> shrink();
  /// The same with another limit for each environment.
  std::vector<std::size_t> shrink_to(std::size_t of_each);

  /// Rows that were added; the held ones by their number in the table.
  std::size_t added() const { return added_; }
  std::size_t held() const { return held_.size(); }
  std::vector<std::size_t> rows() const;
  /// Of each row of the table, whether it is held.
  std::vector<bool> mask() const;

 private:
  struct Held {
    std::uint64_t rank;  // the smallest are drawn
    std::size_t row;
    std::int32_t environment;
  };

  std::size_t most_;
  std::uint64_t seed_;
  std::size_t added_ = 0;
  std::vector<std::size_t> seen_;  // rows of each environment, the nameless one first
  std::vector<Held> held_;
};

/// Of a table in which the environment of every row is known: environment_of(row). Leave it out
/// where the table is one environment.
RowDraw drawn_rows(std::size_t rows, std::size_t most, std::uint64_t seed,
                   const std::function<std::int32_t(std::size_t)>& environment_of = {});

/// Only the elements at these places, ascending.
template <class T>
void keep_places(std::vector<T>& values, std::span<const std::size_t> places) {
  for (std::size_t i = 0; i < places.size(); ++i) values[i] = values[places[i]];
  values.resize(places.size());
}

}  // namespace whence
