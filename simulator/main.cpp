#include <iostream>

int main() {
  std::cerr << "headroom-sim: no command yet\n";
  return 2;
}
