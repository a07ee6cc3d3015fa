/* A mesh of tetrahedra for the CFD workload. */
#ifndef HEDDLE_WORKLOADS_CFD_MESH_H
#define HEDDLE_WORKLOADS_CFD_MESH_H

#include "base/arena.h"
#include "workloads/workload.h"

enum { CFD_FACES = 4, CFD_AXES = 3 };
enum { CFD_WALL = -1, CFD_FAR_FIELD = -2 }; /* in the place of a neighbour; as in cfd.cl */

struct cfd_mesh {
    uint32_t n;           /* elements */
    uint32_t stride;      /* n, padded: the distance between rows of the arrays below */
    int32_t *neighbour;   /* [face][element] */
    float *inward_normal; /* [face][axis][element], as long as the face's area */
    float *surface;       /* [element], half the area of its faces */
};

/* Makes a mesh of exactly n elements in memory of `a`. Elements are numbered from one end of the
 * mesh to the other, but shuffled within windows of `window`: neighbours are near in memory, not
 * adjacent, as in meshes that come out of a generator. */
void cfd_mesh_create(struct cfd_mesh *m, struct arena *a, uint32_t n, uint32_t stride,
                     uint32_t window, struct workload_rng *rng);

#endif
