// Bundles the page into one HTML file: node build.mjs OUT.html. Run where node_modules lies; the
// sources lie beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(process.cwd(), 'node_modules');
const { build } = createRequire(join(modules, 'any.js'))('esbuild');
const [out] = process.argv.slice(2);

const bundle = async (entry) => {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    legalComments: 'none', // all licences are in the page as a whole
    nodePaths: [modules],
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
};

const licences = ['echarts/LICENSE', 'echarts/NOTICE', 'zrender/LICENSE', 'tslib/LICENSE.txt']
  .map((file) => `${file}\n\n${readFileSync(join(modules, file), 'utf8')}`)
  .join('\n\n');
if (/<\//.test(licences)) throw new Error('a licence would end the element that holds it');

// A function as the replacement: '$' in the bundle has no meaning.
const page = readFileSync(join(here, 'page.html'), 'utf8');
const style = await bundle('style.css');
const script = await bundle('main.js');
writeFileSync(out, page.replace('<!-- STYLE -->', () => `<style>\n${style}</style>`)
  .replace('<!-- LICENCES -->', () => licences)
  .replace('<!-- SCRIPT -->', () => `<script>\n${script}</script>`));
