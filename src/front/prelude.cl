/* Read before every OpenCL source.
 *
 * The version is that of the language, which is what programs ask it for. */
#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 120
#endif

/* OpenCL's functions are overloaded for equal types only, so max(x, 0) with an unsigned x is
 * ambiguous by the letter; compilers that people test with accept it, and so do we: mixed arguments
 * meet in the type that C's arithmetic would give them. */

/* OpenCL C 1.0 and 1.1 have no `static`. */
#define HEDDLE_OWN                                                                                 \
    __attribute__((internal_linkage, overloadable, always_inline, nodebug, const)) inline
#define HEDDLE_COMMON(a, b) __typeof__((a)0 + (b)0)
#define HEDDLE_MIXED(f, a, b)                                                                      \
    HEDDLE_OWN HEDDLE_COMMON(a, b)                                                                 \
        f(a x, b y)                                                                                \
    {                                                                                              \
        return f((HEDDLE_COMMON(a, b))x, (HEDDLE_COMMON(a, b))y);                                  \
    }
#define HEDDLE_MIXED_BOTH(f, a, b) HEDDLE_MIXED(f, a, b) HEDDLE_MIXED(f, b, a)

#define HEDDLE_MIXED_INTEGERS(f)                                                                   \
    HEDDLE_MIXED_BOTH(f, int, char)                                                                \
    HEDDLE_MIXED_BOTH(f, int, uchar)                                                               \
    HEDDLE_MIXED_BOTH(f, int, short)                                                               \
    HEDDLE_MIXED_BOTH(f, int, ushort)                                                              \
    HEDDLE_MIXED_BOTH(f, int, uint)                                                                \
    HEDDLE_MIXED_BOTH(f, int, long)                                                                \
    HEDDLE_MIXED_BOTH(f, int, ulong)                                                               \
    HEDDLE_MIXED_BOTH(f, uint, char)                                                               \
    HEDDLE_MIXED_BOTH(f, uint, uchar)                                                              \
    HEDDLE_MIXED_BOTH(f, uint, short)                                                              \
    HEDDLE_MIXED_BOTH(f, uint, ushort)                                                             \
    HEDDLE_MIXED_BOTH(f, uint, long)                                                               \
    HEDDLE_MIXED_BOTH(f, uint, ulong)                                                              \
    HEDDLE_MIXED_BOTH(f, long, ulong)

#define HEDDLE_MIXED_REALS(f)                                                                      \
    HEDDLE_MIXED_BOTH(f, float, int)                                                               \
    HEDDLE_MIXED_BOTH(f, float, uint)                                                              \
    HEDDLE_MIXED_BOTH(f, float, double)                                                            \
    HEDDLE_MIXED_BOTH(f, double, int)                                                              \
    HEDDLE_MIXED_BOTH(f, double, uint)

HEDDLE_MIXED_INTEGERS(min)
HEDDLE_MIXED_INTEGERS(max)
HEDDLE_MIXED_REALS(min)
HEDDLE_MIXED_REALS(max)
HEDDLE_MIXED_REALS(fmin)
HEDDLE_MIXED_REALS(fmax)
HEDDLE_MIXED_REALS(pow)
HEDDLE_MIXED_REALS(fmod)
HEDDLE_MIXED_REALS(atan2)

/* clamp(x, 0, 255): the bounds become what x is. */
#define HEDDLE_CLAMP(t, bound)                                                                     \
    HEDDLE_OWN t                                                                                   \
        clamp(t x, bound low, bound high)                                                          \
    {                                                                                              \
        return clamp(x, (t)low, (t)high);                                                          \
    }

HEDDLE_CLAMP(char, int)
HEDDLE_CLAMP(uchar, int)
HEDDLE_CLAMP(short, int)
HEDDLE_CLAMP(ushort, int)
HEDDLE_CLAMP(uint, int)
HEDDLE_CLAMP(long, int)
HEDDLE_CLAMP(ulong, int)
HEDDLE_CLAMP(float, int)
HEDDLE_CLAMP(float, double)
HEDDLE_CLAMP(double, int)

#undef HEDDLE_CLAMP
#undef HEDDLE_MIXED_REALS
#undef HEDDLE_MIXED_INTEGERS
#undef HEDDLE_MIXED_BOTH
#undef HEDDLE_MIXED
#undef HEDDLE_COMMON
#undef HEDDLE_OWN
