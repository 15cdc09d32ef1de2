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

// Likewise with Kafka: its topic, and the user or item as its key.
class KafkaRouter {
 public:
  explicit KafkaRouter(KafkaTopics topics) : topics_(std::move(topics)), decode_(make_decode()) {}
  std::pair<const std::string&, std::string> operator()(std::string_view record);

 private:
  KafkaTopics topics_;
  Decode decode_;
  Event event_;
};

// What a source or a sink has to know of the run.
struct EdgeFlags {
  bool until_end = false;      // the source ends with what is there now; standard input by itself
  bool reset = false;          // Kafka: go on where the oldest record is if the next one is gone
  std::string known_log = {};  // Kafka: the id of the log that the store knows
  Notice notice = {};          // hears of trouble that is waited out
  StopAsked stop = {};         // nobody is waited for any more
};

// Trouble that a command waits out, on standard error.
void print_notice(const std::string& trouble);

KafkaConnection kafka_connection(const Options& options, const EdgeFlags& flags = {});

// The source and the sink that the options name. `epoch`: of the store that feeds the sink.
std::unique_ptr<EventLog> open_source(const Options& options, const EdgeFlags& flags = {});
std::unique_ptr<ListSink> open_sink(const Options& options, std::uint32_t epoch,
                                    const EdgeFlags& flags = {});

// Removes what the options let go of, of the local log and the outputs, and from the journal the
// batches that can't be repeated without it. `checkpoint`: the batch of the one on disk.
void retain(const Options& options, EventLog& source, Store& store, std::uint64_t checkpoint,
            Time now);

}  // namespace headroom
