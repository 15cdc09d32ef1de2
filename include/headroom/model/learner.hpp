#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/kernels.hpp"
#include "headroom/base/lanes.hpp"
#include "headroom/base/random.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/model/activity.hpp"
#include "headroom/model/adagrad.hpp"
#include "headroom/model/context.hpp"
#include "headroom/model/factor_rows.hpp"
#include "headroom/model/gradient_sums.hpp"
#include "headroom/model/item_blocks.hpp"
#include "headroom/model/learner_options.hpp"
#include "headroom/model/past.hpp"

namespace headroom {

// Learns taste online, one event after the other:
//
//   r_ij = z_i . v_j [+ b_j] [+ x_i . y_j] [+ context of j for i],  z_i = n / (n + caution) (u_i +
//   h_i)
//
// u, v and the sparse x are the paper's; the rest are parts that can be turned off: a bias, the
// sum h of rows w of the user's newest items, a caution with users of few items n, and weights for
// distance and revisits. Adagrad moves all of it. z is as of the user's last event. A user of whom
// nothing is known is scored by the biases or, without them, by popularity: log(1 + weight of an
// item's likes).
//
// Rows appear and go at run time; row numbers are dense and used again. All that is learned is in
// the rows and in what all users share, so that saving and loading both gives the same learner, bit
// for bit, if no mini-batch is open.
//
// One thread changes it. What is const is pure: any number of threads may call it at once while
// nobody changes it.
class Learner {
 public:
  Learner(const LearnerOptions& options, RowWatch& watch);  // throws Error on options out of bounds
  const LearnerOptions& options() const { return options_; }

  // Adding a row that is there, or erasing one that is not, changes nothing.
  void add(UserIx user);
  void add(ItemIx item);
  void erase(UserIx user);
  void erase(ItemIx item);
  void place(ItemIx item, std::optional<Position> position);

  // An outcome, learned at once or with its mini-batch; both rows are there. `value` is the
  // preference in [-1, 1], `weight` >= 0 that of the kind of event; `place` keys the random draws
  // and is the event's own, `part` tells the outcomes of one event apart.
  //   squared  `value` is the target; with a positive one come drawn negatives of target 0
  //   pairs    a positive is set against drawn negatives, each pair a step of its own; a negative
  //   is
  //            the other one of a pair with a liked item drawn from the user's past, if there is
  //            one
  // A negative is the best scored of a few uniform draws outside the user's remembered past.
  void like(UserIx user, ItemIx item, float value, float weight, std::uint64_t place,
            std::uint32_t part = 0);
  // The outcome is remembered, but no taste is learned from it.
  void meet(UserIx user, ItemIx item, float value, float weight, std::uint64_t place);
  // Takes the steps of an open mini-batch, which is in no row: flush before a checkpoint begins.
  void flush();

  // The capacity term: for each of these users and items dLoss/dr_ij = force_j * slope of sigmoid
  // at r_ij. One step of each user's u, one of each v and b on the sums over users.
  struct Pressed {
    ItemIx item;
    float force;
  };
  void ease(std::span<const UserIx> users, std::span<const Pressed> items);

  // Rows that are not there score 0, and so do the places of `out` beyond items().
  float score(UserIx user, ItemIx item) const;
  void score_all(UserIx user, std::span<float> out) const;
  void score_some(UserIx user, std::span<const ItemIx> items, std::span<float> out) const;

  // Scoring in bulk. Items that moved are read from their rows until they are lined up: to be
  // called before many users are scored. What a score is does not depend on it.
  void line_up();
  bool lined_up() const { return blocks_.moved().empty(); }
  const ItemBlocks& blocks() const { return blocks_; }
  // How one user sees all items: what a score has beside bias and vectors, found once for all
  // items. It holds until anything of the learner changes.
  struct View {
    UserIx user{};
    const float* vector = nullptr;  // z; nothing: nothing is known of the user, and z . v is 0
    bool is_sum = false;            // scores are b + z . v, but for what is known
    std::vector<float> field;       // x . y by tile; empty: 0
    Whereabouts where;
    std::vector<ItemIx> known;  // whose scores have revisits too, ordered
    bool is_known(ItemIx item) const {
      return std::binary_search(known.begin(), known.end(), item);
    }
  };
  View view(UserIx user) const;
  // Scores of a block as score() has them, but for what is `known`; at first b + z . v.
  void score_block(const View& view, std::size_t block, float* scores) const;

  // Up to `count` uniform draws of items outside the user's remembered past, other than `item`.
  std::vector<ItemIx> draw_unseen(UserIx user, ItemIx item, std::size_t count, Draws draws) const;

  // What the user liked, as far as it is remembered and there.
  std::vector<ItemIx> visited(UserIx user) const;

  // The row of U or V; it must be there.
  std::span<const float> factors(UserIx user) const {
    return {user_rows_.weights(index(user)), options_.rank};
  }
  std::span<const float> factors(ItemIx item) const {
    return {item_rows_.weights(index(item)), options_.rank};
  }
  // z and b, as scores have them.
  const float* vector(UserIx user) const { return vectors_.data() + index(user) * padded(); }
  float bias(ItemIx item) const { return biases_[index(item)]; }

  bool knows(UserIx user) const {  // has learned from an event of this user
    return has(user) && users_[index(user)].known;
  }
  // Something that this user did is in the row, even if there was nothing to compare it with yet.
  bool remembers(UserIx user) const {
    return has(user) && (users_[index(user)].known || !users_[index(user)].past.empty());
  }
  bool has(UserIx user) const { return index(user) < users_.size() && users_[index(user)].here; }
  bool has(ItemIx item) const { return index(item) < items_.size() && items_[index(item)].here; }
  // One more than the last row that is there.
  std::size_t users() const { return users_.size(); }
  std::size_t items() const { return items_.size(); }
  // Outcomes left out because a step would have been out of all bounds: a value or weight that is
  // not finite or a weight below 0, or a pull beyond a million.
  std::uint64_t rejected_steps() const { return rejected_; }

  // Loading adds the row; it throws Error if the bytes are not those of a row of these options.
  void save(UserIx user, ByteWriter& to) const;
  void save(ItemIx item, ByteWriter& to) const;
  void load(UserIx user, ByteReader& from);
  void load(ItemIx item, ByteReader& from);
  void save_shared(ByteWriter& to) const { context_.save(to); }
  void load_shared(ByteReader& from) { context_.load(from); }

 private:
  struct User {
    bool here = false;
    bool known = false;
    Past past;
    Activity activity;
  };
  struct Item {
    bool here = false;
    std::uint32_t life = 0;  // 0: nobody liked it yet, so that it is in nobody's past
    std::uint32_t tile = Atlas::kNowhere;
    float bias_squares = 0.0F;
    double likes = 0.0;  // their weight
  };
  // A liked item and as many others as there may be negatives or draws.
  static constexpr std::size_t kMostTouched = 65;
  // An item that an outcome touches: what lights it, its score before, and dLoss/dscore.
  struct Touch {
    ItemIx item;
    float score = 0.0F;
    float pull = 0.0F;
    Context::Lit lit{};
  };
  struct TileGradient {
    UserIx user;
    TileKey key;
    float gradient;
  };

  std::size_t padded() const { return user_rows_.padded(); }
  bool has_distances() const { return options_.distance && !atlas_.empty(); }
  User& room_for(UserIx user);
  Item& room_for(ItemIx item);
  void resize_items(std::size_t count);
  void resize_users(std::size_t count);
  void move_to(ItemIx item, std::optional<Tile> tile, const Point& point);

  // The user as it stands.
  // Whether what was liked is still the item that has its row.
  bool alive(const Past& past, std::size_t at) const {
    return has(past.item(at)) && items_[index(past.item(at))].life == past.visits(at).life;
  }
  std::size_t find(const Past& past, ItemIx item) const {  // past.size(): not liked
    const std::size_t at = past.find(item);
    return at < past.size() && alive(past, at) ? at : past.size();
  }
  void add_history(const User& user, float* to) const;  // h
  // A score from b + z . v on; `influence` is x . y.
  float with_terms(const User& user, const Whereabouts& where, ItemIx item, float influence,
                   float sum) const;
  float trust(const User& user) const;  // n / (n + caution)
  void refresh_vector(UserIx user);
  Whereabouts whereabouts(const User& user) const;
  void sum_all(const float* z, std::span<float> out) const;  // b + z . v
  void add_places(std::span<const float> field, const Whereabouts& where, std::size_t begin,
                  std::span<float> out) const;

  // like(), in its order.
  bool acceptable(float value, float weight);
  void begin(UserIx user);
  void compare_pairs(UserIx user, ItemIx item, float value, float weight, Draws draws);
  void approach_target(UserIx user, ItemIx item, float value, float weight, Draws draws);
  void learn(UserIx user, std::span<Touch> touches);
  void finish(UserIx user);
  void remember(UserIx user, ItemIx item, float weight, std::uint64_t place);

  // What an outcome can be compared with.
  bool is_unseen(const Past& past, ItemIx item) const;
  std::optional<ItemIx> draw_one(const Past& past, ItemIx but, Draws& draws) const;
  // The best scored of some draws; `liked`, which it is to be compared with, is scored beside them.
  std::optional<Touch> draw_hardest(UserIx user, Touch& liked, Draws& draws);
  std::optional<ItemIx> draw_liked(const User& user, ItemIx but, Draws& draws) const;
  void score_touches(UserIx user, std::span<Touch> touches);
  void light(const User& user, std::span<Touch> touches);

  // The steps.
  void step_bias(ItemIx item, float gradient, float l2);
  void step_history(const User& user);
  void step_tiles();

  LearnerOptions options_;
  RowWatch& watch_;
  Stencil stencil_;
  FactorRows user_rows_, item_rows_, history_rows_;
  ItemBlocks blocks_;      // of item_rows_ and biases_
  AlignedFloats vectors_;  // z by user
  std::vector<User> users_;
  std::vector<Item> items_;
  std::vector<float> biases_, popularity_;    // by item; popularity is log(1 + likes)
  std::array<std::vector<float>, 3> points_;  // by coordinate, then by item
  Atlas atlas_;
  Context context_;
  std::vector<float> decay_, norm_;  // of the history: by age, and by how many
  std::uint64_t rejected_ = 0;

  // Of the outcome that is learned.
  Whereabouts where_;
  AlignedFloats x_;         // u + h
  AlignedFloats gathered_;  // the sum of du over its pairs
  std::vector<Touch> touches_;
  std::array<Touch, kMostTouched> drawn_{};
  // Of the open mini-batch.
  unsigned open_events_ = 0;
  GradientSums user_sums_, item_sums_, bias_sums_;
  std::vector<TileGradient> tile_gradients_;
};

}  // namespace headroom
