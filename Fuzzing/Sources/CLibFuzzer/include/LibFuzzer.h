#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the options of a command line; it takes those that it knows (FuzzerDriver.h of compiler-rt).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
