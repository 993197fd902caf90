/* SPDX-License-Identifier: MIT */
/*
 * Functions of both interfaces that are not implemented (refused.txt). Each says so once, with its
 * name, and returns cudaErrorNotSupported. It ignores its parameters, so they are not declared.
 */
#include "interface.h"

#define ARRAYS(of) "arrays, textures and surfaces of this kind are not supported without a GPU"
#define GRAPHICS(of) "graphics are not supported without a GPU"
#define SHARING(of) "sharing with other processes or drivers is not supported without a GPU"
#define OTHER(of) "not implemented by the " of " that stands in for a GPU"

#define RUNTIME(subject, why) \
    RT_CALL(cuda##subject(void), rt_refuse("cuda" #subject, why("runtime")));
#define DRIVER(subject, why) \
    DRV_CALL_ALWAYS(cu##subject(void), rt_refuse("cu" #subject, why("driver")));
#define BOTH(subject, why) RUNTIME(subject, why) DRIVER(subject, why)

#include "refused.inc"
