#include "headroom/app/logging.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace headroom {

void start_logging(LogLevel level) {
  spdlog::drop("headroom");
  auto logger = spdlog::stderr_logger_mt("headroom");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  logger->set_level(kLevels[static_cast<std::size_t>(level)]);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace headroom
