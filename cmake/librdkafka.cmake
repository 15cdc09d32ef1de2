# Kafka's client library as the target headroom_rdkafka: the system's if it is 2.10 or newer, else
# the one that scripts/setup --kafka built into the cache (scripts/lib.sh has the same rule), else
# the system's old one, which does less. Header and library always come from the same place. Looked
# for anew at every configure: nothing found is kept in CMake's cache.
set(HEADROOM_RDKAFKA_ROOT "" CACHE PATH "Folder of a librdkafka to use; empty chooses one")

find_package(PkgConfig REQUIRED)

# Makes headroom_rdkafka of these two folders, if they hold librdkafka.
function(headroom_rdkafka_from include lib)
  find_library(rdkafka_file rdkafka PATHS ${lib} NO_DEFAULT_PATH NO_CACHE)
  if(NOT rdkafka_file OR NOT EXISTS ${include}/librdkafka/rdkafka.h)
    return()
  endif()
  # Imported by its full path, so that a program's rpath in the build folder leads to it.
  add_library(headroom_rdkafka SHARED IMPORTED)
  set_target_properties(headroom_rdkafka PROPERTIES
    IMPORTED_LOCATION ${rdkafka_file} INTERFACE_INCLUDE_DIRECTORIES ${include})
endfunction()

# rdkafka's variable in pkg-config's files, or its version; empty if there is none.
function(headroom_rdkafka_ask question result)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} ${question} rdkafka
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

set(rdkafka_cache "$ENV{HEADROOM_CACHE}")
if(NOT rdkafka_cache AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(rdkafka_cache "$ENV{XDG_CACHE_HOME}/headroom")
elseif(NOT rdkafka_cache)
  set(rdkafka_cache "$ENV{HOME}/.cache/headroom")
endif()
get_filename_component(rdkafka_cache "${rdkafka_cache}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
headroom_rdkafka_ask(--modversion rdkafka_version)
headroom_rdkafka_ask(--variable=includedir rdkafka_include)
headroom_rdkafka_ask(--variable=libdir rdkafka_lib)

if(HEADROOM_RDKAFKA_ROOT)
  headroom_rdkafka_from(${HEADROOM_RDKAFKA_ROOT}/include ${HEADROOM_RDKAFKA_ROOT}/lib)
  if(NOT TARGET headroom_rdkafka)
    message(FATAL_ERROR "HEADROOM_RDKAFKA_ROOT is '${HEADROOM_RDKAFKA_ROOT}', which holds no "
      "lib/librdkafka or no include/librdkafka/rdkafka.h")
  endif()
else()
  if(rdkafka_version VERSION_GREATER_EQUAL 2.10)
    headroom_rdkafka_from(${rdkafka_include} ${rdkafka_lib})
  endif()
  if(NOT TARGET headroom_rdkafka)
    headroom_rdkafka_from(${rdkafka_cache}/librdkafka-2.15.1/include
      ${rdkafka_cache}/librdkafka-2.15.1/lib)
  endif()
  if(NOT TARGET headroom_rdkafka AND rdkafka_version)
    headroom_rdkafka_from(${rdkafka_include} ${rdkafka_lib})
    message(STATUS "librdkafka ${rdkafka_version} is old: Kafka 4 refuses its SCRAM, it knows no "
      "topic ids, and it takes more CPU. scripts/setup --kafka builds a newer one.")
  endif()
  if(NOT TARGET headroom_rdkafka)
    message(FATAL_ERROR "librdkafka was not found; scripts/setup installs it")
  endif()
endif()
get_target_property(rdkafka_lib headroom_rdkafka IMPORTED_LOCATION)
message(STATUS "librdkafka: ${rdkafka_lib}")
