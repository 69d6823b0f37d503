// ipx as its documentation serves a folder: its own HTTP handler on a Node server, all else at its defaults. Run as a
// process: `ipx-server.ts <file of its module> <folder>`; prints its port.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';

type Ipx = {
  createIPX: (options: { storage: unknown }) => unknown;
  createIPXNodeServer: (ipx: unknown) => RequestListener;
  ipxFSStorage: (options: { dir: string }) => unknown;
};

const [, , moduleFile, folder] = process.argv as [string, string, string, string];
const { createIPX, createIPXNodeServer, ipxFSStorage } = (await import(
  pathToFileURL(moduleFile).href
)) as Ipx;

const server = createServer(createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir: folder }) })));
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
