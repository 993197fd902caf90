# SPDX-License-Identifier: MIT
# awk -f script/rooms.awk FILE...: names each #include against the table of rooms. script/lint runs it over all files.
#
# A room may include the headers of the rooms that stand behind its name. Of another top-level folder it may include only
# smp_<folder>.h and these:
#   embedded.h        how files are compiled into a program
#   cupti_host.h      CUPTI's part of `probes`
#   request_hash.h    shared with device code
#   smp_trace.h       the record of an access on disk
#   past_l1.h         copies that pass L1 by, for tests
#   find_library.h    where the toolkit's libraries lie, for `instrument`
#   rows.h            engines of `model`, for tests, which try them one by one
#   access_kernel.cuh for tests with instructions of their own
BEGIN {
    may["model"] = ""
    may["kernels"] = "benchmarks model"
    may["families"] = "kernels model"
    may["benchmarks"] = "families kernels model"
    may["probes"] = "kernels model"
    may["instrument"] = "probes kernels model"
    may["plots"] = ""
    may["base"] = "model"
    may["accesses"] = "base model probes"
    may["cuda_text"] = may["sass"] = "accesses base model"
    may["profile"] = "instrument fix prediction cuda_text sass accesses base probes model"
    may["warps"] = "instrument profile sass accesses base model"
    may["races"] = "warps " may["warps"]
    may["emulate"] = "races warps " may["warps"]
    may["launch"] = "emulate " may["emulate"]
    may["target"] = "launch cuda_text " may["launch"]
    may["declarations"] = "target launch base model"
    may["edits"] = "declarations target profile base model"
    may["proof"] = "target launch profile sass base model"
    may["repair"] = "edits proof declarations target profile sass base model"
    may["judge"] = "proof target launch emulate profile sass base model"
    may["runtime"] = "launch " may["launch"]
    may["prediction"] = "cuda_text accesses base probes model"
    may["measure"] = "prediction kernels " may["prediction"]
    may["fix"] = "measure prediction cuda_text accesses base probes model"
    may["gate"] = "target prediction " may["target"]
    may["write"] = "judge repair profile gate fix measure prediction cuda_text accesses base " \
        "kernels probes model"
    may["doctor"] = "write instrument emulate sass " may["write"]
    may["charts"] = "plots write " may["write"]
    may["cli"] = "charts write target launch profile fix measure cuda_text accesses base probes kernels model"
    may["commands"] = "target doctor instrument launch emulate sass cli charts " may["charts"]
    may["analyzer"] = may["charts"]
    may["web"] = "fix prediction cuda_text accesses base probes model"
    may["library"] = "write launch emulate " may["write"] " sass"
    may["tests"] = "declarations edits proof library runtime analyzer commands families races warps " may["commands"]

    # Arrows that are wrong and still there ("from>to"); the list may only shrink.
    still = " "

    for (i = 1; i < ARGC; i++) {
        n = split(ARGV[i], part, "/")
        home[part[n]] = room_of(ARGV[i])
    }
}
function room_of(path,   part, n) {
    n = split(path, part, "/")
    if (part[1] == "analyzer" && n > 2)
        return part[2]
    return path ~ /^(kernels\/families|probes\/instrument)\// ? part[2] : part[1]
}
function is_top(room) {
    return room ~ /^(model|kernels|probes|plots|tests)$/
}
/^#include "/ {
    from = room_of(FILENAME)
    split($0, quoted, "\"")
    n = split(quoted[2], part, "/")
    header = part[n]
    if (!(header in home))
        next
    to = home[header]
    if (to == from || to == "kernels" && from ~ /^(families|benchmarks)$/)
        next
    is_public = !is_top(to) || header == "smp_" to ".h" || header == "embedded.h" ||
        header == "cupti_host.h" || header == "request_hash.h" || header == "smp_trace.h" ||
        header == "find_library.h" && from == "instrument" ||
        header ~ /^(past_l1\.h|rows\.h|access_kernel\.cuh)$/ && from == "tests"
    is_allowed = index(" " may[from] " ", " " to " ") > 0 && is_public
    if (index(still, " " from ">" to " ") > 0)
        used[from ">" to] = 1
    else if (!is_allowed)
        print "  " FILENAME ":" FNR " includes " to "/" header
}
END {
    n = split(still, arrow, " ")
    for (i = 1; i <= n; i++)
        if (!(arrow[i] in used))
            print "  " arrow[i] " is gone: take it out of the list of wrong arrows"
}
