#!/bin/sh
# Every built-in function that clang's OpenCL header declares for OpenCL C 1.2 and 3.0, and the atomic
# functions of 2.0, for every type, width and address space, have a body in Heddle's library or in
# libclc. There are no depth images.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

echo '__kernel void k(__global int *p) { *p = 1; }' >"$scratch/k.cl"
HEDDLE_CACHE="$scratch/cache" status 0 "$heddle" ptx "$scratch/k.cl"
library=$(find "$scratch/cache" -name builtins.bc)
[ -n "$library" ] || fail "the cache holds no library"
libclc=${HEDDLE_LIBCLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}
extensions="-all,+cl_khr_fp64,+cl_khr_byte_addressable_store,+cl_khr_int64_base_atomics"
extensions="$extensions,+cl_khr_int64_extended_atomics,+cl_khr_3d_image_writes"
extensions="$extensions,+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics"
extensions="$extensions,+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics"
extensions="$extensions,+__opencl_c_fp64,+__opencl_c_3d_image_writes,+__opencl_c_images"
for version in 1.2 2.0 3.0; do
    clang -target nvptx64-nvidia-nvcl -x cl -cl-std=CL$version -cl-no-stdinc -fsyntax-only \
        -Xclang -finclude-default-header -Xclang -cl-ext="$extensions" -Xclang -ast-dump=json \
        /dev/null >"$scratch/declared$version.json" || fail "clang cannot list the header"
done
llvm-nm --defined-only "$library" "$libclc" >"$scratch/defined.txt" || fail "llvm-nm fails"
python3 - "$scratch" <<'PY' || fail "functions without a body"
import collections, json, sys
scratch = sys.argv[1]
defined = {line.split()[-1] for line in open(scratch + "/defined.txt") if line.split()}
wrong = False
for version in "1.2", "2.0", "3.0":
    tree = json.load(open(f"{scratch}/declared{version}.json"))
    declared = {d["mangledName"]: d["name"] for d in tree["inner"]
                if d["kind"] == "FunctionDecl" and "_depth" not in d["mangledName"]}
    assert len(declared) > 9000, f"only {len(declared)} functions found"
    if version == "2.0":
        declared = {m: n for m, n in declared.items() if n.startswith("atomic_") or n == "ctz"}
    # The emulator implements printf itself.
    missing = collections.Counter(name for mangled, name in declared.items()
                                  if mangled not in defined and name != "printf")
    for name, n in sorted(missing.items()):
        print(f"OpenCL C {version}: {name}: {n} without a body")
    wrong |= bool(missing)
sys.exit(1 if wrong else 0)
PY
finish
