// unused_memory, note: memory that nothing touches
#include "program.h"

int main() {
  Device device;
  Memory used(64);
  used.fill(0);
#ifndef FIXED
  Memory forgotten(64);  // here
#endif
}
