// Builds the dashboard into dist/, which the service serves: the page at /, its files below /dashboard/.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// oxlint-disable-next-line import/no-default-export -- vite asks for it
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the page's policy allows only files of our own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The player, which comes with the first film.
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: Object.fromEntries(
      [
        'session',
        'user',
        'get',
        'upload',
        'update',
        'delete',
        'bulk',
        'create',
        'tags',
        'folders',
        'keys',
        'webhooks',
        'accounts',
        'analysis',
        'files',
        'storage',
        'docs',
        'openapi.json',
      ].map((path) => [`/${path}`, 'http://localhost:3000']),
    ),
  },
});
