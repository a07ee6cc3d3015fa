// printf, assert and the heap of CUDA C.
// run: say block=3 args: s32:40
// print: 0: 40 1.500000
// print: 1: 41 1.500000
// print: 2: 42 1.500000
extern "C" __global__ void say(int n)
{
    printf("%d: %d %f\n", (int)threadIdx.x, n + (int)threadIdx.x, 1.5f);
}

// Every thread keeps a list of its own on the heap and hands it back.
// run: lists block=4 args: buf:16
// expect: u32 = 0 45 90 135
extern "C" __global__ void lists(unsigned *out)
{
    unsigned *list = (unsigned *)malloc(10 * sizeof *list), sum = 0;
    for (unsigned i = 0; i < 10; i++)
        list[i] = i * threadIdx.x;
    for (unsigned i = 0; i < 10; i++)
        sum += list[i];
    free(list);
    out[threadIdx.x] = sum;
}
