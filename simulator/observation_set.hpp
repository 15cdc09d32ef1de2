#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headroom::sim {

// Who likes what and what not, user by user; each user's liked items come first.
struct ObservationSet {
  std::size_t users = 0;
  std::size_t items = 0;
  std::vector<std::uint32_t> start;  // by user, one more than users: where its observations begin
  std::vector<std::uint32_t> liked;  // by user: how many of them are liked
  std::vector<std::uint32_t> item;
  std::vector<float> target;

  std::span<const std::uint32_t> of_user(std::size_t user) const {
    return std::span(item).subspan(start[user], start[user + 1] - start[user]);
  }
  std::span<const std::uint32_t> liked_by(std::size_t user) const {
    return of_user(user).first(liked[user]);
  }
  std::span<const std::uint32_t> disliked_by(std::size_t user) const {
    return of_user(user).subspan(liked[user]);
  }
};

}  // namespace headroom::sim
