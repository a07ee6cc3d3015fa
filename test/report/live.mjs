// heddle serve, watched while a sweep adds to its store: node live.mjs PACKAGES HEDDLE SCRATCH
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import http from 'node:http';
import { check, finish, withPage } from './browser.mjs';

const [packages, heddle, scratch] = process.argv.slice(2);
const store = `${scratch}/results.db`;

const server = spawn(heddle, ['serve', '--store', store, '--port', '0']);
const ended = new Promise((resolve) => { server.on('exit', (code, signal) => resolve({ code, signal })); });
const first = await new Promise((resolve) => { server.stdout.once('data', (text) => resolve(String(text))); });
const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(first)[0];
const port = Number(new URL(url).port);

const ask = (path, options) => new Promise((resolve) => {
  const request = http.request({ host: '127.0.0.1', port, path, ...options }, (r) => {
    let body = '';
    r.on('data', (d) => { body += d; });
    r.on('end', () => resolve({ status: r.statusCode, body }));
  });
  request.end();
});

async function answers() {
  const progress = JSON.parse((await ask('/progress.json')).body);
  check('no sweep is running', progress.sweeps === 0 && progress.seconds_left === null);
  check('other names of the machine are refused', (await ask('/', { headers: { host: 'example.com' } })).status === 403);
  check('other paths are not found', (await ask('/etc/passwd')).status === 404);
  check('only GET is answered', (await ask('/', { method: 'POST' })).status === 405);
  const second = spawnSync(heddle, ['serve', '--store', store, '--port', String(port)]);
  check('a port in use is named', second.status === 4 && String(second.stderr).includes('in use'));
}

/** Rows of two sweeps: one that is alive, for which this process stands, and one of a process that is gone. */
function pretendSweeps() {
  const script = `import sqlite3, socket, sys
pid = sys.argv[2]
began = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()[19]
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO sweep VALUES (?, ?, ?, 10, 4, 2, 2, 30.0)", (socket.gethostname(), pid, began))
db.execute("INSERT INTO sweep VALUES (?, ?, ?, 500, 4, 2, 2, 30.0)", (socket.gethostname(), 1, "0"))
db.commit()`;
  execFileSync('python3', ['-c', script, store, String(process.pid)]);
}

await answers();
await withPage(packages, url, {}, async (page, heard) => {
  const live = page.locator('.live');
  await live.getByText('No sweep is running').waitFor();
  check('two results', await page.locator('.tile b').first().textContent() === '2');
  execFileSync(heddle, ['sweep', `${scratch}/more.yaml`, '--store', store]);
  await page.waitForFunction(() => document.querySelector('.tile b').textContent === '4');
  pretendSweeps();
  await live.getByText('4 of 10 points, 2 running, about 1 min 30 s left').waitFor();
  check(`all requests are to the server: ${heard.requests}`, heard.requests.every((r) => r.startsWith(url) || r.startsWith('data:')));
  check(`nothing is wrong on the console: ${heard.errors}`, heard.errors.length === 0);
  renameSync(store, `${store}.away`);
  await page.locator('.live.lost').waitFor();
  check('a store that is gone is named', (await live.textContent()).includes('results.db'));
  check('and not made again', !existsSync(store));
  renameSync(`${store}.away`, store);
  await page.locator('.live:not(.lost)').waitFor();
  server.kill('SIGINT');
  await live.getByText('heddle serve has ended').waitFor();
});
const end = await ended;
check(`Ctrl-C ends it well (${JSON.stringify(end)})`, end.code === 0);
finish();
