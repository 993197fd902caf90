/* SPDX-License-Identifier: MIT */
/* Recognizes other languages by file endings, and by words that CUDA C++ does not have. */
#include "source_run.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "text_file.h"

typedef struct language_row {
    const char *ending;
    const char *name;
} language_row;

static const language_row endings[] = {
    {".c", "C"},        {".cpp", "C++"},     {".cc", "C++"},      {".cxx", "C++"},
    {".hip", "HIP"},    {".cl", "OpenCL C"}, {".metal", "Metal"}, {".hlsl", "HLSL"},
    {".comp", "GLSL"},  {".glsl", "GLSL"},   {".wgsl", "WGSL"},   {".cuf", "CUDA Fortran"},
    {".f90", "Fortran"}};

static const language_row words[] = {
    {"__kernel ", "OpenCL C"},      {"<metal_stdlib>", "Metal"},
    {"[numthreads(", "HLSL"},       {"layout(local_size_x", "GLSL"},
    {"@compute", "WGSL"},           {"attributes(global)", "CUDA Fortran"},
    {"<sycl/", "SYCL C++"},         {"<CL/sycl.hpp>", "SYCL C++"},
    {"get_global_id(", "OpenCL C"}, {"<CL/cl.h>", "an OpenCL host program"}};

const char *source_language_named(const char *path) {
    const char *ending = strrchr(path, '.');
    const language_row *found = ending ? ROWS_FIND(endings, ending) : NULL;
    return found ? found->name : NULL;
}

smp_status source_language_refuse(const char *path, const char *language, smp_error *error) {
    if (!language)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.160s: not a text file; name machine code .cubin or .ptx, and give "
                             "a program as ./PROGRAM",
                             path);
    if (strcmp(language, "HIP") == 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.160s: this is HIP; smemprobe reads CUDA C++ (.cu): rename "
                             "functions and headers from hip to cuda",
                             path);
    if (*language == 'C' || strstr(language, "Fortran") || strstr(language, "host") ||
        strstr(language, "C++"))
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.160s: this is %s; smemprobe reads CUDA C++ (.cu), and runs built "
                             "programs: ./PROGRAM",
                             path, language);
    return smp_error_set(error, SMP_E_SYNTAX, -1,
                         "%.160s: this is %s; smemprobe reads CUDA C++ (.cu); for one access: "
                         "smemprobe 'tile[threadIdx.x][0]' --shared 'float tile[32][32]'",
                         path, language);
}

/* Sources for both contain words of CUDA, or test which of the two compiles them. */
static bool is_hip(const char *blank) {
    static const char *const of_hip[] = {"<hip/", "hipMalloc", "hipLaunchKernel", "hipMemcpy",
                                         "hipDeviceSynchronize"},
                             *const of_both[] = {"cuda", "__HIP", "__CUDA", "__NVCC__"};
    return !ANY(one, of_both, sizeof of_both / sizeof of_both[0], strstr(blank, *one)) &&
           ANY(one, of_hip, sizeof of_hip / sizeof of_hip[0], strstr(blank, *one));
}

/* Refuses the file if its language is certain. `blank` comes from host_text_make. */
static smp_status check(const char *path, const char *text, size_t length, const char *blank,
                        smp_error *error) {
    if (memchr(text, '\0', length))
        return source_language_refuse(path, NULL, error);
    if (is_hip(blank))
        return source_language_refuse(path, "HIP", error);
    for (size_t i = 0; i < sizeof words / sizeof words[0] && !strstr(blank, "__global__"); i++)
        if (strstr(blank, words[i].ending))
            return source_language_refuse(path, words[i].name, error);
    return SMP_OK;
}

/* Puts the file's name before the error. */
static smp_status file_error(const char *path, smp_error *error) {
    const smp_error why = *error;
    return smp_error_set(error, why.status, -1, "%.160s: %s", path, why.message);
}

smp_status source_look_at(const char *path, bool *has_main, bool *has_kernels, smp_error *error) {
    char *text, *blank;
    size_t length;
    smp_status status = smp_text_read(path, &text, &length, error);
    if (status != SMP_OK)
        return file_error(path, error);
    blank = host_text_make(text, length);
    status = blank ? check(path, text, length, blank, error) : smp_error_memory(error);
    *has_main = blank && host_has_main(blank);
    *has_kernels = blank && strstr(blank, "__global__");
    free(blank);
    free(text);
    return status;
}
