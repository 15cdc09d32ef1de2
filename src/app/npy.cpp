#include "headroom/app/npy.hpp"

#include <bit>
#include <fstream>
#include <string>

#include "headroom/base/error.hpp"

namespace headroom {

void write_npy(const std::filesystem::path& file, std::span<const float> values, std::size_t rows,
               std::size_t columns) {
  static_assert(std::endian::native == std::endian::little);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  // Magic, version and length take 10 bytes; all of it, with a newline, a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 0xFFU)
      << static_cast<char>(header.size() >> 8U) << header;
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  if (!out.flush()) throw Error(file.string() + ": cannot be written");
}

}  // namespace headroom
