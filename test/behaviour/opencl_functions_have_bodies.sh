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
        declared = {m: n for m, n in declared.items() if n.startswith("atomic_") or n in ("ctz", "get_fence")}
    # The emulator implements printf itself.
    missing = collections.Counter(name for mangled, name in declared.items()
                                  if mangled not in defined and name != "printf")
    for name, n in sorted(missing.items()):
        print(f"OpenCL C {version}: {name}: {n} without a body")
    wrong |= bool(missing)
sys.exit(1 if wrong else 0)
PY

# clang's own functions on address spaces are in no header.
cat >"$scratch/spaces.cl" <<'CL'
__kernel void spaces(__global int *out, __local int *argument)
{
    int mine = 3;
    __local int own[4];
    int *p[4] = {out, argument, &mine, own + 1};
    for (int i = 0; i < 4; i++) {
        out[4 * i] = to_global(p[i]) == out ? 1 : to_global(p[i]) != 0 ? 9 : 0;
        out[4 * i + 1] = to_private(p[i]) == &mine ? 1 : to_private(p[i]) != 0 ? 9 : 0;
        out[4 * i + 2] = to_local(p[i]) == own + 1 ? 1 : to_local(p[i]) == argument ? 2 : to_local(p[i]) != 0 ? 9 : 0;
        out[4 * i + 3] = get_fence((const int *)p[i]) == CLK_LOCAL_MEM_FENCE;
    }
    *to_local(p[3]) = 77;
    out[16] = own[1];
}
CL
for more in "" " -cl-opt-disable"; do
    status 0 "$heddle" run "$scratch/spaces.cl" --build-options "-cl-std=CL2.0$more" --functional --quiet \
        --arg out:68:"$scratch/out" --arg local:64
    out=$(od -An -v -w68 -i "$scratch/out" | tr -s ' ')
    [ "$out" = " 1 0 0 0 0 0 2 1 0 1 0 0 0 0 1 1 77" ] || fail "address spaces$more"
done
finish
