#pragma once

#include "headroom/app/options.hpp"
#include "headroom/base/list.hpp"
#include "headroom/engine/ports.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

// Opens the store of these options: makes it new, or refuses one that was made for others. After an
// unclean end batches have to be repeated, and then nothing may differ that could change a list.
// `repeating`: how many batches are journalled after the checkpoint.
void claim(Store& store, const Options& options, std::uint64_t repeating);

// Refuses a store whose positions are those of another log or file; one that has none yet is bound
// to it. False: a file without any record is not to be told from others yet; ask again before
// something of it is taken.
struct LogChange {
  bool reset = false;           // Kafka: another topic of this name is taken from its beginning
  bool new_partitions = false;  // Kafka: there may be more than before
};
bool claim_log(Store& store, const Options& options, const EventLog& source,
               const LogChange& change = {});
// Only refuses.
void check_change(const Store& store, const Options& options, const EventLog& source,
                  const LogChange& change);
// The log that the store is bound to; empty: none yet.
std::string known_log(const Store& store);
// Only refuses.
void check_log(const Store& store, const Options& options, const EventLog& source);

// Refuses output that does not fit the store: `there` is ahead of the journal (the store was lost,
// or an older one put back), or behind what the checkpoint knows was `made` (its end was lost, and
// won't be made again). Output that was moved away as a whole is nobody's concern.
void check_output(const Store& store, const Delivered& made, const Delivered& there);

// Refuses a store that was made for other options; the second, what is to be put into it.
void check_claim(const Store& store, const Options& options);
void check_claim(const Store& store, const StoreIdentity& made_for, const Options& options);

// Refuses to repeat what is journalled there with anything that could change a list.
void check_repeatable(const Store& store, const Options& options);

// Of a store that begins with a log it does not know, in the next epoch.
StoreIdentity with_new_log(StoreIdentity identity);

// The epoch that the store was made in; 1 if it is new.
std::uint32_t epoch_of(const Store& store);
void set_epoch(Store& store, std::uint32_t epoch);

}  // namespace headroom
