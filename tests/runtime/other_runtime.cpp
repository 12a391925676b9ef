// Stands for the libacl_rt.so of another build.
extern "C" __attribute__((visibility("default"))) const char cairn_libraries_must_be_of_one_build_another = 0;
