#pragma once

// CUDA's small vectors, aligned as there, and what a thread knows of its place.
struct uint2 {
  alignas(8) unsigned x;
  unsigned y;
};
struct int2 {
  alignas(8) int x;
  int y;
};
struct float2 {
  alignas(8) float x;
  float y;
};
struct int3 {
  int x, y, z;
};
struct uint3 {
  unsigned x, y, z;
};
struct uint4 {
  alignas(16) unsigned x;
  unsigned y, z, w;
};
struct int4 {
  alignas(16) int x;
  int y, z, w;
};
struct float4 {
  alignas(16) float x;
  float y, z, w;
};

struct dim3 {
  constexpr dim3(unsigned across = 1, unsigned down = 1, unsigned deep = 1) : x(across), y(down), z(deep) {}
  unsigned x, y, z;
};

extern __thread uint3 threadIdx, blockIdx;
extern __thread uint3 blockDim, gridDim;
