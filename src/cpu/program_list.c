/* The programs: Debian's, and some of Heddle's own (cpu/native). */
#include <stddef.h>

#include "cpu/program_list.h"

#define MILLION 1000000ull

static const char perl_script[] =
    "my (%n, @w); while (<>) { for (split /[ ,.]+/) { $n{$_}++; push @w, scalar reverse $_ } } "
    "my $x = 0; for (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n) { "
    "$x += $n{$_} if /(an|in|on).*e/; s/([aeiou])/<$1>/g; $x ^= length } "
    "for (@w) { $x++ if exists $n{$_} } print \"$x\\n\";";

static const char python_script[] =
    "import sys\n"
    "state = 1\n"
    "def roll(n):\n"
    "    global state\n"
    "    state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1\n"
    "    return (state >> 33) % n\n"
    "N = 60000\n"
    "graph = {i: [roll(N) for _ in range(4)] for i in range(N)}\n"
    "class Node:\n"
    "    def __init__(self, name): self.name, self.depth, self.seen = name, 0, []\n"
    "nodes = [Node(str(i)) for i in range(N)]\n"
    "for start in range(20):\n"
    "    depth, front = {start: 0}, [start]\n"
    "    while front:\n"
    "        after = []\n"
    "        for i in front:\n"
    "            for j in graph[i]:\n"
    "                if j not in depth:\n"
    "                    depth[j] = depth[i] + 1\n"
    "                    nodes[j].depth += depth[j]\n"
    "                    after.append(j)\n"
    "        front = after\n"
    "    nodes.sort(key=lambda n: (n.depth, n.name))\n";

static const char sql[] =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, k INTEGER, name TEXT, v INTEGER);"
    "WITH RECURSIVE n(i, x) AS (SELECT 1, 12345 UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % "
    "2147483648 FROM n WHERE i < 20000) INSERT INTO t SELECT i, x % 7000, 'name' || (x % 5003), x "
    "% 1000 FROM n;"
    "CREATE INDEX by_k ON t(k); CREATE INDEX by_name ON t(name, v);"
    "SELECT count(*), sum(a.v * b.v) FROM t a JOIN t b ON a.k = b.id WHERE a.v < b.v;"
    "SELECT name, count(*), max(v) FROM t GROUP BY name ORDER BY 2 DESC, 1 LIMIT 10;"
    "UPDATE t SET v = v + 1 WHERE k % 7 = 3; SELECT sum(v) FROM t WHERE name LIKE '%77%';"
    "SELECT count(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.k = a.k AND b.id > a.id);";

#define TEXT                                                                                       \
    {                                                                                              \
        "text", cpu_input_text                                                                     \
    }

const struct listed_program program_list[] = {
    {{"bzip2", "compresses text (Burrows-Wheeler)", "/usr/bin/bzip2", "bzip2", 150 * MILLION,
      10 * MILLION},
     {"bzip2", "-9", "-c", "text"},
     {TEXT}},
    {{"xz", "compresses text (LZMA)", "/usr/bin/xz", "xz-utils", 60 * MILLION, 10 * MILLION},
     {"xz", "-6", "-T1", "-c", "text"},
     {TEXT}},
    {{"gzip", "compresses text (deflate)", "/usr/bin/gzip", "gzip", 20 * MILLION, 10 * MILLION},
     {"gzip", "-6", "-c", "text"},
     {TEXT}},
    {{"perl", "counts, sorts and rewrites words", "/usr/bin/perl", "perl", 60 * MILLION,
      10 * MILLION},
     {"perl", "-e", perl_script, "text"},
     {TEXT}},
    {{"python3", "walks a graph of dictionaries and objects", "/usr/bin/python3", "python3",
      150 * MILLION, 10 * MILLION},
     {"python3", "-I", "-S", "-c", python_script},
     {{0}}},
    {{"sqlite3", "fills, indexes and joins tables in memory", "/usr/bin/sqlite3", "sqlite3",
      200 * MILLION, 10 * MILLION},
     {"sqlite3", "-batch", "-init", "/dev/null", ":memory:", sql},
     {{0}}},
    {{"cc1", "compiles C (gcc -O2)", "/usr/lib/gcc/*/*/cc1", "gcc", 60 * MILLION, 10 * MILLION},
     {"cc1", "-quiet", "-O2", "-o", "/dev/null", "source.c"},
     {{"source.c", cpu_input_c}}},
    {{"xsltproc", "sorts and groups an XML document", "/usr/bin/xsltproc", "xsltproc", 60 * MILLION,
      10 * MILLION},
     {"xsltproc", "--nonet", "style.xsl", "records.xml"},
     {{"style.xsl", cpu_input_xsl}, {"records.xml", cpu_input_xml}}},
    {{"ccx", "solves a block of finite elements (CalculiX)", "/usr/bin/ccx", "calculix-ccx",
      150 * MILLION, 10 * MILLION},
     {"ccx", "-i", "block"},
     {{"block.inp", cpu_input_mesh}}},
    {{"chase", "follows pointers through 32 MB, like mcf", "heddle-native", NULL, 30 * MILLION,
      10 * MILLION},
     {"heddle-native", "chase"},
     {{0}}},
    {{"lattice", "streams through two lattices of 18 MB, like lbm", "heddle-native", NULL,
      20 * MILLION, 10 * MILLION},
     {"heddle-native", "lattice"},
     {{0}}},
    {{"fluid", "the same with the directions of a cell written out, like lbm", "heddle-native",
      NULL, 30 * MILLION, 10 * MILLION},
     {"heddle-native", "fluid"},
     {{0}}},
    {{"matmul", "multiplies matrices that fit into L2", "heddle-native", NULL, 1 * MILLION,
      10 * MILLION},
     {"heddle-native", "matmul"},
     {{0}}},
};
const uint32_t program_list_n = sizeof program_list / sizeof program_list[0];
