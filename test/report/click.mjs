// Clicks through a page of `heddle report`: node click.mjs PACKAGES PAGE.html SCREENSHOTS
import { check, eventually, finish, withPage } from './browser.mjs';

const [packages, file, shots] = process.argv.slice(2);
const url = `file://${file}`;
const HOSTILE = '<script>alert(1)</script>';

const section = (page, id) => page.locator(`section#${id}`);
const width = (page) => page.evaluate(() => document.documentElement.scrollWidth);
const column = (page, id, n) => section(page, id).locator(`tbody tr td:nth-child(${n})`).allTextContents();

async function sorting(page) {
  const results = section(page, 'results');
  const cycles = async () => (await column(page, 'results', 9)).map((t) => Number(t.replace(/,/g, '')));
  await results.getByRole('button', { name: 'cycles' }).click();
  const ordered = async (before) => { const all = await cycles(); return all.length > 3 && all.every((v, i) => !i || before(all[i - 1], v)); };
  await eventually('a first click sorts numbers down', () => ordered((a, b) => a >= b));
  await results.getByRole('button', { name: 'cycles' }).click();
  await eventually('a second click sorts them up', () => ordered((a, b) => a <= b));
}

async function filtering(page) {
  const results = section(page, 'results');
  const before = (await column(page, 'results', 2)).length;
  await results.getByPlaceholder('Filter: kmn gto').fill('ss gto');
  await eventually('a filter leaves the rows with its words', async () => {
    const left = await column(page, 'results', 2);
    return left.length > 0 && left.length < before && left.every((w) => w === 'ss');
  });
  await results.locator('tbody tr').first().click();
  check('an opened row has its command', /^heddle run ss /.test(await results.locator('.command code').first().textContent()));
  await results.getByPlaceholder('Filter: kmn gto').fill('');
}

async function comparing(page) {
  const compare = section(page, 'compare');
  const option = () => compare.locator('[data-chart=speed-up]').evaluate((e) => {
    const o = e.instance.getOption();
    return { names: o.series.map((s) => s.name), first: o.series[0].data };
  });
  await compare.locator('[data-chart=speed-up] svg').waitFor();
  const linear = await option();
  check('speed-ups are over lrr', !linear.names.includes('lrr · lru') && linear.names.includes('gto · lru'));
  await compare.getByText('Logarithmic').click();
  await eventually('a logarithmic axis moves the bars',
    async () => Math.abs((await option()).first[0] - Math.log2(1 + linear.first[0])) < 1e-9);
  await compare.getByRole('group', { name: 'Machines' }).getByRole('button', { name: 'gto · lru' }).click();
  await eventually('a machine can be left out', async () => !(await option()).names.includes('gto · lru'));
}

const labelOf = async (where, pattern) => (await where.getByLabel('Result').locator('option').allTextContents()).find((l) => pattern.test(l));

/** What only an explained result has. */
async function explained(page) {
  await section(page, 'reuse').locator('[data-chart=reuse] svg').waitFor();
  check('loads are named by their source line', (await section(page, 'reuse').textContent()).includes('ss.cl:'));
  await section(page, 'counters').locator('.chips button').first().scrollIntoViewIfNeeded();
  await section(page, 'counters').getByRole('button', { name: 'resident_warps' }).click();
  await section(page, 'counters').locator('[data-chart="series resident_warps"] svg').waitFor();
  await section(page, 'latency').scrollIntoViewIfNeeded();
  await section(page, 'latency').locator('[data-chart=latency] svg').waitFor();
  const kernels = section(page, 'kernels');
  await kernels.getByLabel('Result').selectOption({ label: await labelOf(kernels, /^ss/) }); // the first result is the one that ended first
  await eventually('kernels are listed', async () => /ss_map/.test(await kernels.locator('tbody').first().textContent()));
}

async function zooming(page) {
  await section(page, 'warps').scrollIntoViewIfNeeded();
  const chart = section(page, 'warps').locator('[data-chart=timeline]');
  await chart.locator('canvas').waitFor();
  const span = () => chart.evaluate((e) => { const z = e.instance.getOption().dataZoom[0]; return z.endValue - z.startValue; });
  const all = await span();
  /* Charts above are drawn when they come into view, and move this one: ask for its place each time. */
  const point = async (x, y) => {
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + x * box.width, box.y + y);
  };
  await eventually(`scrolling in the timeline zooms it (${all})`, async () => {
    await point(0.5, 80);
    await page.mouse.wheel(0, -400);
    return await span() < all;
  });
  await eventually('a slice is named', async () => {
    await point(0.1 + Math.random() / 100, 52); // a pointer that stays where it is says nothing
    return /warp slot 0, cycle/.test(await section(page, 'warps').locator('.tip.floating').textContent());
  });
  await section(page, 'warps').getByRole('button', { name: 'whole run' }).click();
  await eventually('and shown whole again', async () => await span() === all);
}

async function themes(page) {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const bar = () => page.locator('[data-chart=measure]').evaluate((e) => e.instance.getOption().color[0]);
  await section(page, 'compare').scrollIntoViewIfNeeded();
  await page.locator('[data-chart=measure] svg').waitFor();
  const light = [await colour(), await bar()];
  await page.getByRole('button', { name: 'dark' }).click();
  await eventually('dark mode changes the page and its charts', async () => await colour() !== light[0] && await bar() !== light[1]);
  await page.screenshot({ path: `${shots}/dark.png` });
  await page.getByRole('button', { name: 'system' }).click();
}

async function escaping(page) {
  check('a hostile name is text', (await page.locator('#page').textContent()).includes(HOSTILE));
  check('and no element', await page.locator('#page script').count() === 0);
}

async function everySection(page) {
  for (const id of ['overview', 'compare', 'papers', 'latency', 'reuse', 'counters', 'warps', 'kernels', 'machines', 'results']) {
    await section(page, id).scrollIntoViewIfNeeded();
    const text = await section(page, id).textContent();
    check(`section ${id} has something to say`, text.length > 40 && !text.includes('could not be drawn'));
  }
}

await withPage(packages, url, { colorScheme: 'light' }, async (page, heard) => {
  await everySection(page);
  await sorting(page);
  await filtering(page);
  await comparing(page);
  await explained(page);
  await zooming(page);
  await themes(page);
  await escaping(page);
  await page.screenshot({ path: `${shots}/page.png`, fullPage: true });
  check(`nothing is asked of a network: ${heard.requests}`, heard.requests.every((r) => r === url || r.startsWith('data:')));
  check(`nothing is wrong on the console: ${heard.errors.join('; ')}`, heard.errors.length === 0);
});

await withPage(packages, url, { colorScheme: 'dark', viewport: { width: 390, height: 844 } }, async (page, heard) => {
  await eventually('a phone need not scroll sideways', async () => await width(page) <= 390);
  check('the system\'s dark mode is followed', await page.evaluate(() => document.documentElement.dataset.theme) === 'dark');
  await page.screenshot({ path: `${shots}/phone.png` });
  check(`nothing is wrong on a phone: ${heard.errors.join('; ')}`, heard.errors.length === 0);
});

/* A4 with Chromium's margins. */
await withPage(packages, url, { viewport: { width: 718, height: 1040 } }, async (page) => {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await eventually('a printed page is as wide as its paper', async () => await width(page) <= 718);
  await eventually('and has sections with something in them', async () => await page.locator('section:visible').count() > 3
    && await page.locator('section > .empty:visible').count() === 0);
  await page.screenshot({ path: `${shots}/print.png`, fullPage: true });
});
finish();
