#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headroom::sim {

// A file that names a command of ours and its flags, so that an experiment is run the same again:
//
//   command: replay
//   dataset: ml-1m
//   seeds: 5
//   bare: true                  # a flag without a value; false: as if it were not there
//   set: [seats.rule=now, ...]  # a flag that is given several times
//
// The arguments to be parsed: the command, what the file says and then `more`, of which each flag
// takes the place of the file's. Throws Error, which names the file and the line.
std::vector<std::string> arguments_of(const std::filesystem::path& file,
                                      const std::vector<std::string>& more);

}  // namespace headroom::sim
