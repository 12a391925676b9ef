# Ends the driver after five rows: every row that it has printed is in its files.
set(printed 5)
file(REMOVE ${OUT}/interrupted.json ${OUT}/interrupted.md)
# The files of an earlier run are replaced.
file(WRITE ${OUT}/interrupted.md "of an earlier run")
execute_process(COMMAND bash -c "exec 3< <(exec \"$0\" --tiny --json \"$1.json\" --markdown \"$1.md\" 2>&1 >/dev/null)
                                 for ((row = 0; row < $2; ++row)); do read -r -u 3 line && echo \"$line\"; done
                                 kill -TERM $! && wait $!
                                 echo \"ended with $?\""
                        ${BENCH} ${OUT}/interrupted ${printed}
                OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "ended with 143")
  message(FATAL_ERROR "not ended by SIGTERM:\n${said}")
endif()

file(READ ${OUT}/interrupted.json json)
string(JSON rows LENGTH ${json} rows)
if(rows LESS printed)
  message(FATAL_ERROR "${rows} rows written of those printed:\n${said}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${said}")
math(EXPR last "${printed} - 1")
foreach(row RANGE ${last})
  list(GET lines ${row} line)
  string(JSON id GET ${json} rows ${row} id)
  string(JSON kernel GET ${json} rows ${row} kernel)
  if(NOT line MATCHES "${id} .*: ${kernel}, .* ms, .* GB/s")
    message(FATAL_ERROR "row ${row} is ${id} by ${kernel}, but printed was: ${line}")
  endif()
endforeach()

file(STRINGS ${OUT}/interrupted.md table REGEX "^\\| [a-z]+[0-9]-")
list(LENGTH table lines)
if(lines LESS printed)
  message(FATAL_ERROR "${lines} rows in the Markdown table, ${rows} in the JSON file")
endif()
message("${rows} rows written, ${printed} read before the end")
