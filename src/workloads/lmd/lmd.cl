/* Forces between particles in boxes: every particle feels those of its own box and of the boxes
 * around it, through a potential that falls off as a Gaussian.
 *
 * One work-group per box, one work-item per particle. The particles of one neighbour at a time are
 * copied to local memory, where all work-items read the same one at once. */

#define GROUP 128
#define NEIGHBOURS 27

/* A particle is x, y, z and half the square of its distance from the origin, so that half the
 * square of the distance of two is a.w + b.w - a.b. A force's w is the potential. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
lmd_forces(__global const float4 *particles, __global const float *charges,
           __global const int *neighbours, uint per_box, float decay, __global float4 *forces)
{
    __local float4 others[GROUP];
    __local float charge[GROUP];
    uint lid = get_local_id(0), box = get_group_id(0);
    bool has_particle = lid < per_box;
    uint mine = box * per_box + lid;
    float4 a = has_particle ? particles[mine] : (float4)(0.0f);
    float4 force = (float4)(0.0f);

    for (uint i = 0; i < NEIGHBOURS; i++) {
        int neighbour = neighbours[box * NEIGHBOURS + i];
        if (neighbour < 0)
            break; /* boxes at the border have fewer, listed first */
        barrier(CLK_LOCAL_MEM_FENCE);
        if (has_particle) {
            others[lid] = particles[neighbour * per_box + lid];
            charge[lid] = charges[neighbour * per_box + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!has_particle)
            continue;
        for (uint j = 0; j < per_box; j++) {
            float4 b = others[j];
            float half_square = a.w + b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
            float potential = charge[j] * exp(-decay * half_square);
            float pull = 2.0f * potential;
            force.w += potential;
            force.x += pull * (a.x - b.x);
            force.y += pull * (a.y - b.y);
            force.z += pull * (a.z - b.z);
        }
    }
    if (has_particle)
        forces[mine] = force;
}
