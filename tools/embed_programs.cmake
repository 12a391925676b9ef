# cmake -D FOLDER=… -D OUTPUT=… -P embed_programs.cmake: the programs of a folder as C++ text.
cmake_minimum_required(VERSION 3.25)
file(GLOB programs ${FOLDER}/*.cpp)
set(rows "")
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME_WE)
  file(READ ${program} text)
  string(APPEND rows "    {\"${name}\", R\"=====(${text})=====\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"programs.h\"\n
namespace cairn::tool {
namespace {
constexpr FaultyProgram kPrograms[] = {
${rows}};
}  // namespace
std::span<const FaultyProgram> faulty_programs() { return kPrograms; }
}  // namespace cairn::tool
")
