// A page in real Chromium: what it says on its console and asks of the network is kept.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

const TIMEOUT_MS = 180000; // of a machine with much else to do

/** Opens `url` and calls `use(page, heard)`; `packages` is the folder with node_modules. */
export async function withPage(packages, url, options, use) {
  const { chromium } = createRequire(join(packages, 'any.js'))('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'heddle-chromium-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS,
    viewport: { width: 1280, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const heard = { errors: [], requests: [] };
    page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') heard.errors.push(m.text()); });
    page.on('pageerror', (e) => heard.errors.push(e.stack));
    page.on('dialog', (d) => { heard.errors.push(`dialog: ${d.message()}`); d.dismiss(); });
    page.on('request', (r) => heard.requests.push(r.url()));
    await page.goto(url);
    await use(page, heard);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

let failures = 0;

export function check(what, holds) {
  if (holds) return;
  failures += 1;
  console.log(`FAILED: ${what}`);
}

const POLL_MS = 100;
const PATIENCE_MS = 30000;

/** Checks what holds only after the page has drawn: asks `holds()` until it says yes. It may be asked many times. */
export async function eventually(what, holds) {
  const end = Date.now() + PATIENCE_MS;
  const attempt = () => holds().then((held) => (held ? '' : 'no'), (error) => error.message);
  let answer = await attempt();
  while (answer && Date.now() < end) {
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    answer = await attempt();
  }
  check(`${what}: ${answer}`, !answer);
}

export function finish() {
  process.exit(failures ? 1 : 0);
}
