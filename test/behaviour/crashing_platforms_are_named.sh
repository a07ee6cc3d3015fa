#!/bin/sh
# A crashing OpenCL platform does not end a run silently: it is named, and other platforms are used
# instead.
heddle=$1
scratch=$2
mkdir -p "$scratch/alone" "$scratch/beside"
. test/behaviour/expect.inc
export ASAN_OPTIONS=detect_leaks=0 # the threads of a platform never free their memory

platform=$(dirname "$heddle")/test/crashing_platform.so
echo "$platform" >"$scratch/alone/crashing.icd"
export OCL_ICD_VENDORS="$scratch/alone/"
status 4 "$heddle" run nw --size tiny --on opencl && silent out
complains "no OpenCL device on this machine"
complains "Crashing Platform crashes when asked for its devices: Aborted: no devices today"
status 4 env HEDDLE_TEST_PLATFORM=early "$heddle" run nw --size tiny --on opencl && silent out
complains "libOpenCL.so.1 crashes when asked for its platforms: Aborted: no platforms today"

# Before and after one that works. Debian's libOpenCL calls every platform when it sorts several.
unset OCL_ICD_VENDORS
if ! lacks_opencl "a platform that works beside one that crashes"; then
    cp /etc/OpenCL/vendors/*.icd "$scratch/beside"
    export OCL_ICD_VENDORS="$scratch/beside/"
    echo "$platform" >"$scratch/beside/a.icd"
    status 4 "$heddle" run nw --size tiny --on opencl
    complains "OCL_ICD_PLATFORM_SORT=none"
    rm "$scratch/beside/a.icd"
    export OCL_ICD_PLATFORM_SORT=none
    for name in a z; do
        echo "$platform" >"$scratch/beside/$name.icd"
        status 0 "$heddle" run nw --size tiny --on opencl && says "verified" && silent err
        status 4 "$heddle" run nw --size tiny --on opencl:none-such
        complains "no OpenCL device matches 'none-such'; available:"
        complains "Crashing Platform crashes when asked for its devices"
        rm "$scratch/beside/$name.icd"
    done
fi
finish
