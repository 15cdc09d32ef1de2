#pragma once

#include <cstdint>
#include <filesystem>

#include "headroom/app/options.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

// Writes the checkpoint of a store into a new folder: users.jsonl and items.jsonl, one row a line,
// for people and, with the row's own bytes, for import_state; users.npy and items.npy, the factors
// by row; store.json, all the rest. Returns the number of rows.
std::size_t export_state(const Store& store, const Options& options,
                         const std::filesystem::path& folder);

// Whether what a state took of its log counts: it goes on in that log, copied along with it, or
// begins with another, in an epoch of its own, so that no list gets the id of another one.
enum class ImportLog : std::uint8_t { kSame, kNew };

// The reverse, into a store without a checkpoint; nothing is written where a file is damaged or of
// other options. The journal does not come along: it goes on from the checkpoint.
std::size_t import_state(const std::filesystem::path& folder, const Options& options, Store& store,
                         ImportLog log);

}  // namespace headroom
