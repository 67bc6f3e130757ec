# SPDX-License-Identifier: GPL-2.0-or-later
# The packages, by CPack: of each component a .deb and an .rpm, and one .tar.gz of everything that runs from wherever
# it is unpacked. packaging/build.sh calls it in a clean root of a Debian release. The components:
#   cli      iscsiscope                   the program, its documentation
#   gui      iscsiscope-gui               the desktop program
#   testbed  iscsiscope-testbed           the program, scenarios, studies, sample captures
#   plugin   wireshark-plugin-iscsiscope  for one minor version of Wireshark; its profile; the interface for Wireshark
set(ISCSISCOPE_PACKAGE_RELEASE "1" CACHE STRING "What follows the version in the version of a .deb or .rpm: 1~deb12")
set(ISCSISCOPE_PACKAGER "The iscsiscope developers <iscsiscope@users.noreply.github.com>" CACHE STRING
  "Maintainer field of the packages")

set(CPACK_PACKAGE_NAME iscsiscope)
set(CPACK_PACKAGE_VENDOR "The iscsiscope developers")
set(CPACK_PACKAGE_CONTACT "${ISCSISCOPE_PACKAGER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# The plugin's folder is that of Wireshark, an absolute one: files are staged below DESTDIR.
set(CPACK_SET_DESTDIR ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)

# A component whose packages were missing when CMake ran is left out, as elsewhere.
set(CPACK_COMPONENTS_ALL cli)
foreach(pair gui:iscsiscope-gui testbed:iscsiscope-testbed plugin:iscsiscope_plugin)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 1 target)
  if(TARGET ${target})
    list(GET pair 0 component)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endif()
endforeach()

# What a package is: describe(COMPONENT PACKAGE SUMMARY TEXT).
macro(describe component package summary text)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_RPM_${component}_PACKAGE_NAME ${package})
  set(CPACK_RPM_${component}_PACKAGE_SUMMARY "${summary}")
  set(CPACK_COMPONENT_${component}_DESCRIPTION "${text}")
endmacro()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # otherwise it becomes the first line of each description
describe(CLI iscsiscope "iSCSI performance analysis of packet captures"
"Reads a packet capture and answers where the time of iSCSI reads and writes
goes: is it the storage, the network or the host that is slow? Every command
is cut into phases, every idle gap of a connection gets the cause that the
packets show, and findings name lost time with its evidence and remedy.

Reports are text, JSON, HTML pages with charts, SQLite or CSV. Rows of
commands, PDUs, bursts, gaps and segments go to other programs.")
describe(GUI iscsiscope-gui "iSCSI performance analysis of packet captures - desktop program"
"Shows where the time of iSCSI reads and writes goes on one screen: overview
and findings, timeline, ladder of packets, table of commands with filters,
model with what-if, and comparison of two captures.

With the package iscsiscope-testbed it opens sample captures and makes new
ones over links of any delay, rate and loss.")
describe(TESTBED iscsiscope-testbed "iSCSI captures whose truth is known, samples and a generator"
"A reference initiator and target exchange real iSCSI over real kernel TCP,
through a shim that delays, drops and queues their packets as a scenario
says. Captures are written at each end, with the truth beside them.

Contains scenarios, sample captures, and five published studies of iSCSI that
the program runs, measures and sets beside their figures.")
describe(PLUGIN wireshark-plugin-iscsiscope "iSCSI cycles in Wireshark and tshark"
"Adds the phases, R2T bursts and idle gaps of iSCSI commands, the congestion
window and findings to Wireshark as fields, expert infos and statistics, with
a profile of columns, colours and filter buttons.

With the package iscsiscope-testbed there is an interface \"iSCSI testbed\"
whose traffic is made while it is captured.")

# Debian. A dependency on shared libraries is what dpkg-shlibdeps finds.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${ISCSISCOPE_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_CLI_PACKAGE_SUGGESTS "iscsiscope-gui, iscsiscope-testbed, wireshark-plugin-iscsiscope")
set(CPACK_DEBIAN_GUI_PACKAGE_RECOMMENDS iscsiscope-testbed)
set(CPACK_DEBIAN_GUI_PACKAGE_SUGGESTS "iscsiscope, wireshark")
# The studies ask the program iscsiscope for their figures.
set(CPACK_DEBIAN_TESTBED_PACKAGE_RECOMMENDS
  "iscsiscope, python3 (>= 3.11), python3-matplotlib, python3-numpy, python3-pandas")
# Wireshark loads the plug-ins of its own minor version alone.
find_package(Wireshark CONFIG QUIET)
if(Wireshark_FOUND)
  math(EXPR next_minor "${Wireshark_MINOR_VERSION} + 1")
  set(this_minor ${Wireshark_MAJOR_VERSION}.${Wireshark_MINOR_VERSION})
  set(next_minor ${Wireshark_MAJOR_VERSION}.${next_minor})
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS
    "python3, wireshark-common (>= ${this_minor}), wireshark-common (<< ${next_minor}~)")
  set(CPACK_RPM_PLUGIN_PACKAGE_REQUIRES "wireshark-cli >= ${this_minor}, wireshark-cli < ${next_minor}")
endif()
set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS "wireshark | tshark")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SUGGESTS iscsiscope-testbed)

# RPM. Requirements are what rpmbuild finds in the programs.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE ${ISCSISCOPE_PACKAGE_RELEASE})
set(CPACK_RPM_PACKAGE_LICENSE GPL-2.0-or-later)
set(CPACK_RPM_GUI_PACKAGE_LICENSE GPL-3.0-or-later)
set(CPACK_RPM_PACKAGE_GROUP Applications/Internet)
set(CPACK_RPM_MAIN_COMPONENT cli)
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/share/man/man7
  /usr/share/applications /usr/share/metainfo /usr/share/icons /usr/share/icons/hicolor
  /usr/share/icons/hicolor/scalable /usr/share/icons/hicolor/scalable/apps /usr/share/mime /usr/share/mime/packages
  /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions
  /usr/share/fish /usr/share/fish/vendor_completions.d)

# One archive of everything.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_GENERATOR DEB CACHE STRING "Which packages `cpack` makes without -G: DEB, RPM, TGZ")

# What a .deb has and the others have not: packaging/deb/finish.cmake.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/deb/finish.cmake)
set(CPACK_ISCSISCOPE_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
