// Data that an engine may let go of while it works with a form of its own.
#pragma once

#include <functional>
#include <utility>

#include "whence/core/dataset.hpp"

namespace whence {

/// A view of data that live elsewhere. Names of variables and environments are always there; rows
/// are either always there, too, or can be read again.
class DataSource {
 public:
  /// Rows that stay where they are.
  explicit DataSource(const Dataset& data) : given_(&data) {}
  /// Rows that may be taken out of `data`: `read` gives the same data again.
  DataSource(Dataset& data, std::function<Dataset()> read)
      : given_(&data), lent_(&data), read_(std::move(read)) {}

  DataSource(const DataSource&) = delete;
  DataSource& operator=(const DataSource&) = delete;

  bool can_read_again() const { return lent_ != nullptr; }

  /// Variables and environments. Columns may be empty.
  const Dataset& outline() const { return *given_; }

  /// With all rows. Throws E-DATA-CHANGED where the data are no longer what they were.
  const Dataset& whole();

  /// The rows become the caller's: those that stay are copied, others are no longer here.
  Dataset take();

 private:
  const Dataset* given_;
  Dataset* lent_ = nullptr;  // the same, where its rows may be taken
  std::function<Dataset()> read_;
  bool taken_ = false;
};

}  // namespace whence
