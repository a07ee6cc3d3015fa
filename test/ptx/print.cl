// printf of OpenCL C, with vectors.
// run: say block=1 args: s32:-7 f32:2.5
// print: -7 2.50 [  -7] ok
// print: 1,2,3,4
// print: 0.5,-1.5
// print: 0xff 18446744073709551609
// print: -1,2,3,4 fa,fb,fc -5,6 1,2,3 99
// print: -5,6 2.5,2.5,2.5 0.25,0.5 7
// print: -3 -4 200 beef -5 5
// print: -3 -4 fd
// print: 65535,65535,65535,65535,65535,65535,65535,65535|a,b
// print: |   42|42   |00042|+42|052|042|     5|3.14
// print: 1.500000e+00 1E+20 0x1.8p+0 -inf nan
// print: a|    right|left  |cu|%
// print: 1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10
__kernel void say(int n, float x)
{
    printf("%d %.2f [%4d] %s\n", n, x, n, "ok");
    printf("%v4d\n", (int4)(1, 2, 3, 4));
    printf("%.1v2hlf\n", (float2)(0.5f, -1.5f));
    printf("%#x %lu\n", 255, (ulong)(long)n);
    // A vector of three takes the room of four; what follows it is still found.
    printf("%v4hhd %v3hhx %v2hd %v3hld %d\n", (char4)(-1, 2, 3, 4), (uchar3)(250, 251, 252),
           (short2)(-5, 6), (int3)(1, 2, 3), 99);
    printf("%v2ld %.1v3hlf %v2lg %d\n", (long2)(-5, 6), (float3)(x), (double2)(0.25, 0.5), 7);
    printf("%hhd %hd %hhu %hx %ld %lu\n", (char)-3, (short)-4, (uchar)200, (ushort)0xbeef, -5l, 5ul);
    // A length modifier cuts what is shown.
    printf("%hhd %hd %hhx\n", (int)0x12fd, (int)0x1fffc, (int)0x12fd);
    printf("%v8hu|%v2hlx\n", (ushort8)(65535), (uint2)(10, 11));
    printf("|%5d|%-5d|%05d|%+d|%#o|%.3d|%*d|%.*f\n", 42, 42, 42, 42, 42, 42, 6, 5, 2, 3.14159);
    printf("%e %G %a %f %f\n", 1.5, 1e20, 1.5, -INFINITY, NAN);
    printf("%c|%9s|%-6s|%.2s|%%\n", 'a', "right", "left", "cut");
    printf("%v16hhx\n", (uchar16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
}
