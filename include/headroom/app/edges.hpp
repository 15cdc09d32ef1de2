#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "headroom/app/options.hpp"
#include "headroom/engine/ports.hpp"
#include "headroom/io/local_log.hpp"
#include "headroom/io/local_sink.hpp"
#include "headroom/io/spool.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

// Where things lie below the configured folder.
inline std::filesystem::path log_folder(const Options& o) { return o.folder / "log"; }
inline std::filesystem::path store_folder(const Options& o) { return o.folder / "store"; }

// The codec of room `wire`, as the ports of room `io` take it. One for each thread.
Decode make_decode();
OutputCodec output_codec();

// Where a record goes in a local log with that many partitions: items to their topic, events by
// the hash of their user. What can't be read goes to partition 0, to become a dead letter.
Router make_router(std::uint32_t partitions);

// The source and the sink that the options name. With `until_end` the source ends with what is
// there now; standard input ends by itself. A sink waits for nobody when a stop is asked for.
std::unique_ptr<EventLog> open_source(const Options& options, bool until_end);
std::unique_ptr<ListSink> open_sink(const Options& options, const StopAsked& stop = {});

// Removes what the options let go of, of the local log and the outputs, and from the journal the
// batches that can't be repeated without it. `checkpoint`: the batch of the one on disk.
void retain(const Options& options, EventLog& source, Store& store, std::uint64_t checkpoint,
            Time now);

}  // namespace headroom
