#pragma once

#include "simulator/columns.hpp"
#include "simulator/dataset_builder.hpp"
#include "simulator/fields.hpp"
#include "simulator/parse_time.hpp"
#include "simulator/text_source.hpp"

namespace headroom::sim {

enum class ValueRule { kAny, kStars, kVisits };

// How a line becomes a row, for every format whose columns each hold one thing.
struct RowFormat {
  Splitter splitter;
  ColumnMap columns;
  ValueRule value = ValueRule::kAny;
  TimeParser time = parse_any_time;
};

// Reads the rows left in `source`. Tells whether every value lies within 1 to 5.
bool read_rows(TextSource& source, RowFormat format, DatasetBuilder& builder);

// The same for a file of items: their places, seats and dwell times.
void read_places(TextSource& source, RowFormat format, DatasetBuilder& builder);

}  // namespace headroom::sim
