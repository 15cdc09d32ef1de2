#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "headroom/app/options.hpp"
#include "headroom/base/event.hpp"

namespace headroom::sim {

// The two ends of a `headroom serve` that runs beside us: events go into its log, and what it puts
// out is read where any client would read it. One thread.
class ServedLog {
 public:
  ServedLog() = default;
  ServedLog(const ServedLog&) = delete;
  ServedLog& operator=(const ServedLog&) = delete;
  virtual ~ServedLog() = default;

  // On disk, or acknowledged by the broker, on return.
  virtual void append(std::span<const Event> events) = 0;
  // The lists that came since the last call, as lines; waits for none.
  virtual void take(const std::function<void(std::string_view line)>& list) = 0;
};

// By the options' source: the local log in their folder, or Kafka. Throws Error if there are events
// or lists already.
std::unique_ptr<ServedLog> open_served_log(const Options& options);

}  // namespace headroom::sim
