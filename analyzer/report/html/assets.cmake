# SPDX-License-Identifier: GPL-2.0-or-later
# Sets html_assets: a source file with what every HTML report carries in it.
find_path(DYGRAPHS_FOLDER dygraph.min.js PATHS /usr/share/javascript/dygraphs /usr/share/nodejs/dygraphs/dist)
set(DYGRAPHS_CSS "")
set(DYGRAPHS_JS "")
if(DYGRAPHS_FOLDER)
  file(READ ${DYGRAPHS_FOLDER}/dygraph.min.js DYGRAPHS_JS)
  file(READ ${DYGRAPHS_FOLDER}/dygraph.min.css DYGRAPHS_CSS)
  # A page in a file of its own has no map beside it.
  string(REGEX REPLACE "/[/*]# sourceMappingURL=[^\n]*" "" DYGRAPHS_JS "${DYGRAPHS_JS}")
  string(REGEX REPLACE "/[/*]# sourceMappingURL=[^\n]*" "" DYGRAPHS_CSS "${DYGRAPHS_CSS}")
else()
  message(STATUS "Left out: zoomable charts of HTML reports (package libjs-dygraphs is missing)")
endif()
file(READ ${CMAKE_CURRENT_LIST_DIR}/page.css PAGE_CSS)
file(READ ${CMAKE_CURRENT_LIST_DIR}/page.js PAGE_JS)
file(READ ${CMAKE_CURRENT_LIST_DIR}/actions.js ACTIONS_JS)
set(notice ${CMAKE_SOURCE_DIR}/docs/licenses/dygraphs.txt)
file(READ ${notice} DYGRAPHS_NOTICE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/page.css ${CMAKE_CURRENT_LIST_DIR}/page.js ${CMAKE_CURRENT_LIST_DIR}/actions.js ${notice})
set(html_assets ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
configure_file(${CMAKE_CURRENT_LIST_DIR}/assets.cpp.in ${html_assets} @ONLY)
