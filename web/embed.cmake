# Writes a page as a C++ source: cmake -DPAGE=page.html -DTEXT=page.cpp -P embed.cmake
file(READ ${PAGE} page)
string(FIND "${page}" ")headroom\"" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${PAGE} has )headroom\" in it, which ends the text in C++")
endif()
file(WRITE ${TEXT} "#include \"simulator/report_template.hpp\"

namespace headroom::sim {

std::string_view report_template() {
  static constexpr char kPage[] = R\"headroom(${page})headroom\";
  return {kPage, sizeof kPage - 1};
}

}  // namespace headroom::sim
")
