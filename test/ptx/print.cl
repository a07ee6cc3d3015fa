// printf of OpenCL C, with vectors.
// run: say block=1 args: s32:-7 f32:2.5
// print: -7 2.50 [  -7] ok
// print: 1,2,3,4
// print: 0.5,-1.5
// print: 0xff 18446744073709551609
__kernel void say(int n, float x)
{
    printf("%d %.2f [%4d] %s\n", n, x, n, "ok");
    printf("%v4d\n", (int4)(1, 2, 3, 4));
    printf("%.1v2hlf\n", (float2)(0.5f, -1.5f));
    printf("%#x %lu\n", 255, (ulong)(long)n);
}
