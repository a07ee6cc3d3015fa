# heddle_embed(FILE SYMBOL LIST): turns a text file into a C source that defines
# `const char SYMBOL[]`, and appends that source to LIST.
set(HEDDLE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_file.cmake)
function(heddle_embed file symbol list)
  set(out ${CMAKE_BINARY_DIR}/gen/${symbol}.c)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${file} -DOUT=${out} -DSYMBOL=${symbol} -P ${HEDDLE_EMBED_SCRIPT}
    DEPENDS ${file} ${HEDDLE_EMBED_SCRIPT}
    VERBATIM)
  set(${list} ${${list}} ${out} PARENT_SCOPE)
endfunction()
