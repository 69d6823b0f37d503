// Stands between the connections and Node's HTTP server: as long as a client asks nothing but plain requests whose answers
// are prepared, each is one look-up and one write. With the first bytes that are anything else, the connection goes to the
// HTTP server for good, which behaves as if it had been there from the start.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FrontConnection, type FrontOptions } from './front-connection.ts';

/** To be called before anybody else listens for the server's connections. */
export function putInFront(server: Server, options: FrontOptions): void {
  const [toHttp, ...others] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (!toHttp || others.length > 0) throw new Error('The front must be the first to hear of connections');
  server.off('connection', toHttp);
  const front = { ...options, server, endOfHead: endOfHeads(options.keepAliveMs) };
  const held = new Set<FrontConnection>();
  server.on('connection', (socket) => {
    const connection = new FrontConnection(front, socket);
    held.add(connection);
    socket.once('close', () => held.delete(connection));
    connection.start((rest) => {
      held.delete(connection);
      toHttp.call(server, socket);
      if (rest.length > 0) socket.emit('data', rest);
    });
  });
  closeAlso(server, held);
}

/** Node knows only of connections that reached its parser. */
function closeAlso(server: Server, held: ReadonlySet<FrontConnection>): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const connection of held) connection.endWhenSent();
  };
  server.closeAllConnections = () => {
    closeAll();
    for (const connection of held) connection.destroy();
  };
}

/** As Node's server ends them; the date is made once a second. */
function endOfHeads(keepAliveMs: number): () => string {
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`;
  let madeAt = 0;
  let lines = '';
  return () => {
    const second = Math.floor(Date.now() / 1000);
    if (second === madeAt) return lines;
    madeAt = second;
    lines = `\r\nDate: ${new Date().toUTCString()}\r\n${kept}\r\n\r\n`;
    return lines;
  };
}
