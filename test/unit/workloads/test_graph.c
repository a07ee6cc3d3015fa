/* Graphs of every shape, by what the words promise: none of these facts is used to make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/arena.h"
#include "workloads/graph.h"

enum { EDGES = 30000, DEGREE = 6 };

static struct graph graph;

static void make(enum graph_shape shape, uint32_t n_edges, uint32_t degree, uint64_t seed)
{
    struct workload_rng rng = {seed};
    graph_destroy(&graph);
    graph_create(&graph, shape, n_edges, degree, &rng);
}

static int free_graph(void **state)
{
    (void)state;
    graph_destroy(&graph);
    return 0;
}

static uint32_t degree_of(uint32_t v)
{
    return graph.first_edge[v + 1] - graph.first_edge[v];
}

static uint32_t edges_between(uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t e = graph.first_edge[from]; e < graph.first_edge[from + 1]; e++)
        n += graph.target[e] == to;
    return n;
}

/* How many nodes can be reached from node 0. */
static uint32_t count_reached(void)
{
    bool *is_reached = xcalloc(graph.n_nodes, sizeof *is_reached);
    uint32_t *stack = xcalloc(graph.n_nodes, sizeof *stack), depth = 1, n = 1;
    is_reached[0] = true;
    while (depth > 0) {
        uint32_t v = stack[--depth];
        for (uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; e++)
            if (!is_reached[graph.target[e]]) {
                is_reached[graph.target[e]] = true;
                stack[depth++] = graph.target[e];
                n++;
            }
    }
    free(is_reached);
    free(stack);
    return n;
}

static uint32_t largest_degree(void)
{
    uint32_t largest = 0;
    for (uint32_t v = 0; v < graph.n_nodes; v++)
        largest = degree_of(v) > largest ? degree_of(v) : largest;
    return largest;
}

static void every_shape_has_the_edges_asked_for_in_both_directions(void **state)
{
    (void)state;
    for (int shape = 0; shape < N_GRAPH_SHAPES; shape++)
        for (uint32_t odd = 0; odd < 2; odd++) {
            make((enum graph_shape)shape, 3000 + odd, DEGREE, 1);
            assert_int_equal(graph.n_edges, 3000);
            assert_int_equal(graph.first_edge[0], 0);
            assert_int_equal(graph.first_edge[graph.n_nodes], 3000);
            for (uint32_t v = 0; v < graph.n_nodes; v++)
                for (uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; e++) {
                    assert_in_range(graph.target[e], 0, graph.n_nodes - 1);
                    assert_int_equal(edges_between(v, graph.target[e]),
                                     edges_between(graph.target[e], v));
                }
        }
}

static void degrees_of_a_uniform_graph_scatter_around_their_mean(void **state)
{
    (void)state;
    make(GRAPH_UNIFORM, EDGES, DEGREE, 1);
    assert_int_equal(graph.n_nodes, EDGES / DEGREE);
    assert_in_range(largest_degree(), 2 * DEGREE, 5 * DEGREE); /* Poisson's tail ends there */
}

static void a_power_law_graph_has_hubs_and_is_connected(void **state)
{
    (void)state;
    make(GRAPH_POWER_LAW, EDGES, DEGREE, 1);
    assert_int_equal(graph.n_nodes, EDGES / DEGREE);
    assert_int_equal(count_reached(), graph.n_nodes);
    assert_true(largest_degree() > 10 * DEGREE);
    for (uint32_t v = 0; v < graph.n_nodes; v++)
        assert_int_equal(edges_between(v, v), 0);
    /* Hubs are anywhere: numbers say nothing of when a node came. */
    uint32_t in_first_half = 0;
    for (uint32_t v = 0; v < graph.n_nodes; v++)
        if (degree_of(v) > 4 * DEGREE)
            in_first_half += v < graph.n_nodes / 2 ? 1 : UINT16_MAX + 1;
    assert_true(in_first_half % (UINT16_MAX + 1) > 5 && in_first_half / (UINT16_MAX + 1) > 5);
}

/* Crossings are neighbours of those beside, above and below them; the number of columns is that of
 * a square. */
static void roads_join_the_crossings_of_a_grid(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 1000, EDGES, EDGES + 1234};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        make(GRAPH_ROAD, sizes[i], DEGREE, 3);
        uint32_t columns = 1;
        while ((columns + 1) * (columns + 1) <= sizes[i] / 2 * 3 / 4)
            columns++;
        assert_int_equal(graph.n_nodes % columns, 0);
        assert_int_equal(count_reached(), graph.n_nodes);
        for (uint32_t v = 0; v < graph.n_nodes; v++)
            for (uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; e++) {
                uint32_t w = graph.target[e], low = v < w ? v : w, high = v < w ? w : v;
                assert_true(high - low == columns || (high - low == 1 && high % columns != 0));
                assert_int_equal(edges_between(v, w), 1);
            }
        double mean = (double)graph.n_edges / graph.n_nodes;
        assert_true(mean > 2.6 && mean < 3.1);
    }
}

/* 1000 x 1000 points would have the 3,996,000 neighbours of the matrix "ecology". */
static void a_grid_is_a_five_point_stencil(void **state)
{
    enum { COLUMNS = 50, ROWS = 31, NODES = COLUMNS * ROWS };
    (void)state;
    graph_destroy(&graph);
    graph_create_grid(&graph, COLUMNS, ROWS);
    assert_int_equal(graph.n_nodes, NODES);
    assert_int_equal(graph.n_edges, 4 * NODES - 2 * COLUMNS - 2 * ROWS);
    for (uint32_t v = 0; v < NODES; v++) {
        assert_int_equal(edges_between(v, v + 1), v % COLUMNS + 1 < COLUMNS);
        assert_int_equal(edges_between(v, v - 1), v % COLUMNS > 0);
        assert_int_equal(edges_between(v, v + COLUMNS), v + COLUMNS < NODES);
        assert_int_equal(edges_between(v, v - COLUMNS), v >= COLUMNS);
    }
}

static void a_random_order_is_a_permutation(void **state)
{
    enum { N = 1000 };
    (void)state;
    struct workload_rng rng = {3};
    uint32_t order[N], seen[N] = {0}, in_place = 0;
    random_order(order, N, &rng);
    for (uint32_t i = 0; i < N; i++) {
        assert_in_range(order[i], 0, N - 1);
        assert_int_equal(seen[order[i]]++, 0);
        in_place += order[i] == i;
    }
    assert_true(in_place < 10); /* one on average */
}

static void a_tree_is_balanced(void **state)
{
    (void)state;
    make(GRAPH_TREE, 2 * (1 + 3 + 9 + 27) - 2, 4, 1); /* all levels are full */
    assert_int_equal(graph.n_nodes, 40);
    assert_int_equal(count_reached(), 40);
    assert_int_equal(degree_of(0), 3);
    for (uint32_t v = 1; v < 40; v++)
        assert_int_equal(degree_of(v), v < 13 ? 4 : 1);
}

static void seeds_make_other_graphs(void **state)
{
    (void)state;
    for (int shape = 0; shape < GRAPH_TREE; shape++) {
        make((enum graph_shape)shape, 1000, DEGREE, 1);
        uint32_t *first = xcalloc(1000, sizeof *first), differences = 0;
        for (uint32_t e = 0; e < 1000; e++)
            first[e] = graph.target[e];
        make((enum graph_shape)shape, 1000, DEGREE, 1);
        for (uint32_t e = 0; e < 1000; e++)
            assert_int_equal(graph.target[e], first[e]);
        make((enum graph_shape)shape, 1000, DEGREE, 2);
        for (uint32_t e = 0; e < 1000; e++)
            differences += graph.target[e] != first[e];
        assert_true(differences > 100);
        free(first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_has_the_edges_asked_for_in_both_directions),
        cmocka_unit_test(degrees_of_a_uniform_graph_scatter_around_their_mean),
        cmocka_unit_test(a_power_law_graph_has_hubs_and_is_connected),
        cmocka_unit_test(roads_join_the_crossings_of_a_grid),
        cmocka_unit_test(a_grid_is_a_five_point_stencil),
        cmocka_unit_test(a_random_order_is_a_permutation),
        cmocka_unit_test(a_tree_is_balanced),
        cmocka_unit_test(seeds_make_other_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, free_graph);
}
