# What cannot be done is said in one sentence.
function(expect_sentence status sentence)
  execute_process(COMMAND ${BENCH} ${ARGN} OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE ended)
  if(NOT ended EQUAL status OR NOT said MATCHES "cairn bench: ${sentence}\n$")
    message(FATAL_ERROR "cairn-bench ${ARGN} ended with ${ended}:\n${said}")
  endif()
endfunction()

expect_sentence(2 "no row matches --filter \"nothing\"; cairn bench --list prints them all" --filter nothing)
string(REGEX REPLACE "[][+.*()^$?|]" "." out "${OUT}")  # a path is no pattern
expect_sentence(1 "cannot write ${out}/nowhere/a.json: No such file or directory"
                --tiny --filter "p3-unet FLOAT NCDHW INT32 backward" --json ${OUT}/nowhere/a.json)
if(NOT CUDA)
  expect_sentence(1 "no device: aclInit: CAIRN_DEVICE is \"cuda\", but no GPU can be used: [^\n]+" --device cuda --tiny)
endif()
