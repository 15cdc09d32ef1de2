#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "headroom/app/options.hpp"

namespace headroom {

// The flags that say which configuration counts: the built-in one, a file, single keys, the folder.
class ConfigFlags {
 public:
  explicit ConfigFlags(CLI::App& command);
  // Throws Error where the configuration is not good.
  Options options() const;

 private:
  struct Values {
    std::string file, folder, kafka;
    std::vector<std::string> assignments;
  };
  std::shared_ptr<Values> values_ = std::make_shared<Values>();
};

void add_serve_command(CLI::App& app);
void add_send_command(CLI::App& app);
void add_repeat_command(CLI::App& app);
void add_dead_letters_command(CLI::App& app);
void add_state_command(CLI::App& app);
void add_config_command(CLI::App& app);
void add_topics_command(CLI::App& app);
void add_tail_command(CLI::App& app);

}  // namespace headroom
