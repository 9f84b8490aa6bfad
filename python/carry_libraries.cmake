# Copies the shared libraries that `module` needs, and that not every machine has, into the package.
file(GET_RUNTIME_DEPENDENCIES
  MODULES ${module}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^linux-vdso" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so")
if(missing)
  message(FATAL_ERROR "shared libraries that were not found: ${missing}")
endif()
set(folder ${CMAKE_INSTALL_PREFIX}/whence/libs)
file(MAKE_DIRECTORY ${folder})
foreach(library IN LISTS found)
  get_filename_component(name ${library} NAME) # what the loader asks for; the file may be a link
  file(REAL_PATH ${library} file)
  file(COPY_FILE ${file} ${folder}/${name})
  message(STATUS "carried along: ${name}")
endforeach()
