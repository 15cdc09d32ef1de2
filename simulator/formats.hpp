#pragma once

#include "simulator/readers.hpp"

namespace headroom::sim {

// One function for each format, behind read_dataset().

Dataset read_movielens_100k(const ReadOptions& options);
Dataset read_movielens_1m(const ReadOptions& options);

// Foursquare and Gowalla of Yuan et al., SIGIR 2013.
Dataset read_yuan(const ReadOptions& options);

// Gowalla and Brightkite of SNAP.
Dataset read_snap(const ReadOptions& options);

// The sets of Liu et al., VLDB 2017.
Dataset read_liu(const ReadOptions& options);

Dataset read_recbole(const ReadOptions& options);

Dataset read_tsv(const ReadOptions& options);
Dataset read_csv(const ReadOptions& options);

}  // namespace headroom::sim
