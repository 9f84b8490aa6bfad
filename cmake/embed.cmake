# Writes OUTPUT, the definitions of whence/paper/embedded.hpp, from the text files FILES.

set(entries "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)

  # Compilers promise only 64 KiB per literal: cut at line ends into adjacent literals.
  set(literals "")
  while(NOT text STREQUAL "")
    string(SUBSTRING "${text}" 0 8000 piece)
    string(LENGTH "${text}" length)
    string(FIND "${piece}" "\n" cut REVERSE)
    if(length GREATER 8000 AND cut GREATER 0)
      math(EXPR cut "${cut} + 1")
      string(SUBSTRING "${text}" 0 ${cut} piece)
    endif()
    string(LENGTH "${piece}" cut)
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(APPEND literals " R\"whence(${piece})whence\"")
  endwhile()
  string(APPEND entries "    {\"${name}\",${literals}},\n")
endforeach()

list(LENGTH FILES count)
file(WRITE ${OUTPUT} "#include \"whence/paper/embedded.hpp\"

namespace whence {

const EmbeddedFile embedded_experiments[] = {
${entries}    {nullptr, nullptr}};
const int embedded_experiment_count = ${count};

}  // namespace whence
")
