// Builds the dashboard, with a compressed copy beside each file. Without vite (an install of production packages alone)
// it says so and leaves the rest working.
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const folder = fileURLToPath(new URL('../dashboard', import.meta.url));
const built = join(folder, 'dist');

export async function buildDashboard(): Promise<void> {
  const vite = await import('vite').catch(() => null);
  if (!vite) {
    // Built somewhere else and copied, as in an image.
    if (existsSync(join(built, 'index.html'))) return;
    console.error('The dashboard is not built: vite is not installed (npm ci without --omit=dev brings it).');
    return;
  }
  await vite.build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });
  const files = await readdir(built, { recursive: true, withFileTypes: true });
  for (const file of files)
    if (file.isFile() && /\.(js|css|html|svg)$/.test(file.name))
      await compress(join(file.parentPath, file.name));
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

if (import.meta.main) {
  const isMissing = !existsSync(join(built, 'index.html'));
  if (isMissing || !process.argv.includes('--if-missing')) await buildDashboard();
}
