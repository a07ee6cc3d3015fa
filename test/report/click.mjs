// Clicks through a page of `heddle report`: node click.mjs PACKAGES PAGE.html SCREENSHOTS
import { check, finish, withPage } from './browser.mjs';

const [packages, file, shots] = process.argv.slice(2);
const url = `file://${file}`;
const HOSTILE = '<script>alert(1)</script>';

const section = (page, id) => page.locator(`section#${id}`);
const column = (page, id, n) => section(page, id).locator(`tbody tr td:nth-child(${n})`).allTextContents();

async function sorting(page) {
  const results = section(page, 'results');
  const cycles = async () => (await column(page, 'results', 9)).map((t) => Number(t.replace(/,/g, '')));
  await results.getByRole('button', { name: 'cycles' }).click();
  const down = await cycles();
  check('a first click sorts numbers down', down.length > 3 && down.every((v, i) => !i || down[i - 1] >= v));
  await results.getByRole('button', { name: 'cycles' }).click();
  const up = await cycles();
  check('a second click sorts them up', up.every((v, i) => !i || up[i - 1] <= v));
}

async function filtering(page) {
  const results = section(page, 'results');
  const before = (await column(page, 'results', 2)).length;
  await results.getByPlaceholder('Filter: kmn gto').fill('ss gto');
  const left = await column(page, 'results', 2);
  check('a filter leaves the rows with its words', left.length > 0 && left.length < before && left.every((w) => w === 'ss'));
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
  await compare.locator('[data-chart=speed-up] svg').waitFor();
  const log = await option();
  check('a logarithmic axis moves the bars', Math.abs(log.first[0] - Math.log2(1 + linear.first[0])) < 1e-9);
  await compare.getByRole('group', { name: 'Machines' }).getByRole('button', { name: 'gto · lru' }).click();
  await compare.locator('[data-chart=speed-up] svg').waitFor();
  check('a machine can be left out', !(await option()).names.includes('gto · lru'));
}

/** What only an explained result has. */
async function explained(page) {
  await section(page, 'reuse').locator('[data-chart=reuse] svg').waitFor();
  check('loads are named by their source line', (await section(page, 'reuse').textContent()).includes('ss.cl:'));
  await section(page, 'counters').locator('.chips button').first().scrollIntoViewIfNeeded();
  await section(page, 'counters').getByRole('button', { name: 'resident_warps' }).click();
  await section(page, 'counters').locator('[data-chart="series resident_warps"] svg').waitFor();
  await section(page, 'latency').scrollIntoViewIfNeeded();
  await section(page, 'latency').locator('[data-chart=latency] svg').waitFor();
  check('kernels are listed', /(ss_map|bp_)/.test(await section(page, 'kernels').locator('tbody').first().textContent()));
}

async function zooming(page) {
  await section(page, 'warps').scrollIntoViewIfNeeded();
  const chart = section(page, 'warps').locator('[data-chart=timeline]');
  await chart.locator('canvas').waitFor();
  const span = () => chart.evaluate((e) => { const z = e.instance.getOption().dataZoom[0]; return z.endValue - z.startValue; });
  const all = await span();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 80);
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(300);
  const near = await span();
  check(`scrolling in the timeline zooms it (${all} to ${near})`, near < all);
  await page.mouse.move(box.x + 120, box.y + 52);
  check('a slice is named', /warp slot 0, cycle/.test(await section(page, 'warps').locator('.tip.floating').textContent()));
  await section(page, 'warps').getByRole('button', { name: 'whole run' }).click();
  await page.waitForTimeout(300);
  check('and shown whole again', await span() === all);
}

async function themes(page) {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const bar = () => page.locator('[data-chart=measure]').evaluate((e) => e.instance.getOption().color[0]);
  await section(page, 'compare').scrollIntoViewIfNeeded();
  await page.locator('[data-chart=measure] svg').waitFor();
  const light = [await colour(), await bar()];
  await page.getByRole('button', { name: 'dark' }).click();
  const dark = [await colour(), await bar()];
  check('dark mode changes the page and its charts', light[0] !== dark[0] && light[1] !== dark[1]);
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
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(`a phone need not scroll sideways (${width})`, width <= 390);
  check('the system\'s dark mode is followed', await page.evaluate(() => document.documentElement.dataset.theme) === 'dark');
  await page.screenshot({ path: `${shots}/phone.png` });
  check(`nothing is wrong on a phone: ${heard.errors.join('; ')}`, heard.errors.length === 0);
});

/* A4 with Chromium's margins. */
await withPage(packages, url, { viewport: { width: 718, height: 1040 } }, async (page) => {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(`a printed page is as wide as its paper (${width})`, width <= 718);
  const sections = await page.locator('section:visible').count();
  const empty = await page.locator('section > .empty:visible').count();
  check(`and has sections with something in them (${sections}, ${empty} empty)`, sections > 3 && empty === 0);
  await page.screenshot({ path: `${shots}/print.png`, fullPage: true });
});
finish();
