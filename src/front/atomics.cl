/* Atomic functions and ctz() of OpenCL C 2.0 and 3.0, and address spaces of 2.0. This text continues builtins.cl.
 *
 * The library is compiled as OpenCL C 1.2, which has no atomic types, so these functions get their
 * mangled names by assembler labels. OpenCL C 2.0 passes generic addresses, which are represented
 * like private ones here; 3.0 without generic addresses passes global and local ones.
 *
 * Any order but relaxed is a fence before and after the operation; the scope is always the device.
 * Operations work on unsigned words, U, of the object's size. */

#define RELAXED 0
#define STRICT  5 /* memory_order_seq_cst, for functions that do not take an order */

#define FENCE_UNLESS_RELAXED(order)                                                                \
    if ((order) != RELAXED)                                                                        \
    __nvvm_membar_gl()

/* --- Operations, for each type and address space --- */

#define ATOMIC_BINARY(f, S, T, V, U, r, instruction, operand)                                      \
    OVERLOAD T f(volatile S T *p, V value, int order)                                              \
    {                                                                                              \
        U old;                                                                                     \
        FENCE_UNLESS_RELAXED(order);                                                               \
        __asm__ volatile("atom" instruction " %0, [%1], %2;"                                       \
                         : "=" r(old)                                                              \
                         : "l"(p), r((U)(operand))                                                 \
                         : "memory");                                                              \
        FENCE_UNLESS_RELAXED(order);                                                               \
        return as_##T(old);                                                                        \
    }

#define ATOMIC_OPERATIONS(S, P, T, U, r, bits)                                                     \
    ATOMIC_BINARY(heddle_exchange, S, T, T, U, r, P ".exch.b" bits, as_##U(value))                 \
    OVERLOAD T heddle_load(volatile S T *p, int order)                                             \
    {                                                                                              \
        U word;                                                                                    \
        FENCE_UNLESS_RELAXED(order);                                                               \
        __asm__ volatile("ld.volatile" P ".u" bits " %0, [%1];"                                    \
                         : "=" r(word)                                                             \
                         : "l"(p)                                                                  \
                         : "memory");                                                              \
        FENCE_UNLESS_RELAXED(order);                                                               \
        return as_##T(word);                                                                       \
    }                                                                                              \
    OVERLOAD void heddle_store(volatile S T *p, T value, int order)                                \
    {                                                                                              \
        FENCE_UNLESS_RELAXED(order);                                                               \
        __asm__ volatile("st.volatile" P ".u" bits " [%0], %1;"                                    \
                         :                                                                         \
                         : "l"(p), r(as_##U(value))                                                \
                         : "memory");                                                              \
        FENCE_UNLESS_RELAXED(order);                                                               \
    }                                                                                              \
    OVERLOAD T heddle_compare(volatile S T *p, T expected, T value, int order)                     \
    {                                                                                              \
        U old;                                                                                     \
        FENCE_UNLESS_RELAXED(order);                                                               \
        __asm__ volatile("atom" P ".cas.b" bits " %0, [%1], %2, %3;"                               \
                         : "=" r(old)                                                              \
                         : "l"(p), r(as_##U(expected)), r(as_##U(value))                           \
                         : "memory");                                                              \
        FENCE_UNLESS_RELAXED(order);                                                               \
        return as_##T(old);                                                                        \
    }

#define ATOMIC_ARITHMETIC(S, P, T, U, r, bits, letter)                                             \
    ATOMIC_BINARY(heddle_fetch_add, S, T, T, U, r, P ".add.u" bits, value)                         \
    ATOMIC_BINARY(heddle_fetch_sub, S, T, T, U, r, P ".add.u" bits, -(U)value)                     \
    ATOMIC_BINARY(heddle_fetch_and, S, T, T, U, r, P ".and.b" bits, value)                         \
    ATOMIC_BINARY(heddle_fetch_or, S, T, T, U, r, P ".or.b" bits, value)                           \
    ATOMIC_BINARY(heddle_fetch_xor, S, T, T, U, r, P ".xor.b" bits, value)                         \
    ATOMIC_BINARY(heddle_fetch_min, S, T, T, U, r, P ".min." letter bits, value)                   \
    ATOMIC_BINARY(heddle_fetch_max, S, T, T, U, r, P ".max." letter bits, value)

/* --- Names --- */

#define LABELLED(label, type, name, params, body)                                                  \
    OVERLOAD type name params __asm__("_Z" label);                                                 \
    OVERLOAD type name params body

#define ORDER "12memory_order"
#define SCOPE "12memory_scope"
#define AGAIN "S4_" /* the second memory_order of a name */

/* `n` and `nx` are the lengths of a function's name, without and with _explicit; `object` is the
 * mangled type of the first parameter, `t` of the object's value and `v` of the operand. */
#define NAME_FETCH_SCOPED(n, nx, f, S, object, T, t, V, v)                                         \
    LABELLED(nx "atomic_" #f "_explicit" object t v ORDER SCOPE, T, heddle_scoped_##f,             \
             (volatile S T *p, V x, int order, int scope), { return heddle_##f(p, (T)x, order); })
#define NAME_FETCH(n, nx, f, S, object, T, t, V, v)                                                \
    LABELLED(n "atomic_" #f object t v, T, heddle_plain_##f, (volatile S T *p, V x),               \
             { return heddle_##f(p, (T)x, STRICT); })                                              \
    LABELLED(nx "atomic_" #f "_explicit" object t v ORDER, T, heddle_ordered_##f,                  \
             (volatile S T *p, V x, int order), { return heddle_##f(p, (T)x, order); })            \
    NAME_FETCH_SCOPED(n, nx, f, S, object, T, t, V, v)

#define NAME_INTEGERS(NAME, S, object, T, t, V, v)                                                 \
    NAME("16", "25", fetch_add, S, object, T, t, V, v)                                             \
    NAME("16", "25", fetch_sub, S, object, T, t, V, v)                                             \
    NAME("16", "25", fetch_and, S, object, T, t, V, v)                                             \
    NAME("15", "24", fetch_or, S, object, T, t, V, v)                                              \
    NAME("16", "25", fetch_xor, S, object, T, t, V, v)                                             \
    NAME("16", "25", fetch_min, S, object, T, t, V, v)                                             \
    NAME("16", "25", fetch_max, S, object, T, t, V, v)

#define NAME_ACCESS_SCOPED(S, object, T, t)                                                        \
    NAME_FETCH_SCOPED("15", "24", exchange, S, object, T, t, T, t)                                 \
    LABELLED("11atomic_init" object t t, void, heddle_init, (volatile S T *p, T x), { *p = x; })   \
    LABELLED("21atomic_store_explicit" object t t ORDER SCOPE, void, heddle_scoped_store,          \
             (volatile S T *p, T x, int order, int scope), { heddle_store(p, x, order); })         \
    LABELLED("20atomic_load_explicit" object t ORDER SCOPE, T, heddle_scoped_load,                 \
             (volatile S T *p, int order, int scope), { return heddle_load(p, order); })
#define NAME_ACCESS(S, object, T, t)                                                               \
    NAME_ACCESS_SCOPED(S, object, T, t)                                                            \
    LABELLED("15atomic_exchange" object t t, T, heddle_plain_exchange, (volatile S T *p, T x),     \
             { return heddle_exchange(p, x, STRICT); })                                            \
    LABELLED("24atomic_exchange_explicit" object t t ORDER, T, heddle_ordered_exchange,            \
             (volatile S T *p, T x, int order), { return heddle_exchange(p, x, order); })          \
    LABELLED("12atomic_store" object t t, void, heddle_plain_store, (volatile S T *p, T x),        \
             { heddle_store(p, x, STRICT); })                                                      \
    LABELLED("21atomic_store_explicit" object t t ORDER, void, heddle_ordered_store,               \
             (volatile S T *p, T x, int order), { heddle_store(p, x, order); })                    \
    LABELLED("11atomic_load" object t, T, heddle_plain_load, (volatile S T *p),                    \
             { return heddle_load(p, STRICT); })                                                   \
    LABELLED("20atomic_load_explicit" object t ORDER, T, heddle_ordered_load,                      \
             (volatile S T *p, int order), { return heddle_load(p, order); })

/* The old value is the expected one bit by bit, or is handed to the caller. */
#define COMPARE(T, U, order)                                                                       \
    {                                                                                              \
        T old = heddle_compare(p, *expected, x, order);                                            \
        bool same = as_##U(old) == as_##U(*expected);                                              \
        if (!same)                                                                                 \
            *expected = old;                                                                       \
        return same;                                                                               \
    }
#define NAME_COMPARE_SCOPED(nx, f, S, object, E, pointer, T, t, U)                                 \
    LABELLED(nx "atomic_compare_exchange_" #f "_explicit" object t pointer t t ORDER AGAIN SCOPE,  \
             bool, heddle_scoped_##f,                                                              \
             (volatile S T *p, E T *expected, T x, int order, int failure, int scope),             \
             COMPARE(T, U, order))
#define NAME_COMPARE(n, nx, f, S, object, E, pointer, T, t, U)                                     \
    NAME_COMPARE_SCOPED(nx, f, S, object, E, pointer, T, t, U)                                     \
    LABELLED(n "atomic_compare_exchange_" #f object t pointer t t, bool, heddle_plain_##f,         \
             (volatile S T *p, E T *expected, T x), COMPARE(T, U, STRICT))
#define NAME_COMPARE_ORDERED(nx, f, S, object, E, pointer, T, t, U)                                \
    LABELLED(nx "atomic_compare_exchange_" #f "_explicit" object t pointer t t ORDER AGAIN, bool,  \
             heddle_ordered_##f, (volatile S T *p, E T *expected, T x, int order, int failure),    \
             COMPARE(T, U, order))

/* --- All of them --- */

#define GENERIC_OBJECT "PVU7_Atomic"
#define GLOBAL_OBJECT  "PU3AS1VU7_Atomic"
#define LOCAL_OBJECT   "PU3AS3VU7_Atomic"

#define ATOMIC_GENERIC(T, t, U, r, bits)                                                           \
    ATOMIC_OPERATIONS(__private, "", T, U, r, bits)                                                \
    NAME_ACCESS(__private, GENERIC_OBJECT, T, t)                                                   \
    NAME_COMPARE("30", "39", strong, __private, GENERIC_OBJECT, __private, "P", T, t, U)           \
    NAME_COMPARE("28", "37", weak, __private, GENERIC_OBJECT, __private, "P", T, t, U)             \
    NAME_COMPARE_ORDERED("39", strong, __private, GENERIC_OBJECT, __private, "P", T, t, U)         \
    NAME_COMPARE_ORDERED("37", weak, __private, GENERIC_OBJECT, __private, "P", T, t, U)

#define COMPARE_SPACES(NAME, nx, f, S, object, T, t, U)                                            \
    NAME(nx, f, S, object, __private, "P", T, t, U)                                                \
    NAME(nx, f, S, object, __global, "PU3AS1", T, t, U)                                            \
    NAME(nx, f, S, object, __local, "PU3AS3", T, t, U)

#define ATOMIC_NAMED(S, P, object, T, t, U, r, bits)                                               \
    ATOMIC_OPERATIONS(S, P, T, U, r, bits)                                                         \
    NAME_ACCESS_SCOPED(S, object, T, t)                                                            \
    COMPARE_SPACES(NAME_COMPARE_SCOPED, "39", strong, S, object, T, t, U)                          \
    COMPARE_SPACES(NAME_COMPARE_SCOPED, "37", weak, S, object, T, t, U)                            \
    COMPARE_SPACES(NAME_COMPARE_ORDERED, "39", strong, S, object, T, t, U)                         \
    COMPARE_SPACES(NAME_COMPARE_ORDERED, "37", weak, S, object, T, t, U)

#define ATOMIC_TYPE(T, t, U, r, bits)                                                              \
    ATOMIC_GENERIC(T, t, U, r, bits)                                                               \
    ATOMIC_NAMED(__global, ".global", GLOBAL_OBJECT, T, t, U, r, bits)                             \
    ATOMIC_NAMED(__local, ".shared", LOCAL_OBJECT, T, t, U, r, bits)

/* `V` is the operand's type beside T: pointer-sized objects take the other signedness too. */
#define ATOMIC_INTEGER(T, t, U, r, bits, letter)                                                   \
    ATOMIC_TYPE(T, t, U, r, bits)                                                                  \
    ATOMIC_ARITHMETIC(__private, "", T, U, r, bits, letter)                                        \
    ATOMIC_ARITHMETIC(__global, ".global", T, U, r, bits, letter)                                  \
    ATOMIC_ARITHMETIC(__local, ".shared", T, U, r, bits, letter)                                   \
    NAME_INTEGERS(NAME_FETCH, __private, GENERIC_OBJECT, T, t, T, t)                               \
    NAME_INTEGERS(NAME_FETCH_SCOPED, __global, GLOBAL_OBJECT, T, t, T, t)                          \
    NAME_INTEGERS(NAME_FETCH_SCOPED, __local, LOCAL_OBJECT, T, t, T, t)
#define ATOMIC_POINTER(T, t, V, v)                                                                 \
    NAME_INTEGERS(NAME_FETCH, __private, GENERIC_OBJECT, T, t, V, v)                               \
    NAME_INTEGERS(NAME_FETCH_SCOPED, __global, GLOBAL_OBJECT, T, t, V, v)                          \
    NAME_INTEGERS(NAME_FETCH_SCOPED, __local, LOCAL_OBJECT, T, t, V, v)

ATOMIC_INTEGER(int, "i", uint, "r", "32", "s")
ATOMIC_INTEGER(uint, "j", uint, "r", "32", "u")
ATOMIC_INTEGER(long, "l", ulong, "l", "64", "s")
ATOMIC_INTEGER(ulong, "m", ulong, "l", "64", "u")
ATOMIC_POINTER(long, "l", ulong, "m")
ATOMIC_POINTER(ulong, "m", long, "l")
ATOMIC_TYPE(float, "f", uint, "r", "32")
ATOMIC_TYPE(double, "d", ulong, "l", "64")

#define ATOMIC_FLAG_SCOPED(S, object)                                                              \
    LABELLED("33atomic_flag_test_and_set_explicit" object "i" ORDER SCOPE, bool,                   \
             heddle_scoped_flag_set, (volatile S int *p, int order, int scope),                    \
             { return heddle_exchange(p, 1, order) != 0; })                                        \
    LABELLED("26atomic_flag_clear_explicit" object "i" ORDER SCOPE, void,                          \
             heddle_scoped_flag_clear, (volatile S int *p, int order, int scope),                  \
             { heddle_store(p, 0, order); })
ATOMIC_FLAG_SCOPED(__private, GENERIC_OBJECT)
ATOMIC_FLAG_SCOPED(__global, GLOBAL_OBJECT)
ATOMIC_FLAG_SCOPED(__local, LOCAL_OBJECT)
LABELLED("24atomic_flag_test_and_set" GENERIC_OBJECT "i", bool, heddle_flag_set,
         (volatile __private int *p), { return heddle_exchange(p, 1, STRICT) != 0; })
LABELLED("33atomic_flag_test_and_set_explicit" GENERIC_OBJECT "i" ORDER, bool,
         heddle_ordered_flag_set, (volatile __private int *p, int order),
         { return heddle_exchange(p, 1, order) != 0; })
LABELLED("17atomic_flag_clear" GENERIC_OBJECT "i", void, heddle_flag_clear,
         (volatile __private int *p), { heddle_store(p, 0, STRICT); })
LABELLED("26atomic_flag_clear_explicit" GENERIC_OBJECT "i" ORDER, void, heddle_ordered_flag_clear,
         (volatile __private int *p, int order), { heddle_store(p, 0, order); })

LABELLED("22atomic_work_item_fencej" ORDER SCOPE, void, heddle_work_item_fence,
         (uint flags, int order, int scope), { FENCE_UNLESS_RELAXED(order); })

/* --- Address spaces of generic pointers --- */

/* clang calls to_global() and the like by these names. A generic pointer of the global or the private
 * space is the pointer itself. */
#define IS_IN(p, space)                                                                            \
    ({                                                                                             \
        uint is_;                                                                                  \
        __asm__("{ .reg .pred %%q; isspacep." space " %%q, %1; selp.u32 %0, 1, 0, %%q; }"          \
                : "=r"(is_)                                                                        \
                : "l"(p));                                                                         \
        is_;                                                                                       \
    })
#define TO_SPACE(S, name, space)                                                                   \
    PURE __##S void *heddle_##name(__private void *p) __asm__("__" #name);                         \
    PURE __##S void *heddle_##name(__private void *p)                                              \
    {                                                                                              \
        ulong result = IS_IN(p, space) ? (ulong)p : 0;                                             \
        return (__##S void *)result;                                                               \
    }

TO_SPACE(global, to_global, "global")
TO_SPACE(private, to_private, "local")

PURE __local void *heddle_to_local(__private void *p) __asm__("__to_local");
PURE __local void *heddle_to_local(__private void *p)
{
    ulong address;
    if (!IS_IN(p, "shared"))
        return 0;
    __asm__("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
    return (__local void *)address;
}

#define GET_FENCE(mangled, T)                                                                      \
    LABELLED("9get_fence" mangled, uint, heddle_get_fence, (__private T *p),                       \
             { return IS_IN(p, "shared") ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; })
GET_FENCE("Pv", void)
GET_FENCE("PKv", const void)

/* --- ctz --- */

#define CTZ(t)                                                                                     \
    PURE t ctz(t x) { return popcount((t)(~x & (x - (t)1))); }
#define CTZ_WIDTHS(t) CTZ(t) CTZ(t##2) CTZ(t##3) CTZ(t##4) CTZ(t##8) CTZ(t##16)
CTZ_WIDTHS(char)
CTZ_WIDTHS(uchar)
CTZ_WIDTHS(short)
CTZ_WIDTHS(ushort)
CTZ_WIDTHS(int)
CTZ_WIDTHS(uint)
CTZ_WIDTHS(long)
CTZ_WIDTHS(ulong)
