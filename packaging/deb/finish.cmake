# SPDX-License-Identifier: GPL-2.0-or-later
# CPack runs this when the files of all packages are staged and before it packs them. Of a .deb, which has to keep to
# Debian's policy: the copyright file, Debian's changelog, manual pages compressed, completions of zsh where Debian's
# zsh looks for those of packages.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(READ ${CPACK_ISCSISCOPE_SOURCE}/docs/licenses/dygraphs.txt DYGRAPHS)
file(READ ${CPACK_ISCSISCOPE_SOURCE}/docs/licenses/THIRD-PARTY.txt THIRD_PARTY)
set(readable OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ) # whatever the archive's files have
set(changes ${CPACK_ISCSISCOPE_SOURCE}/CHANGELOG.md)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  if(NOT IS_DIRECTORY ${root}/usr)
    message(FATAL_ERROR "nothing is staged for ${package} in ${root}")
  endif()
  set(documents ${root}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${documents}/copyright @ONLY FILE_PERMISSIONS ${readable})
  # The licence's text is in Debian's base-files, the changes below.
  file(REMOVE ${documents}/LICENSE ${documents}/docs/licenses/GPL-3.0.txt ${documents}/CHANGELOG.md)
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/changelog.py ${changes} --package ${package}
      --release ${CPACK_DEBIAN_PACKAGE_RELEASE} --maintainer ${CPACK_PACKAGE_CONTACT} -o ${documents}/changelog.Debian)
  configure_file(${changes} ${documents}/changelog COPYONLY FILE_PERMISSIONS ${readable})
  if(IS_DIRECTORY ${root}/usr/share/zsh/site-functions)
    file(RENAME ${root}/usr/share/zsh/site-functions ${root}/usr/share/zsh/vendor-completions)
  endif()
  file(GLOB pages ${root}/usr/share/man/man*/*.[1-9])
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND gzip -9nf ${pages} ${documents}/changelog ${documents}/changelog.Debian)
endforeach()
