#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "headroom/base/error.hpp"

namespace headroom {

// The values of the state store, as bytes: plain values as they lie in memory, sequences after
// their length. The store's version changes whenever what is written changes.
class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_all(std::span<const T> values) {
    put(static_cast<std::uint32_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void put_text(std::string_view text) { put_all(std::span(text.data(), text.size())); }

  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order; throws Error where the bytes end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_all() {
    const auto count = get<std::uint32_t>();
    const auto from = take(std::size_t{count} * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  std::string get_text() {
    const auto count = get<std::uint32_t>();
    return std::string(take(count));
  }
  bool empty() const { return left_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    if (left_.size() < count) throw Error("the state store: a row ends too soon");
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  std::string_view left_;
};

}  // namespace headroom
