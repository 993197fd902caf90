/* SPDX-License-Identifier: MIT */
/*
 * Device code of programs: registered by the code that nvcc puts before main, or loaded as a
 * library. When something of it is needed for the first time, the code is taken out of its
 * container and its variables get their memory. A function is disassembled when it is first
 * launched.
 */
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "interface.h"
#include "tool.h"

typedef struct variable {
    struct variable *next;
    rt_module *module;
    const void *host;
    void **host_pointer; /* for managed memory: the pointer that host code uses */
    char *name;
} variable;

struct rt_module {
    rt_module *next;
    const void *data; /* the program's */
    size_t size;
    bool is_open;
    cudaError_t status; /* result of opening it */
    smp_code *code;
    smp_emu_module loaded;
    uint8_t *constants;
    void *handle; /* its address is what __cudaRegisterFatBinary returns */
};

static rt_module *modules; /* newest first */
static rt_kernel *kernels;
static variable *variables;

/* ---- Opening: code, and memory for its variables ---- */

enum { SYMBOL_OBJECT = 1 };

static bool is_managed(const rt_module *module, const char *name) {
    for (const variable *v = variables; v; v = v->next)
        if (v->module == module && v->host_pointer && strcmp(v->name, name) == 0)
            return true;
    return false;
}

static cudaError_t place_variable(rt_module *module, uint32_t index) {
    const cubin_symbol *symbol = &module->code->symbols[index];
    const cubin_section *section = &module->code->sections[symbol->section];
    void *address;
    if (symbol->value > section->size_bytes ||
        symbol->size_bytes > section->size_bytes - symbol->value)
        return cudaErrorInvalidKernelImage;
    const rt_memory_kind kind = is_managed(module, symbol->name) ? RT_MANAGED : RT_DEVICE;
    const cudaError_t result = rt_allocate(&address, symbol->size_bytes, kind, symbol->name);
    if (result != cudaSuccess || !address)
        return result;
    if (section->bytes)
        memcpy(rt_bytes(address, symbol->size_bytes), section->bytes + symbol->value,
               symbol->size_bytes);
    module->loaded.address[index] = (uintptr_t)address;
    return cudaSuccess;
}

/* Constant memory is one array, since programs may take pointers into it. */
static cudaError_t place_constants(rt_module *module, const cubin_section *section) {
    void *address;
    const cudaError_t result =
        rt_allocate(&address, section->size_bytes, RT_DEVICE, "constant memory");
    if (result != cudaSuccess || !address)
        return result;
    module->constants = rt_bytes(address, section->size_bytes);
    if (section->bytes)
        memcpy(module->constants, section->bytes, section->size_bytes);
    module->loaded.constant = module->constants;
    module->loaded.constant_bytes = (uint32_t)section->size_bytes;
    const smp_code *code = module->code;
    for (uint32_t i = 0; i < code->symbol_count; i++)
        if (&code->sections[code->symbols[i].section] == section &&
            code->symbols[i].type == SYMBOL_OBJECT)
            module->loaded.address[i] = (uintptr_t)address + code->symbols[i].value;
    return cudaSuccess;
}

static uint8_t *bytes_of(void *user, uint64_t address) {
    (void)user;
    return rt_bytes((void *)(uintptr_t)address, 8);
}

static cudaError_t place_variables(rt_module *module) {
    const smp_code *code = module->code;
    cudaError_t result = cudaSuccess;
    module->loaded.address = calloc((size_t)code->symbol_count + 1, sizeof(uint64_t));
    if (!module->loaded.address)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < code->symbol_count && result == cudaSuccess; i++)
        if (code->symbols[i].type == SYMBOL_OBJECT &&
            strncmp(code->sections[code->symbols[i].section].name, ".nv.global", 10) == 0)
            result = place_variable(module, i);
    const cubin_section *constants = smp_cubin_section(code, ".nv.constant3");
    if (result == cudaSuccess && constants)
        result = place_constants(module, constants);
    if (result == cudaSuccess)
        smp_emu_relocate(code, module->loaded.address, bytes_of, NULL);
    return result;
}

static cudaError_t symbol_of(const rt_module *module, const char *name, void **address,
                             size_t *bytes) {
    const smp_code *code = module->code;
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        if (module->loaded.address[i] == 0 || strcmp(code->symbols[i].name, name) != 0)
            continue;
        *address = (void *)(uintptr_t)module->loaded.address[i];
        *bytes = code->symbols[i].size_bytes;
        return cudaSuccess;
    }
    return cudaErrorInvalidSymbol;
}

static cudaError_t open_module(rt_module *module) {
    if (module->is_open)
        return module->status;
    module->is_open = true;
    if (module->size == 0)
        module->size = rt_code_size(module->data);
    module->status =
        rt_code_open(module->data, module->size, rt_device_played()->cc, &module->code);
    if (module->status == cudaErrorNoKernelImageForDevice)
        rt_note("no machine code for %s in the program; compile with nvcc -arch=%s, or choose with "
                "--arch",
                rt_arch()->name, rt_arch()->name);
    if (module->status == cudaSuccess)
        module->status = place_variables(module);
    for (variable *v = variables; v && module->status == cudaSuccess; v = v->next) {
        void *address;
        size_t bytes;
        if (v->module == module && v->host_pointer &&
            symbol_of(module, v->name, &address, &bytes) == cudaSuccess)
            *v->host_pointer = address;
    }
    return module->status;
}

const smp_code *rt_module_code(const rt_module *module) {
    return module->code;
}

const smp_emu_module *rt_module_loaded(const rt_module *module) {
    return &module->loaded;
}

/* ---- Finding ---- */

/* Small code is disassembled completely at once: starting the disassembler takes longer than a few
 * functions. */
static bool is_small(const smp_code *code) {
    size_t count, bytes = 0;
    const smp_function *functions = smp_code_functions(code, &count);
    for (size_t i = 0; i < count; i++)
        bytes += functions[i].code_bytes;
    return bytes <= 65536;
}

static cudaError_t open_kernel(rt_kernel *kernel) {
    smp_error error;
    if (kernel->function)
        return cudaSuccess;
    const cudaError_t result = open_module(kernel->module);
    if (result != cudaSuccess)
        return result;
    const smp_function *function = smp_code_find(kernel->module->code, kernel->name);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    const bool all = is_small(kernel->module->code);
    if (smp_code_disassemble(kernel->module->code, all ? NULL : (const char *const *)&kernel->name,
                             all ? 0 : 1, &error) != SMP_OK) {
        rt_note("%s", error.message);
        return cudaErrorUnknown;
    }
    kernel->function = function;
    if (kernel->required_cluster[0] == 0)
        memcpy(kernel->required_cluster, function->cluster, sizeof kernel->required_cluster);
    return cudaSuccess;
}

/* Finds a kernel by its handle or the address of its host function; NULL if there is none. */
static rt_kernel *known_kernel(const void *function) {
    rt_kernel *kernel = function ? kernels : NULL;
    while (kernel && kernel->host != function && (const void *)kernel != function)
        kernel = kernel->next;
    return kernel;
}

rt_kernel *rt_kernel_find(const void *function, cudaError_t *result) {
    rt_kernel *kernel = known_kernel(function);
    *result = kernel ? open_kernel(kernel) : cudaErrorInvalidDeviceFunction;
    return *result == cudaSuccess ? kernel : NULL;
}

static rt_kernel *kernel_named(rt_module *module, const char *name) {
    for (rt_kernel *kernel = kernels; kernel; kernel = kernel->next)
        if (kernel->module == module && strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

static rt_kernel *add_kernel(rt_module *module, const void *host, const char *name) {
    rt_kernel *kernel = rt_list_add(&kernels, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->module = module;
    kernel->host = host;
    kernel->name = strdup(name);
    kernel->carveout = -1;
    return kernel;
}

static cudaError_t find_symbol(const void *host, void **address, size_t *bytes) {
    for (variable *v = variables; v; v = v->next) {
        if (v->host != host)
            continue;
        const cudaError_t result = open_module(v->module);
        return result == cudaSuccess ? symbol_of(v->module, v->name, address, bytes) : result;
    }
    return cudaErrorInvalidSymbol;
}

cudaError_t rt_symbol_part(const void *host, size_t offset, size_t bytes, void **out) {
    size_t size;
    const cudaError_t result = find_symbol(host, out, &size);
    if (result == cudaSuccess && (offset > size || bytes > size - offset))
        return cudaErrorInvalidValue;
    if (result == cudaSuccess)
        *out = (char *)*out + offset;
    return result;
}

/* ---- What nvcc's code before main calls ---- */

static rt_module *add_module(const void *data, size_t size) {
    rt_module *module = rt_list_add(&modules, sizeof *module);
    if (!module)
        return NULL;
    module->data = data;
    module->size = size;
    rt_note_code(data);
    return module;
}

static rt_module *module_of(void **handle) {
    rt_module *module = modules;
    while (module && &module->handle != handle)
        module = module->next;
    return module;
}

RT_EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
    const rt_fat_wrapper *given = wrapper;
    rt_enter();
    rt_module *module = NULL;
    if (given->magic == RT_FAT_WRAPPER_MAGIC)
        module = add_module(given->data, 0);
    if (!module)
        rt_note("device code in an unknown form");
    (void)rt_leave(cudaSuccess);
    return module ? &module->handle : NULL;
}

RT_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
}

/* Called at the program's end, or when a library is unloaded. Counts remain. */
RT_EXPORT void __cudaUnregisterFatBinary(void **handle) {
    rt_enter();
    rt_module *module = module_of(handle);
    if (module)
        rt_profile_write();
    for (rt_kernel *kernel = kernels; kernel && module; kernel = kernel->next)
        if (kernel->module == module)
            kernel->host = NULL;
    for (variable *v = variables; v && module; v = v->next)
        if (v->module == module)
            v->host = NULL;
    if (module && !module->is_open) {
        module->is_open = true;
        module->status = cudaErrorInvalidKernelImage;
    }
    (void)rt_leave(cudaSuccess);
}

RT_EXPORT char __cudaInitModule(void **handle) {
    rt_enter();
    rt_module *module = module_of(handle);
    const cudaError_t result = module ? open_module(module) : cudaErrorInvalidKernelImage;
    (void)rt_leave(result);
    return result == cudaSuccess;
}

RT_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                      const char *name, int thread_limit, void *tid, void *bid,
                                      dim3 *block, dim3 *grid, int *warp_size) {
    rt_enter();
    rt_module *module = module_of(handle);
    if (module)
        (void)add_kernel(module, host, name);
    (void)rt_leave(cudaSuccess);
}

static void add_variable(void **handle, const void *host, void **host_pointer, const char *name) {
    rt_enter();
    rt_module *module = module_of(handle);
    variable *made = module ? rt_list_add(&variables, sizeof *made) : NULL;
    if (made)
        *made = (variable){made->next, module, host, host_pointer, strdup(name)};
    (void)rt_leave(cudaSuccess);
}

RT_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                                 size_t size, int constant, int global) {
    add_variable(handle, host, NULL, name);
}

RT_EXPORT void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device,
                                        const char *name, int ext, size_t size, int constant,
                                        int global) {
    add_variable(handle, host_pointer, host_pointer, name);
}

/* No supported device code uses host variables. */
RT_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
}

RT_CALL(cudaGetKernel(cudaKernel_t *out, const void *host),
        RT_WHERE(!!out && known_kernel(host), *out = known_kernel(host),
                 cudaErrorInvalidDeviceFunction));

static cudaError_t symbol_size(size_t *bytes, const void *symbol) {
    void *address;
    return bytes ? find_symbol(symbol, &address, bytes) : cudaErrorInvalidValue;
}

RT_CALL(cudaGetSymbolAddress(void **address, const void *symbol),
        address ? rt_symbol_part(symbol, 0, 0, address) : cudaErrorInvalidValue);
RT_FORWARD(cudaGetSymbolSize, symbol_size, size_t *, const void *);

/* ---- Libraries; what the driver calls a module is one, too ---- */

static cudaError_t load_library(cudaLibrary_t *out, const void *data, size_t size) {
    char *copy = out && size > 0 ? malloc(size + 1) : NULL;
    if (!copy)
        return size == 0 ? cudaErrorInvalidKernelImage : cudaErrorMemoryAllocation;
    memcpy(copy, data, size);
    copy[size] = '\0';
    rt_module *module = add_module(copy, size);
    if (!module)
        return cudaErrorMemoryAllocation;
    *out = module;
    return open_module(module);
}

static cudaError_t load_data(cudaLibrary_t *out, const void *code) {
    const rt_fat_wrapper *wrapper = code;
    if (code && wrapper->magic == RT_FAT_WRAPPER_MAGIC)
        code = wrapper->data;
    return out && code ? load_library(out, code, rt_code_size(code)) : cudaErrorInvalidValue;
}

static cudaError_t load_file(cudaLibrary_t *out, const char *path) {
    char *bytes;
    size_t size;
    if (!out || !path)
        return cudaErrorInvalidValue;
    if (smp_tool_read(path, &bytes, &size, NULL) != SMP_OK)
        return cudaErrorFileNotFound;
    const cudaError_t result = load_library(out, bytes, size);
    free(bytes);
    return result;
}

void rt_empty_logs(unsigned count, const int *options, void **values) {
    enum { JIT_INFO_BYTES = 4, JIT_ERROR_BYTES = 6 };
    for (unsigned i = 0; i < count && options && values; i++)
        if (options[i] == JIT_INFO_BYTES || options[i] == JIT_ERROR_BYTES)
            values[i] = NULL;
}

DRV_FORWARD(cuModuleLoad, load_file, cudaLibrary_t *, const char *);
DRV_FORWARD(cuModuleLoadData, load_data, cudaLibrary_t *, const void *);
DRV_CALL(cuModuleLoadDataEx(cudaLibrary_t *out, const void *image, unsigned count, int *options,
                            void **values),
         (rt_empty_logs(count, options, values), load_data(out, image)));
EARLY_CALL(cudaLibraryLoadData, cuLibraryLoadData,
           (cudaLibrary_t * out, const void *code, int *jit_options, void **jit_values,
            unsigned jit_count, int *options, void **values, unsigned count),
           (rt_empty_logs(jit_count, jit_options, jit_values), load_data(out, code)));
EARLY_CALL(cudaLibraryLoadFromFile, cuLibraryLoadFromFile,
           (cudaLibrary_t * out, const char *path, int *jit_options, void **jit_values,
            unsigned jit_count, int *options, void **values, unsigned count),
           (rt_empty_logs(jit_count, jit_options, jit_values), load_file(out, path)));

static bool is_library(const rt_module *library) {
    return rt_list_has(&modules, library) && library->is_open && library->status == cudaSuccess;
}

/* Nothing is freed: the program may still hold handles of its kernels. */
SAME_CALL(cudaLibraryUnload, cuModuleUnload, (cudaLibrary_t library),
          is_library(library) ? cudaSuccess : cudaErrorInvalidResourceHandle);
DRV_CALL_EARLY(cuLibraryUnload(cudaLibrary_t library),
               is_library(library) ? cudaSuccess : cudaErrorInvalidResourceHandle);

static cudaError_t get_named(rt_kernel **out, rt_module *library, const char *name) {
    if (!is_library(library) || !out || !name)
        return cudaErrorInvalidResourceHandle;
    const smp_function *function = smp_code_find(library->code, name);
    if (!function || !function->is_kernel)
        return cudaErrorSymbolNotFound;
    *out = kernel_named(library, name);
    if (!*out)
        *out = add_kernel(library, NULL, name);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

RT_FORWARD(cudaLibraryGetKernel, get_named, cudaKernel_t *, cudaLibrary_t, const char *);
DRV_CALL(cuModuleGetFunction(cudaKernel_t *out, cudaLibrary_t module, const char *name),
         out ? get_named(out, module, name) : cudaErrorInvalidValue);
DRV_CALL_EARLY(cuLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name),
               out ? get_named(out, library, name) : cudaErrorInvalidValue);
/* Lazy loading. */
DRV_CALL_EARLY(cuModuleGetLoadingMode(int *out), RT_GIVE(out, 2));

static cudaError_t get_variable(void **address, size_t *bytes, rt_module *library,
                                const char *name) {
    void *at;
    size_t size;
    if (!is_library(library) || !name)
        return cudaErrorInvalidResourceHandle;
    if (symbol_of(library, name, &at, &size) != cudaSuccess)
        return cudaErrorSymbolNotFound;
    if (address)
        *address = at;
    if (bytes)
        *bytes = size;
    return cudaSuccess;
}

SAME(cudaLibraryGetGlobal, cuLibraryGetGlobal, get_variable, void **, size_t *, cudaLibrary_t,
     const char *);

/* Writes at most `most` kernels to `out`, which may be NULL; returns how many there are. */
static cudaError_t list_kernels(cudaKernel_t *out, unsigned most, unsigned *count,
                                rt_module *library) {
    size_t functions;
    *count = 0;
    if (!is_library(library))
        return cudaErrorInvalidResourceHandle;
    const smp_function *function = smp_code_functions(library->code, &functions);
    for (size_t i = 0; i < functions; i++) {
        if (!function[i].is_kernel)
            continue;
        cudaError_t result = cudaSuccess;
        if (out && *count < most)
            result = get_named(&out[*count], library, function[i].name);
        if (result != cudaSuccess)
            return result;
        ++*count;
    }
    return cudaSuccess;
}

SAME_CALL(cudaLibraryGetKernelCount, cuModuleGetFunctionCount,
          (unsigned *count, cudaLibrary_t library),
          count ? list_kernels(NULL, 0, count, library) : cudaErrorInvalidValue);
DRV_CALL_EARLY(cuLibraryGetKernelCount(unsigned *count, cudaLibrary_t library),
               count ? list_kernels(NULL, 0, count, library) : cudaErrorInvalidValue);

static cudaError_t enumerate(cudaKernel_t *out, unsigned count, cudaLibrary_t library) {
    unsigned there;
    return out ? list_kernels(out, count, &there, library) : cudaErrorInvalidValue;
}

EARLY(cudaLibraryEnumerateKernels, cuLibraryEnumerateKernels, enumerate, cudaKernel_t *, unsigned,
      cudaLibrary_t);
DRV_FORWARD(cuModuleEnumerateFunctions, enumerate, cudaKernel_t *, unsigned, cudaLibrary_t);

DRV_CALL(cuLibraryGetModule(cudaLibrary_t *out, cudaLibrary_t library),
         out && !is_library(library) ? cudaErrorInvalidResourceHandle : RT_GIVE(out, library));
