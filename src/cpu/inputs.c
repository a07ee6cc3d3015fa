#include "cpu/inputs.h"

#include "base/splitmix.h"

struct dice {
    uint64_t state;
};

static uint32_t roll(struct dice *d, uint32_t n)
{
    d->state += SPLITMIX_STEP;
    return (uint32_t)(splitmix(d->state) % n);
}

/* The smallest of three: small numbers are frequent. */
static uint32_t roll_low(struct dice *d, uint32_t n)
{
    uint32_t least = n;
    for (int i = 0; i < 3; i++) {
        uint32_t r = roll(d, n);
        least = r < least ? r : least;
    }
    return least;
}

/* --- text --- */

enum { N_WORDS = 20000, TEXT_BYTES = 6 << 20 };

/* The word with that number, always the same. */
static void add_word(struct strbuf *out, uint32_t number)
{
    static const char *const syllables[] = {"an", "be",  "cor", "de",  "er",   "fin", "gra", "hen",
                                            "in", "jo",  "ka",  "lo",  "men",  "nor", "on",  "per",
                                            "re", "sta", "ti",  "un",  "ver",  "wo",  "yes", "zen",
                                            "al", "ble", "cha", "dis", "ment", "out", "pro", "sh"};
    enum { N_SYLLABLES = sizeof syllables / sizeof syllables[0] };
    do {
        strbuf_add(out, syllables[number % N_SYLLABLES]);
        number /= N_SYLLABLES;
    } while (number);
}

void cpu_input_text(struct strbuf *out)
{
    struct dice d = {1};
    while (out->len < TEXT_BYTES) {
        uint32_t n = 4 + roll(&d, 15);
        for (uint32_t i = 0; i < n; i++) {
            add_word(out, roll_low(&d, N_WORDS));
            strbuf_add(out, i + 1 < n ? roll(&d, 9) ? " " : ", " : roll(&d, 4) ? ". " : ".\n");
        }
    }
}

/* --- C --- */

static void add_statement(struct strbuf *out, struct dice *d)
{
    static const char operators[] = "+-*&|^";
    uint32_t to = roll(d, 8), from = roll(d, 8), other = roll(d, 8);
    char op = operators[roll(d, sizeof operators - 1)];
    switch (roll(d, 5)) {
    case 0:
        strbuf_addf(out, "    if (v[%u] > v[%u] %c %uu)\n        v[%u] += t->next->value;\n", from,
                    other, op, roll(d, 1000), to);
        break;
    case 1:
        strbuf_addf(out,
                    "    for (unsigned i = 0; i < %uu; i++)\n        v[%u] %c= table[i] >> 3;\n",
                    3 + roll(d, 40), to, op);
        break;
    case 2:
        strbuf_addf(out, "    t = t->next; v[%u] = t->value %c v[%u];\n", to, op, from);
        break;
    default:
        strbuf_addf(out, "    v[%u] = (v[%u] %c v[%u]) %% %uu;\n", to, from, op, other,
                    2 + roll(d, 9999));
    }
}

void cpu_input_c(struct strbuf *out)
{
    enum { N_FUNCTIONS = 1500 };
    struct dice d = {2};
    strbuf_add(out, "struct node { struct node *next; unsigned value; };\n"
                    "extern unsigned table[64];\n");
    for (uint32_t f = 0; f < N_FUNCTIONS; f++) {
        uint32_t n = 5 + roll(&d, 30);
        strbuf_addf(out, "unsigned f%u(struct node *t, unsigned a)\n{\n", f);
        strbuf_add(out, "    unsigned v[8] = {a, a + 1, a * 3, a ^ 7};\n");
        for (uint32_t i = 0; i < n; i++)
            add_statement(out, &d);
        if (f)
            strbuf_addf(out, "    v[0] += f%u(t->next, v[1]);\n", roll(&d, f));
        strbuf_add(out, "    return v[0] + v[3] + v[5];\n}\n");
    }
}

/* --- XML --- */

void cpu_input_xml(struct strbuf *out)
{
    enum { N_RECORDS = 20000 };
    struct dice d = {3};
    strbuf_add(out, "<?xml version=\"1.0\"?>\n<records>\n");
    for (uint32_t i = 0; i < N_RECORDS; i++) {
        strbuf_addf(out, "<record id=\"%u\"><group>", i);
        add_word(out, roll_low(&d, 300));
        strbuf_add(out, "</group><name>");
        add_word(out, roll(&d, N_WORDS));
        strbuf_addf(out, "</name><value>%u</value></record>\n", roll(&d, 100000));
    }
    strbuf_add(out, "</records>\n");
}

void cpu_input_xsl(struct strbuf *out)
{
    strbuf_add(
        out,
        "<?xml version=\"1.0\"?>\n"
        "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\">\n"
        "<xsl:key name=\"groups\" match=\"record\" use=\"group\"/>\n"
        "<xsl:template match=\"/records\"><html>\n"
        "<xsl:for-each select=\"record[generate-id() = generate-id(key('groups', group)[1])]\">\n"
        "<xsl:sort select=\"group\"/><h1><xsl:value-of select=\"group\"/>\n"
        "<xsl:value-of select=\"sum(key('groups', group)/value)\"/></h1>\n"
        "<xsl:for-each select=\"key('groups', group)\"><xsl:sort select=\"name\"/>\n"
        "<p><xsl:value-of select=\"concat(name, ' ', value)\"/></p></xsl:for-each>\n"
        "</xsl:for-each></html></xsl:template></xsl:stylesheet>\n");
}

/* --- finite elements --- */

enum { MESH_X = 12, MESH_Y = 8, MESH_Z = 8 }; /* elements */

static uint32_t mesh_node(uint32_t x, uint32_t y, uint32_t z)
{
    return 1 + x + (MESH_X + 1) * (y + (MESH_Y + 1) * z);
}

static void add_element(struct strbuf *out, uint32_t x, uint32_t y, uint32_t z)
{
    strbuf_addf(out, "%u,%u,%u,%u,%u,%u,%u,%u,%u\n", 1 + x + MESH_X * (y + MESH_Y * z),
                mesh_node(x, y, z), mesh_node(x + 1, y, z), mesh_node(x + 1, y + 1, z),
                mesh_node(x, y + 1, z), mesh_node(x, y, z + 1), mesh_node(x + 1, y, z + 1),
                mesh_node(x + 1, y + 1, z + 1), mesh_node(x, y + 1, z + 1));
}

static void add_face(struct strbuf *out, uint32_t x, const char *what)
{
    for (uint32_t z = 0; z <= MESH_Z; z++)
        for (uint32_t y = 0; y <= MESH_Y; y++)
            strbuf_addf(out, "%u,%s\n", mesh_node(x, y, z), what);
}

void cpu_input_mesh(struct strbuf *out)
{
    strbuf_add(out, "*NODE, NSET=ALL\n");
    for (uint32_t z = 0; z <= MESH_Z; z++)
        for (uint32_t y = 0; y <= MESH_Y; y++)
            for (uint32_t x = 0; x <= MESH_X; x++)
                strbuf_addf(out, "%u,%u.,%u.,%u.\n", mesh_node(x, y, z), x, y, z);
    strbuf_add(out, "*ELEMENT, TYPE=C3D8, ELSET=BLOCK\n");
    for (uint32_t z = 0; z < MESH_Z; z++)
        for (uint32_t y = 0; y < MESH_Y; y++)
            for (uint32_t x = 0; x < MESH_X; x++)
                add_element(out, x, y, z);
    strbuf_add(out, "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000.,0.3\n"
                    "*SOLID SECTION, ELSET=BLOCK, MATERIAL=STEEL\n*BOUNDARY\n");
    add_face(out, 0, "1,3");
    strbuf_add(out, "*STEP\n*STATIC\n*CLOAD\n");
    add_face(out, MESH_X, "3,-1.");
    strbuf_add(out, "*NODE PRINT, NSET=ALL\nU\n*END STEP\n");
}
