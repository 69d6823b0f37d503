#!/usr/bin/env node
// Plain JavaScript so that any Node can read it: checks the version before anything newer is imported.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Tintype needs Node.js 24 or newer, this is ${process.version}. Start it with: npm start (or npm run tintype -- <command>)`,
  );
  process.exit(1);
}
const { main } = await import('../src/main.ts');
await main(process.argv.slice(2));
