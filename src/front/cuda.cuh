/* CUDA: see the next change. */
