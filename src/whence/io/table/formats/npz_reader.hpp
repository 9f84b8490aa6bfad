// Several arrays in one file, as numpy.savez and numpy.savez_compressed write them.
#pragma once

#include "whence/io/files/byte_source.hpp"
#include "whence/io/table/raw_table.hpp"

namespace whence {

/// An array `A` of one dimension is the column A. One of two dimensions is the columns A.1, A.2,
/// ... and the group A. Only arrays that are asked for are unpacked, and they must have the same
/// number of rows; others may be anything.
RawTable read_npz(ByteSource& source, const ValueOptions& options,
                  const ChooseColumns& choose = {});

}  // namespace whence
