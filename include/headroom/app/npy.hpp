#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace headroom {

// Writes a matrix of floats, row after row, as a NumPy file (format 1.0).
void write_npy(const std::filesystem::path& file, std::span<const float> values, std::size_t rows,
               std::size_t columns);

}  // namespace headroom
