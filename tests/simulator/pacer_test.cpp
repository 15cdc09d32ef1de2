#include "simulator/pacer.hpp"

#include "support/catch.hpp"

using namespace headroom;
using namespace headroom::sim;

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A clock that moves only when somebody sleeps, or is told to.
struct Hands {
  Pacer::Clock::time_point now{};
  Pacer pacer(double speed) {
    return {speed, [this] { return now; }, [this](Pacer::Clock::time_point until) { now = until; }};
  }
  milliseconds gone() const {
    return std::chrono::duration_cast<milliseconds>(now - Pacer::Clock::time_point{});
  }
};

constexpr Time kNoon{std::chrono::hours(12)};

TEST_CASE("An hour takes a minute at sixty times the speed") {
  Hands hands;
  Pacer pacer = hands.pacer(60.0);
  pacer.wait(kNoon);
  CHECK(hands.gone() == milliseconds(0));
  pacer.wait(kNoon + minutes(20));
  CHECK(hands.gone() == seconds(20));
  pacer.wait(kNoon + minutes(60));
  CHECK(hands.gone() == seconds(60));
}

TEST_CASE("Who falls behind catches up") {
  Hands hands;
  Pacer pacer = hands.pacer(60.0);
  pacer.wait(kNoon);
  hands.now += seconds(30);
  pacer.wait(kNoon + minutes(10));
  CHECK(hands.gone() == seconds(30));
  pacer.wait(kNoon + minutes(40));
  CHECK(hands.gone() == seconds(40));
}

TEST_CASE("Without a speed nothing waits") {
  Hands hands;
  Pacer pacer = hands.pacer(0.0);
  pacer.wait(kNoon);
  pacer.wait(kNoon + minutes(60));
  CHECK(hands.gone() == milliseconds(0));
}

TEST_CASE("A stop ends a wait of days") {
  Pacer pacer(1.0, [] { return true; });
  pacer.wait(kNoon);
  pacer.wait(kNoon + std::chrono::hours(48));
}

}  // namespace
