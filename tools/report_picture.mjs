// A picture of a section of a report: node tools/report_picture.mjs build/report PAGE.html SECTION OUT.png
import { resolve } from 'node:path';
import { withPage } from '../test/report/browser.mjs';

const [packages, file, section, out] = process.argv.slice(2);
await withPage(resolve(packages), `file://${resolve(file)}`, { colorScheme: 'light', viewport: { width: 1180, height: 1400 } }, async (page) => {
  const element = page.locator(`#${section}`);
  await element.scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => [...document.querySelectorAll(`#${id} .chart`)].every((c) => c.instance), section);
  await element.screenshot({ path: out, style: 'section { padding: 16px; border: 0 } details, .lead { display: none }' });
});
