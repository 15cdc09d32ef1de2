#include "simulator/cli.hpp"

namespace headroom::sim {

void add_figures_command(CLI::App&) {}

}  // namespace headroom::sim
