#!/usr/bin/env bash
# install.sh PREFIX CASE: checks one thing about an install tree. Each case works in an empty folder of its own.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset ASCEND_HOME_PATH ASCEND_OPP_PATH ASCEND_CUSTOM_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH CAIRN_PRODUCT

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

expect_output() { # NAME COMMAND…: prints what the example called NAME is known to print
  local name=$1
  shift
  "$@" >output || fail "$* exits with $?: $(cat output)"
  bash "$root/tests/tool/matches.sh" "$root/tests/tool/expected/$name.txt" output
}

# The way CANN's sample guide builds: a CMakeLists.txt that names include folders and libraries by full path, no rpath,
# the libraries found through set_env.sh.
cmake_recipe() { # EXAMPLE PATH_VARIABLE INCLUDE_FOLDERS LIBRARIES
  local include library folders="" libraries=""
  for include in $3; do folders+=" \${ASCEND_PATH}/$include"; done
  for library in $4; do libraries+=" \${ASCEND_PATH}/lib64/$library"; done
  sed -e "s|@path_variable@|$2|; s|@include_folders@|$folders|; s|@libraries@|$libraries|" \
    "$here/recipe/CMakeLists.txt.in" >CMakeLists.txt
  cp "$root/examples/$1.cpp" test_program.cpp
  cp "$root/examples/example.h" .
  source "$prefix/set_env.sh"
  export "$2=$prefix"
  mkdir build
  (cd build && cmake ../ -DCMAKE_CXX_COMPILER=g++ -DCMAKE_SKIP_RPATH=TRUE && make) >log 2>&1 || fail "$(cat log)"
  expect_output "$1" build/bin/opapi_test
}

case_recipe_nn_sample() {
  cmake_recipe max_pool3d_backward ASCEND_CUSTOM_PATH "include include/aclnn" \
    "libascendcl.so libnnopbase.so libopapi_math.so libopapi_nn.so"
}

case_recipe_cv_sample() {
  cmake_recipe upsample_nearest3d_backward ASCEND_CUSTOM_PATH "include include/aclnn" \
    "libacl_rt.so libnnopbase.so libopapi_math.so libopapi_cv.so"
}

case_recipe_quick_invocation() {
  cmake_recipe max_pool2d_backward ASCEND_HOME_PATH "include include/aclnnop" \
    "libascendcl.so libnnopbase.so libopapi_nn.so"
}

case_recipe_of_cann_8() {
  cmake_recipe max_pool3d_backward ASCEND_CUSTOM_PATH "include include/aclnn" \
    "libascendcl.so libnnopbase.so libopapi.so"
}

# The way ops-nn's build.sh builds its examples; some of those name the operator's header without its folder.
case_recipe_build_sh() {
  source "$prefix/set_env.sh"
  sed 's|"aclnnop/|"|' "$root/examples/max_unpool3d_backward.cpp" >example.cpp
  cp "$root/examples/example.h" .
  g++ example.cpp -I "$ASCEND_HOME_PATH/include" -I "$ASCEND_HOME_PATH/include/aclnnop" \
    -I "$ASCEND_HOME_PATH/include/aclnn" -L "$ASCEND_OPP_PATH/lib64" -L "$ASCEND_HOME_PATH/lib64" \
    -lopapi_nn -lopapi_math -lascendcl -lnnopbase -o example
  expect_output max_unpool3d_backward ./example
}

case_arch_folder_builds() {
  local tree
  tree=$prefix/$(uname -m)-linux
  g++ "$root/examples/hello_device.cpp" -I "$tree/include" -L "$tree/lib64" -lascendcl -o hello
  LD_LIBRARY_PATH=$tree/lib64 expect_output hello_device ./hello
}

case_find_package() {
  cp "$here/consumer/CMakeLists.txt" "$root"/examples/{max_pool3d_backward.cpp,example.h} .
  cmake -S . -B build "-DCMAKE_PREFIX_PATH=$prefix" >log 2>&1 && cmake --build build >>log 2>&1 || fail "$(cat log)"
  expect_output max_pool3d_backward build/consumer
}

case_find_package_components() {
  local head='cmake_minimum_required(VERSION 3.14)
project(consumer LANGUAGES CXX)'
  printf '%s\nfind_package(cairn REQUIRED COMPONENTS acl_rt opapi OPTIONAL_COMPONENTS hccl)\nget_target_property(x cairn::opapi TYPE)\n' "$head" >CMakeLists.txt
  cmake -S . -B build "-DCMAKE_PREFIX_PATH=$prefix" >log 2>&1 || fail "$(cat log)"
  printf '%s\nfind_package(cairn REQUIRED COMPONENTS hccl)\n' "$head" >CMakeLists.txt
  cmake -S . -B build2 "-DCMAKE_PREFIX_PATH=$prefix" >log 2>&1 && fail "a component that does not exist is found"
  grep -q 'Cairn has no component hccl' log || fail "$(cat log)"
}

case_find_package_through_set_env() {
  source "$prefix/set_env.sh"
  cp "$here/consumer/CMakeLists.txt" "$root"/examples/{max_pool3d_backward.cpp,example.h} .
  cmake -S . -B build >log 2>&1 && cmake --build build >>log 2>&1 || fail "$(cat log)"
  expect_output max_pool3d_backward build/consumer
}

# Newer symbols than glibc 2.34's would leave out Ubuntu 22.04, RHEL 9 and openEuler 22.03. The tree as packages hold it
# has libstdc++ inside.
case_needs_no_newer_glibc_than_2_34() {
  command -v readelf >/dev/null || exit 77
  local host
  host=$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)
  if [[ $(printf '%s\n2.36\n' "$host" | sort -V | tail -n 1) != 2.36 ]]; then
    echo "skipped: built with glibc $host; packages are made on Debian 12"
    exit 77
  fi
  "$root/cmake/needs_glibc.sh" 2.34 "$prefix"
  "$root/cmake/needs_glibc.sh" 2.34 "${prefix%/prefix}/packed"
  local status=0
  "$root/cmake/needs_glibc.sh" 2.2 "$prefix" 2>message || status=$?
  [[ $status == 1 ]] && grep -q 'needs glibc 2\.[0-9]* .*packages are made on Debian 12' message || fail "$status: $(cat message)"
}

case_package_unpacks_anywhere() {
  local build=${prefix%/tests/install/prefix}
  command -v cpack >/dev/null || exit 77
  cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >log 2>&1 || fail "$(cat log)"
  mkdir "some where"
  tar xf packages/cairn-*.tar.gz -C "some where" --strip-components=1
  expect_output max_pool3d_backward "some where/bin/cairn" run "$root/examples/max_pool3d_backward.cpp"
  command -v dpkg-deb >/dev/null || return 0
  dpkg-deb -x packages/cairn-*.deb unpacked
  [[ -x unpacked/opt/cairn/bin/cairn && -L unpacked/opt/cairn/lib64/libascendcl.so ]] || fail "$(find unpacked)"
}

case_pkg_config() {
  source "$prefix/set_env.sh"
  # shellcheck disable=SC2046
  g++ "$root/examples/max_pool3d_backward.cpp" $(pkg-config --cflags --libs cairn) -o example
  expect_output max_pool3d_backward ./example
}

case_dlopen_by_bare_name() {
  g++ "$here/open_library.cpp" -ldl -o open_library
  local name
  for name in libopapi_nn.so libopapi_cv.so libopapi_math.so libopapi.so; do
    LD_LIBRARY_PATH=$prefix/lib64 ./open_library "$name" aclCreateTensor aclnnMaxPool3dWithArgmaxBackward \
      aclnnUpsampleNearest3dBackwardGetWorkspaceSize InitHugeMemThreadLocal aclrtMalloc
  done
}

case_library_versions() {
  g++ "$here/print_versions.cpp" "-I$prefix/include" "-L$prefix/lib64" -lacl_rt -o print_versions
  source "$prefix/set_env.sh"
  ./print_versions runtime opbase ops_nn ops-cv ops_math ops-legacy >output
  [[ $(grep -c ': 9\.1\.0$' output) == 6 ]] || fail "$(cat output)"
  [[ $(./print_versions hccl) == "hccl: status 100003" ]] || fail "$(./print_versions hccl)"
}

case_set_env_in_a_strict_shell() {
  env -i "PATH=$PATH" bash -eu -c "source '$prefix/set_env.sh'; env" | grep -v '^\(_\|PWD\|SHLVL\)=' | sort >strict
  env -i "PATH=$PATH" bash -c "source '$prefix/set_env.sh'; source '$prefix/bin/setenv.bash'; env" |
    grep -v '^\(_\|PWD\|SHLVL\)=' | sort >twice
  diff strict twice || fail "sourcing twice is not the same as sourcing once"
  env -i "PATH=$PATH" bash -c "eval \"\$('$prefix/bin/cairn' env)\"; env" | grep -v '^\(_\|PWD\|SHLVL\)=' | sort >tool
  diff strict tool || fail "cairn env differs from set_env.sh"
  grep -qx "LD_LIBRARY_PATH=$prefix/lib64" strict || fail "LD_LIBRARY_PATH: $(grep LD_LIBRARY strict)"
  bash -c "source '$prefix/set_env.sh'; [[ \$- != *e* && \$- != *u* ]]" || fail "set_env.sh leaves options on"
}

case_set_env_keeps_what_was_there() {
  env -i "PATH=$PATH" LD_LIBRARY_PATH=/one:/two bash -c "source '$prefix/set_env.sh'; echo \$LD_LIBRARY_PATH" >output
  [[ $(cat output) == "$prefix/lib64:/one:/two" ]] || fail "$(cat output)"
}

shells() { # the shells of this machine that can source set_env.sh; sh is Debian's dash
  local shell
  for shell in sh dash bash 'busybox sh' zsh; do
    command -v "${shell%% *}" >/dev/null && echo "$shell"
  done
}

# SHELL SCRIPT: in an empty environment, every mistake ends it. The variables that the shell itself has do not count.
in_strict_shell() {
  # shellcheck disable=SC2086
  env -i "PATH=$PATH" $1 -eu -c "$2" | grep -v '^\(_\|HOME\|LOGNAME\|PWD\|OLDPWD\|SHLVL\)=' | LC_ALL=C sort
}

case_set_env_in_every_shell() {
  local shell where
  cp -a "$prefix" "moved tree"
  for where in "$prefix" "$work/moved tree"; do
    in_strict_shell bash "eval \"\$('$where/bin/cairn' env)\"; env" >expected
    while read -r shell; do
      in_strict_shell "$shell" ". '$where/set_env.sh'; env" >once
      diff expected once || fail "$shell, $where"
      in_strict_shell "$shell" ". '$where/set_env.sh'; . '$where/bin/setenv.bash'; env" >twice
      diff expected twice || fail "$shell, $where, sourced twice"
      in_strict_shell "$shell" "(cd '$where' && . ./set_env.sh && env)" >subshell
      diff expected subshell || fail "$shell, $where, in a subshell and by a relative path"
    done < <(shells)
  done
}

case_set_env_through_another_file_of_that_name() {
  printf '. "%s/set_env.sh"\n' "$prefix" >set_env.sh
  local shell
  while read -r shell; do
    in_strict_shell "$shell" '. ./set_env.sh; echo "$ASCEND_HOME_PATH"' >output
    [[ $(cat output) == "$prefix" ]] || fail "$shell: $(cat output)"
  done < <(shells)
}

case_set_env_leaves_no_names_behind() {
  local shell
  while read -r shell; do
    # zsh and bash have the text of the command itself in a variable.
    in_strict_shell "$shell" ". '$prefix/set_env.sh'; set; command -v _cairn_prepend || :" | grep -v EXECUTION_STRING >output
    ! grep _cairn output || fail "$shell keeps these"
  done < <(shells)
}

case_set_env_that_cannot_know_its_place() {
  local status=0
  env -i "PATH=$PATH" sh -c "$(cat "$prefix/set_env.sh")" 2>message || status=$?
  [[ $status == 1 && $(cat message) == 'set_env.sh: this shell does not say where'* ]] || fail "$status: $(cat message)"
  env -i "PATH=$PATH" "ASCEND_HOME_PATH=$prefix" sh -c "$(cat "$prefix/set_env.sh")
    env" >output
  grep -qx "LD_LIBRARY_PATH=$prefix/lib64" output || fail "$(cat output)"
}

case_tree_holds_what_it_should() {
  (cd "$prefix" && find . -path ./include -prune -o \( -type f -o -type l \) -printf '%P -> %l\n') |
    sed "s|$(uname -m)|ARCH|; s/ -> $//" | LC_ALL=C sort >output
  # Where the build has the CUDA backend, the install tree has it too.
  (cat "$here/tree.txt" && find "$prefix/../../../lib64" -name libcairn_cuda.so -printf 'lib64/%P\n') |
    LC_ALL=C sort | diff - output || fail "the install tree has changed"
  diff -r "$root/include" "$prefix/include" || fail "headers are missing"
}

case_python_through_set_env() {
  source "$prefix/set_env.sh"
  PYTHONDONTWRITEBYTECODE=1 python3 -c 'import cairn; print(cairn.home())' >output
  [[ $(cat output) == "$prefix" ]] || fail "$(cat output)"
}

case_relocated() {
  cp -a "$prefix" "moved tree"
  ! grep -rlF -e "$prefix" -e "$root" "moved tree" || fail "these files name the place they were made at"
  prefix="$work/moved tree"
  "$prefix/bin/cairn" --version
  XDG_CACHE_HOME=$work expect_output hello_device "$prefix/bin/cairn" run "$root/examples/hello_device.cpp"
  source "$prefix/set_env.sh"
  g++ "$root/examples/hello_device.cpp" "-I$ASCEND_HOME_PATH/include" "-L$ASCEND_HOME_PATH/lib64" -lascendcl -o hello
  expect_output hello_device ./hello
}

case_installed_tool() {
  export XDG_CACHE_HOME=$work/cache
  expect_output max_pool3d_backward "$prefix/bin/cairn" run "$root/examples/max_pool3d_backward.cpp"
  [[ -n $(ls "$XDG_CACHE_HOME/cairn/run") ]] || fail "nothing was kept"
  touch -d yesterday "$XDG_CACHE_HOME"/cairn/run/old{1..80}
  echo 'int main() {}' >program.cpp
  "$prefix/bin/cairn" run program.cpp
  [[ $(find "$XDG_CACHE_HOME/cairn/run" -type f | wc -l) == 64 ]] || fail "old programs are never forgotten"
  compgen -G "$XDG_CACHE_HOME/cairn/run/program-*" >/dev/null || fail "the newest was forgotten"
  local status=0
  "$prefix/bin/cairn" test 2>message || status=$?
  [[ $status == 2 ]] && grep -q 'source tree' message || fail "test: $status, $(cat message)"
}

write_program() { # STATUS: a program.cpp, and a temporary folder to look into afterwards
  printf 'int main() { return %d; }\n' "$1" >program.cpp
  export TMPDIR=$work/temporary
  mkdir -p "$TMPDIR"
  unset XDG_CACHE_HOME
}

# COMMAND…: runs program.cpp, which returns 5, keeps nothing, and leaves nothing behind.
expect_nothing_kept() {
  local status=0
  "$@" "$prefix/bin/cairn" run program.cpp 2>message || status=$?
  [[ $status == 5 ]] || fail "$* exits with $status: $(cat message)"
  [[ -z $(ls -A "$TMPDIR") ]] || fail "$* leaves behind $(find "$TMPDIR")"
  ! find "$work" -name 'program-*' | grep . || fail "$* keeps these"
}

case_cache_without_a_usable_home() {
  write_program 5
  local before after
  before=$(stat -c %Y /tmp/.cache/cairn/run 2>/dev/null || true)
  expect_nothing_kept env -u HOME
  after=$(stat -c %Y /tmp/.cache/cairn/run 2>/dev/null || true)
  [[ $after == "$before" ]] || fail "the cache is in /tmp/.cache"
  expect_nothing_kept env HOME=
  expect_nothing_kept env HOME=relative
  expect_nothing_kept env -u HOME XDG_CACHE_HOME=relative
  expect_nothing_kept env HOME=/nonexistent/folder
  expect_nothing_kept env HOME=/dev/null
  expect_nothing_kept env HOME=/proc  # where nothing can be made, by root neither
  [[ -z $(find . -name .cache) && ! -e relative ]] || fail "$(find .)"
  mkdir home
  XDG_CACHE_HOME=relative HOME=$work/home "$prefix/bin/cairn" run program.cpp || true
  compgen -G 'home/.cache/cairn/run/program-*' >/dev/null || fail "a relative XDG_CACHE_HOME is not passed over"
}

case_cache_of_another_user_is_not_used() {
  write_program 5
  export HOME=$work/home
  local folder=$HOME/.cache/cairn/run program
  mkdir -p "$HOME" && "$prefix/bin/cairn" run program.cpp || true
  program=$(basename "$folder"/program-*)
  [[ $(stat -c %a "$folder") == 700 && $(stat -c %a "$HOME/.cache/cairn") == 700 ]] || fail "$(ls -laR "$HOME")"

  # What an attacker would put there: it answers 66.
  plant() { # FOLDER
    rm -rf "$HOME/.cache"
    mkdir -p -m 700 "$HOME/.cache" "$HOME/.cache/cairn" "$1"
    printf '#!/bin/sh\nexit 66\n' >"$1/$program"
    chmod 755 "$1/$program"
  }
  expect_fresh() { # WHY PATTERN
    local status=0
    "$prefix/bin/cairn" run program.cpp 2>message || status=$?
    [[ $status == 5 ]] || fail "$1: exits with $status: $(cat message)"
    grep -q "no compiled program is kept in .*$2" message || fail "$1: $(cat message)"
    [[ -z $(ls -A "$TMPDIR") ]] || fail "$1: leaves behind $(find "$TMPDIR")"
  }
  plant "$folder" && chmod 777 "$folder"
  expect_fresh "others can write to run" 'run, which others can write to'
  plant "$folder" && chmod 770 "$HOME/.cache/cairn"
  expect_fresh "others can write to cairn" 'cairn, which others can write to'
  plant "$folder" && chmod 777 "$HOME/.cache"
  expect_fresh "others can write to .cache" '.cache, which lies in a folder that others can write to'
  plant "$work/elsewhere" && ln -s "$work/elsewhere" "$folder"
  expect_fresh "run is a symlink" 'is no folder'
  plant "$folder" && mv "$HOME/.cache/cairn" "$work/moved" && ln -s "$work/moved" "$HOME/.cache/cairn"
  expect_fresh "cairn is a symlink" 'is no folder'
  ((EUID == 0)) || return 0
  plant "$folder" && chown 65534 "$folder"
  expect_fresh "run is another user's" 'run, which belongs to another user'
  plant "$folder" && chown 65534 "$HOME/.cache/cairn"
  expect_fresh "cairn is another user's" 'cairn, which belongs to another user'
  plant "$folder" && chown 65534 "$HOME/.cache"
  expect_fresh ".cache is another user's" 'lies in a folder of another user'
}

# A folder of ours that others could only look into is made private, a program that is not ours compiled again.
case_cached_program_of_another_user_is_not_run() {
  write_program 5
  export HOME=$work/home
  local folder=$HOME/.cache/cairn/run program status
  mkdir -p "$HOME" && "$prefix/bin/cairn" run program.cpp || true
  program=$(echo "$folder"/program-*)
  expect_compiled_again() { # WHY
    status=0
    "$prefix/bin/cairn" run program.cpp 2>message || status=$?
    [[ $status == 5 && ! -s message ]] || fail "$1: exits with $status: $(cat message)"
    [[ -f $program && ! -L $program && $(stat -c %a "$program") == 700 ]] || fail "$1: $(ls -la "$folder")"
  }
  printf '#!/bin/sh\nexit 66\n' >planted && chmod 755 planted
  chmod 755 "$folder"
  expect_compiled_again "a folder that others can look into"
  [[ $(stat -c %a "$folder") == 700 ]] || fail "the folder stays $(stat -c %A "$folder")"
  cp planted "$program" && chmod 777 "$program"
  expect_compiled_again "a program that others can write to"
  ln -sf "$work/planted" "$program"
  expect_compiled_again "a symlink"
  rm "$program" && mkdir "$program"
  expect_compiled_again "a folder"
  ((EUID == 0)) || return 0
  cp planted "$program" && chown 65534 "$program"
  expect_compiled_again "a program of another user"
}

case_cache_folder_that_cannot_be_written() {
  ((EUID == 0)) && command -v setpriv >/dev/null || exit 77
  write_program 5
  mkdir -m 755 home
  chmod 755 "$work"
  chown 65534 "$TMPDIR"
  # Where that user can reach it, wherever the checkout lies.
  cp -r "$prefix" tree
  prefix=$work/tree
  expect_nothing_kept setpriv --reuid=65534 --regid=65534 --clear-groups env "HOME=$work/home"
}

"case_$2"
