// Films of an account of their own, uploaded while nodes die: each must end ready, be playable from every node, and be told of
// under one id.
import assert from 'node:assert/strict';
import type { Api, Request } from '../crash/api.ts';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import type { Receiver } from '../support/receivers.ts';
import type { TintypeNode } from './tintype-node.ts';

/** Deaths while it is worked on make a film wait longer each time. */
const readyWithinMs = 240_000;
export const film = makeFilm({ container: 'avi', seconds: 4, width: 480, height: 270 });

export type FilmDetails = { object_id: string; status: string; progress: number; video_url: string };

export class WatchedFilms {
  readonly ids: string[] = [];
  readonly #key: string;

  /** The account, with an endpoint that hears of its films. */
  static async create(api: Api, receiver: Receiver): Promise<WatchedFilms> {
    const body = { email: 'films@tintype.test', tier: 'enterprise' };
    const { api_key: key } = await api.askJson<{ api_key: string }>('/accounts/', { method: 'POST', body });
    const films = new WatchedFilms(key);
    // Apart from the pictures, whose folder is looked at file by file.
    await api.ask('/user/', films.#asAccount({ method: 'PATCH', body: { storage_backend: 'storage' } }));
    await api.askJson('/webhooks/', films.#asAccount({ method: 'POST', body: { url: receiver.url } }));
    return films;
  }

  private constructor(key: string) {
    this.#key = key;
  }

  /** False when it was not acknowledged. */
  async upload(api: Api): Promise<boolean> {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(film)]), 'film.avi');
    const answer = await api.send('/upload/', this.#asAccount({ method: 'POST', body }));
    if (answer?.status !== 200) return false;
    this.ids.push((JSON.parse(String(answer.bytes)) as FilmDetails).object_id);
    return true;
  }

  details(api: Api, id: string): Promise<FilmDetails> {
    return api.askJson<FilmDetails>(`/get/${id}`, this.#asAccount({}));
  }

  async check(nodes: readonly TintypeNode[], receiver: Receiver): Promise<void> {
    for (const id of this.ids) {
      const [first] = nodes as [TintypeNode];
      const { video_url: url } = await eventually(async () => {
        const details = await this.details(first.api, id);
        assert.equal(details.status, 'ready', JSON.stringify(details));
        return details;
      }, readyWithinMs);
      for (const { api } of nodes)
        assert.match(String((await api.ask(new URL(url).pathname)).bytes), /^#EXTM3U/);
      await eventually(() => assert.equal(this.#toldOf(receiver, id).size, 1), 30_000);
    }
  }

  #toldOf(receiver: Receiver, id: string): Set<string> {
    const told = receiver.received.filter(({ event }) => event.data.object_id === id);
    return new Set(told.map((one) => `${one.event.type} ${one.id}`));
  }

  #asAccount(request: Request): Request {
    return { ...request, headers: { Authorization: `Bearer ${this.#key}` } };
  }
}
