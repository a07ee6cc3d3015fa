/* <cooperative_groups.h>: thread blocks, tiles of a warp, the threads that are active together.
 * Left out: groups of a whole grid, which need a launch that keeps every block resident. */
#pragma once

namespace cooperative_groups
{

class thread_block
{
  public:
    static __device__ __attribute__((always_inline)) void sync()
    {
        __syncthreads();
    }
    static __device__ unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static __device__ unsigned size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static __device__ unsigned num_threads()
    {
        return size();
    }
    static __device__ dim3 group_index()
    {
        return blockIdx;
    }
    static __device__ dim3 thread_index()
    {
        return threadIdx;
    }
    static __device__ dim3 group_dim()
    {
        return blockDim;
    }
};

__HEDDLE__ thread_block this_thread_block()
{
    return thread_block();
}

/* `Size` lanes of a warp, a power of two. */
template <unsigned Size, class Parent = thread_block> class thread_block_tile
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

    static constexpr unsigned lanes = Size == 32 ? 0xffffffffu : (1u << (Size % 32)) - 1;

    static __device__ unsigned first_lane()
    {
        return __lane_id() & ~(Size - 1);
    }
    static __device__ unsigned members()
    {
        return lanes << first_lane();
    }

  public:
    static __device__ void sync()
    {
        __syncwarp(members());
    }
    static __device__ unsigned thread_rank()
    {
        return thread_block::thread_rank() & (Size - 1);
    }
    static __device__ unsigned meta_group_rank()
    {
        return thread_block::thread_rank() / Size;
    }
    static __device__ unsigned meta_group_size()
    {
        return (thread_block::size() + Size - 1) / Size;
    }
    static __device__ constexpr unsigned size()
    {
        return Size;
    }
    static __device__ constexpr unsigned num_threads()
    {
        return Size;
    }
    template <class T> static __device__ T shfl(T value, int lane)
    {
        return __shfl_sync(members(), value, lane, Size);
    }
    template <class T> static __device__ T shfl_up(T value, unsigned delta)
    {
        return __shfl_up_sync(members(), value, delta, Size);
    }
    template <class T> static __device__ T shfl_down(T value, unsigned delta)
    {
        return __shfl_down_sync(members(), value, delta, Size);
    }
    template <class T> static __device__ T shfl_xor(T value, int lane_mask)
    {
        return __shfl_xor_sync(members(), value, lane_mask, Size);
    }
    static __device__ unsigned ballot(int predicate)
    {
        return __ballot_sync(members(), predicate) >> first_lane() & lanes;
    }
    static __device__ int any(int predicate)
    {
        return ballot(predicate) != 0;
    }
    static __device__ int all(int predicate)
    {
        return ballot(!predicate) == 0;
    }
};

template <unsigned Size, class Parent>
__HEDDLE__ thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

class coalesced_group
{
    unsigned mask;

  public:
    __device__ explicit coalesced_group(unsigned m) : mask(m)
    {
    }
    __device__ void sync() const
    {
        __syncwarp(mask);
    }
    __device__ unsigned size() const
    {
        return __popc(mask);
    }
    __device__ unsigned num_threads() const
    {
        return size();
    }
    __device__ unsigned thread_rank() const
    {
        return __popc(mask & ((1u << __lane_id()) - 1));
    }
    /* From the group's first thread, the common use: one atomic for all. */
    template <class T> __device__ T shfl(T value, int rank) const
    {
        unsigned left = mask;
        for (int i = 0; i < rank; i++)
            left &= left - 1;
        return __shfl_sync(mask, value, __ffs((int)left) - 1);
    }
};

__HEDDLE__ coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <class Group> __HEDDLE__ void sync(const Group &group)
{
    group.sync();
}

class grid_group
{
  public:
    __device__ void sync() const
        __attribute__((unavailable("Heddle has no cooperative launch, so a grid cannot sync")));
    static __device__ unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
    }
    static __device__ unsigned long long thread_rank()
    {
        unsigned long long block =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block::size() + thread_block::thread_rank();
    }
};

__HEDDLE__ grid_group this_grid()
{
    return grid_group();
}

} // namespace cooperative_groups
