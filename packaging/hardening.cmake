# SPDX-License-Identifier: GPL-2.0-or-later
# What makes an error in memory harder to exploit, in optimised builds: a stack protector, checked library functions,
# relocations that are bound at the start and then read-only, position-independent programs, and on x86-64 landing
# pads and shadow stacks (CET). Debug builds and builds for sanitizers stay as they are. Include it after project().
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

set(optimised Release RelWithDebInfo MinSizeRel)
if(NOT CMAKE_BUILD_TYPE IN_LIST optimised OR ISCSISCOPE_SANITIZE)
  return()
endif()

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  string(MAKE_C_IDENTIFIER "ISCSISCOPE_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
# Some distributions define another level, which would be a warning.
add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported(OUTPUT_VARIABLE pie_problem LANGUAGES CXX)
if(NOT CMAKE_CXX_LINK_PIE_SUPPORTED)
  message(WARNING "Programs will not be position-independent: ${pie_problem}")
endif()
