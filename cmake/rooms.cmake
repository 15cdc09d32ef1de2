# One target holds every compiler setting; rooms and programs link it. Nothing is set globally.
add_library(headroom_settings INTERFACE)
target_compile_options(headroom_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-ignored-attributes
  -fno-math-errno -ffp-contract=fast)
if(HEADROOM_TUNED)
  target_compile_options(headroom_settings INTERFACE -march=native)
endif()
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_settings INTERFACE
    -fsanitize=${HEADROOM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # GCC warns wrongly of uninitialised values in <regex> and others once sanitizers are on.
  target_compile_options(headroom_settings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(headroom_settings INTERFACE -fsanitize=${HEADROOM_SANITIZE})
endif()

# headroom_room(<name> LINK <targets...>): the library of src/<name>/*.cpp, or a header-only one.
function(headroom_room name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")  # the program's, not the library's
  set(kind PUBLIC)
  if(sources)
    add_library(headroom_${name} STATIC ${sources})
    target_link_libraries(headroom_${name} PRIVATE headroom_settings)
  else()
    add_library(headroom_${name} INTERFACE)
    set(kind INTERFACE)
  endif()
  target_include_directories(headroom_${name} ${kind} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(headroom_${name} ${kind} ${ARG_LINK})
endfunction()
