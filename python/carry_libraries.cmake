# Copies the shared libraries that `module` needs, and that not every machine has, into the package.
file(GET_RUNTIME_DEPENDENCIES
  MODULES ${module}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^linux-vdso" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so")
if(missing)
  message(FATAL_ERROR "shared libraries that were not found: ${missing}")
endif()
foreach(library IN LISTS found)
  message(STATUS "carried along: ${library}")
  file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/whence/libs FOLLOW_SYMLINK_CHAIN)
endforeach()
