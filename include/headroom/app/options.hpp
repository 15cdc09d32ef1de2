#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "headroom/base/kernels.hpp"
#include "headroom/engine/options.hpp"
#include "headroom/io/kafka.hpp"

namespace headroom {

enum class SourceKind : std::uint8_t { kLog, kFile, kStdin, kKafka };
enum class SinkKind : std::uint8_t { kLog, kFile, kStdout, kKafka };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

// Everything that the configuration says. What each means is in settings.cpp, the table of keys.
struct Options {
  std::filesystem::path folder = "headroom-data";
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: one for each core
  KernelKind kernels = KernelKind::kBest;
  EngineOptions engine;

  SourceKind source = SourceKind::kLog;
  std::filesystem::path source_file;
  SinkKind sink = SinkKind::kLog;
  std::filesystem::path sink_file;

  KafkaTopics topics;
  KafkaProperties kafka;  // librdkafka's, as written: a value may name where the secret is
  StartAt start = StartAt::kEarliest;
  Time start_time;
  std::uint32_t instances = 1;

  std::uint32_t partitions = 1;
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;
  std::uint64_t keep_bytes = 0;    // 0: whatever the size
  std::chrono::hours keep_for{0};  // 0: for ever

  std::chrono::milliseconds ask_wait{20};
  std::chrono::milliseconds batch_wait{1000};
  std::size_t batch_most = 10'000;

  std::chrono::milliseconds checkpoint_every{10'000};
  std::size_t checkpoint_rows = 200'000;

  std::chrono::milliseconds status_every{1000};
  std::chrono::milliseconds report_every{60'000};  // the status line on the log; 0: none
  LogLevel log_level = LogLevel::kInfo;
};

}  // namespace headroom
