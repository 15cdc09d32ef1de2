#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/event.hpp"
#include "headroom/base/ids.hpp"
#include "headroom/base/lanes.hpp"
#include "headroom/base/random.hpp"
#include "headroom/base/row_watch.hpp"
#include "headroom/model/activity.hpp"
#include "headroom/model/adagrad.hpp"
#include "headroom/model/factor_rows.hpp"
#include "headroom/model/gradient_sums.hpp"

namespace headroom {

// What the paper calls its methods, without the capacity term: squared error or pairs, each with
// or without geography.
enum class Method : std::uint8_t { kPmf, kBpr, kGeoMf, kGeoBpr };

struct LearnerOptions {
  Method method = Method::kBpr;
  std::size_t rank = 16;          // 1 to 256
  float step = 0.3F;              // Adagrad's, of U, V and X
  float l2 = 0.02F;               // on each row that an event touches
  float start_deviation = 0.05F;  // rows of U and V start at N(0, this^2); X starts at 0
  float start_squares = 0.3F;     // Adagrad's sums start here, so that first steps stay small
  unsigned negatives = 1;         // drawn for each positive, 0 to 64
  unsigned mini_batch = 1;        // events whose gradients make one step of each row
  unsigned past = 256;            // liked items that are remembered of a user, the newest
  int level_of_detail = 15;       // of the map, 1 to 23
  float kernel_width = 1.0F;      // in tiles
  float kernel_cut = 4.0F;        // in widths
  std::uint64_t seed = 1;
};

// Learns taste online: r_ij = u_i . v_j [+ x_i . y_j], one event after the other, Adagrad on the
// rows of U, V and the sparse X that the event touches. A user of whom nothing is known yet is
// scored by popularity: log(1 + weight of an item's likes). An item that nobody liked yet starts
// with a small random v, so that it scores near 0 for everyone until likes come.
//
// Rows appear and go at run time; row numbers are dense and used again. All that is learned is in
// the rows, so that saving and loading all of them gives the same learner, bit for bit, if no
// mini-batch is open.
//
// One thread changes it. score() and score_all() are pure: any number of threads may call them at
// once while nobody changes it.
class Learner {
 public:
  Learner(const LearnerOptions& options, RowWatch& watch);  // throws Error on options out of bounds

  // Adding a row that is there, or erasing one that is not, changes nothing.
  void add(UserIx user);
  void add(ItemIx item);
  void erase(UserIx user);
  void erase(ItemIx item);
  void place(ItemIx item, std::optional<Position> position);

  // An outcome, learned at once or with its mini-batch; both rows are there. `value` is the
  // preference in [-1, 1], `weight` >= 0 that of the kind of event, `place` keys the random draws
  // and is the event's own.
  //   squared  `value` is the target; with a positive one come drawn negatives of target 0
  //   pairs    a positive is set against drawn negatives; a negative is the other one of a pair
  //            with a liked item drawn from the user's past, if there is one
  // Negatives are uniform over the items outside the user's remembered past.
  void like(UserIx user, ItemIx item, float value, float weight, std::uint64_t place);
  // Takes the steps of an open mini-batch, which is in no row: flush before a checkpoint begins.
  void flush();

  // Rows that are not there score 0, and so do the places of `out` beyond items().
  float score(UserIx user, ItemIx item) const;
  void score_all(UserIx user, std::span<float> out) const;

  // The row of U or V; it must be there.
  std::span<const float> factors(UserIx user) const {
    return {user_rows_.weights(index(user)), options_.rank};
  }
  std::span<const float> factors(ItemIx item) const {
    return {item_rows_.weights(index(item)), options_.rank};
  }

  bool knows(UserIx user) const;  // has learned from an event of this user
  // Something that this user did is in the row, even if there was nothing to compare it with yet.
  bool remembers(UserIx user) const {
    return has(user) && (users_[index(user)].known || !users_[index(user)].past.empty());
  }
  bool has(UserIx user) const { return index(user) < users_.size() && users_[index(user)].here; }
  bool has(ItemIx item) const { return index(item) < items_.size() && items_[index(item)].here; }
  // One more than the last row that is there.
  std::size_t users() const { return users_.size(); }
  std::size_t items() const { return items_.size(); }
  // Steps left out because a row would not have stayed finite, and outcomes whose value or weight
  // was not finite, or whose weight was below 0.
  std::uint64_t rejected_steps() const { return rejected_; }

  // Loading adds the row; it throws Error if the bytes are not those of a row of these options.
  void save(UserIx user, ByteWriter& to) const;
  void save(ItemIx item, ByteWriter& to) const;
  void load(UserIx user, ByteReader& from);
  void load(ItemIx item, ByteReader& from);

 private:
  struct User {
    bool here = false;
    bool known = false;
    // What the user liked, oldest first, each row once. A life says which item of a row it was: a
    // later one on the same row has another.
    std::vector<ItemIx> past;
    std::vector<std::uint32_t> past_lives;
    Activity activity;
  };
  struct Item {
    bool here = false;
    std::uint32_t life = 0;  // 0: nobody liked it yet, so that it is in nobody's past
    std::uint32_t tile = Atlas::kNowhere;
    double likes = 0.0;  // their weight
  };
  // An item that an event touches, and dLoss/dscore of it.
  struct Touch {
    ItemIx item;
    float pull;
  };
  struct TileGradient {
    UserIx user;
    TileKey key;
    float gradient;
  };

  bool geographic() const {
    return options_.method == Method::kGeoMf || options_.method == Method::kGeoBpr;
  }
  User& room_for(UserIx user);
  Item& room_for(ItemIx item);
  void move_to(Item& item, std::optional<Tile> tile);
  float learned_score(UserIx user, ItemIx item) const;

  // like(), in its order.
  template <class O>
  void choose(UserIx user, ItemIx item, float value, Draws draws);
  std::optional<ItemIx> draw_unseen(const User& user, Draws& draws) const;
  std::optional<ItemIx> draw_liked(const User& user, ItemIx but, Draws& draws) const;
  template <class O>
  void pull(UserIx user, float value, float weight);
  void learn(UserIx user);
  void remember(UserIx user, ItemIx item, float weight, std::uint64_t place);

  // The steps.
  template <class Gradient>
  void step(UserIx user, const Gradient& gradient);
  template <class Gradient>
  void step(ItemIx item, const Gradient& gradient);
  void step_tiles();
  bool step(ActiveTile& tile, float gradient) const;  // false: left out

  LearnerOptions options_;
  RowWatch& watch_;
  Adagrad adagrad_;
  Stencil stencil_;
  FactorRows user_rows_, item_rows_;
  std::vector<User> users_;
  std::vector<Item> items_;
  std::vector<float> popularity_;  // by item, log(1 + likes)
  Atlas atlas_;
  std::uint64_t rejected_ = 0;

  // Of the event that is learned: what it touches, the positive of a pair first, and du.
  std::vector<Touch> touches_;
  AlignedFloats user_gradient_;
  // Of the open mini-batch.
  unsigned open_events_ = 0;
  GradientSums user_sums_, item_sums_;
  std::vector<TileGradient> tile_gradients_;
};

}  // namespace headroom
