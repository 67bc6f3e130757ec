# SPDX-License-Identifier: GPL-2.0-or-later
# Runs at each build: cmake -D FOLDER=… -D SOURCE=… -D VERSION=… -D GIVEN=… -D OUT=… -P find_commit.cmake. Writes OUT
# from version_line.cpp.in with the commit of the sources, and leaves it alone where nothing changed. The commit is
# GIVEN, else what `git archive` put into commit.txt, else that of the checkout at SOURCE, else empty.
set(COMMIT "${GIVEN}")
if(NOT COMMIT)
  file(STRINGS ${FOLDER}/commit.txt line REGEX "^commit: [0-9a-f]+$")
  string(REPLACE "commit: " "" COMMIT "${line}")
endif()
if(NOT COMMIT AND EXISTS ${SOURCE}/.git)
  # No tags: the version is project()'s. A failure, as of a checkout of another user, gives no output.
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=8 --exclude=*
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed EQUAL 0)
    set(COMMIT "")
  endif()
endif()
configure_file(${FOLDER}/version_line.cpp.in ${OUT} @ONLY)
