# SPDX-License-Identifier: MIT
# Debian packages by CPack (script/package): smemprobe with the program, libsmemprobe0.1 and libsmemprobe-machine0.1 with
# the shared libraries, libsmemprobe-dev with what is needed to build against them. SMP_DEBIAN installs what Debian wants
# of each: copyright, changelog, a compressed man page.
option(SMP_DEBIAN "Install what Debian's packages hold beside the program" OFF)

set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_NAME smemprobe)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The smemprobe maintainers <maintainers@smemprobe.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What is built against an older system than this one depends on that, which dpkg-shlibdeps can't know.
set(SMP_DEBIAN_DEPENDS "" CACHE STRING "What the program's Debian package depends on; empty: what dpkg-shlibdeps finds")
set(SMP_DEBIAN_LIBRARY_DEPENDS "" CACHE STRING "The same of the library's")
if(SMP_DEBIAN_DEPENDS)
  set(CPACK_DEBIAN_SMEMPROBE_PACKAGE_DEPENDS ${SMP_DEBIAN_DEPENDS})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ${SMP_DEBIAN_LIBRARY_DEPENDS})
  set(CPACK_DEBIAN_MACHINE_PACKAGE_DEPENDS ${SMP_DEBIAN_DEPENDS})
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL program texts library machine devel
  debian_smemprobe debian_library debian_machine debian_devel)

set(about "It computes what one warp-level memory instruction or a whole kernel costs\n\
on every NVIDIA GPU since 2006, without one: bank conflicts of shared memory\n\
and sectors of global memory, why they arise, and the layout without them.")
set(CPACK_DEBIAN_SMEMPROBE_PACKAGE_NAME smemprobe)
set(CPACK_DEBIAN_SMEMPROBE_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_SMEMPROBE_PACKAGE_SUGGESTS gnuplot-nox)
set(with_gpu "This build has nothing that runs on a GPU: profile runs programs on the CPU\n\
(--no-gpu), and measurements are those that were recorded.")
if(SMP_PATCH_NVCC)
  set(with_gpu "On a GPU, profile counts the accesses of running programs, with the driver and\n\
the Compute Sanitizer API of the CUDA toolkit.")
  if(NOT SMP_HAVE_CUDA)
    string(APPEND with_gpu " What probe, verify and compare\n\
measure live needs a build from source; here they show what was recorded.")
  endif()
endif()
set(CPACK_DEBIAN_SMEMPROBE_DESCRIPTION "${about}\n.\n${with_gpu}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsmemprobe${so_version})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${about}
.
This is the shared library.")
set(CPACK_DEBIAN_MACHINE_PACKAGE_NAME libsmemprobe-machine${so_version})
set(CPACK_DEBIAN_MACHINE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_MACHINE_DESCRIPTION "${about}
.
This is the shared library that runs machine code and reads profiles.")
set(CPACK_DEBIAN_DEVEL_PACKAGE_NAME libsmemprobe-dev)
set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS "libsmemprobe${so_version} (= ${PROJECT_VERSION}), libsmemprobe-machine${so_version} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVEL_DESCRIPTION "${about}
.
These are the files to build against the library.")

# Debian's changelog and copyright, the same for each package.
function(smp_debian_documents)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, or now
  set(folder ${PROJECT_BINARY_DIR}/debian)
  file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
  string(REGEX REPLACE "^.*\n(Permission is)" "\\1" license "${license}")
  string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
  string(REGEX REPLACE "\n" "\n " license "${license}")
  file(READ ${PROJECT_SOURCE_DIR}/NOTICES notices)
  string(REGEX REPLACE "\n\n" "\n.\n" notices "${notices}")
  string(REGEX REPLACE "\n\n" "\n.\n" notices "${notices}")
  string(REGEX REPLACE "\n" "\n " notices "${notices}")
  string(STRIP "${license}" license)
  string(STRIP "${notices}" notices)
  file(WRITE ${folder}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: smemprobe
Comment:
 ${notices}

Files: *
Copyright: 2026 The smemprobe maintainers
License: Expat

License: Expat
 ${license}
")
  file(WRITE ${folder}/changelog "smemprobe (${PROJECT_VERSION}) unstable; urgency=medium

  * What is new is in CHANGELOG.md of the source.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(READ ${PROJECT_SOURCE_DIR}/CHANGELOG.md changes)
  file(WRITE ${folder}/CHANGELOG.md "${changes}")
  foreach(name changelog CHANGELOG.md)
    execute_process(COMMAND gzip -9nf ${folder}/${name} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  foreach(pair "debian_smemprobe smemprobe" "debian_library libsmemprobe${so_version}"
      "debian_machine libsmemprobe-machine${so_version}" "debian_devel libsmemprobe-dev")
    separate_arguments(pair)
    list(POP_FRONT pair component)
    install(FILES ${folder}/copyright ${folder}/changelog.gz
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${pair} COMPONENT ${component})
  endforeach()
endfunction()

if(SMP_DEBIAN)
  smp_debian_documents()
endif()
include(CPack)
cpack_add_component_group(smemprobe)
cpack_add_component_group(library)
cpack_add_component_group(machine)
cpack_add_component_group(devel)
foreach(component program texts debian_smemprobe)
  cpack_add_component(${component} GROUP smemprobe)
endforeach()
foreach(component library debian_library)
  cpack_add_component(${component} GROUP library)
endforeach()
foreach(component machine debian_machine)
  cpack_add_component(${component} GROUP machine)
endforeach()
foreach(component devel debian_devel)
  cpack_add_component(${component} GROUP devel)
endforeach()
