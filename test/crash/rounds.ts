// Rounds of load, death and recovery on one data folder that lives through all of them. Each round ends the service by
// SIGKILL, of its whole group, of its leader alone, or by itself at a failpoint; starts it again and checks everything.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDisk } from './checks/check-disk.ts';
import { checkService } from './checks/check-service.ts';
import { settle } from './checks/settle.ts';
import { Load } from './load/load.ts';
import { Model } from './model.ts';
import type { Death } from './plan.ts';
import type { Random } from '../support/random.ts';
import { Service } from './service.ts';
import { UploadMaker } from './uploads.ts';

const clients = 8;
const maxLoadMs = 1500;
const failpointMs = 20_000;
const workersEndMs = 5_000;
/** The goal is 5 s; other processes may load the machine. */
const maxReadyMs = 20_000;

export class Rounds {
  readonly model = new Model();
  readonly readyMs: number[] = [];
  readonly reached = new Set<string>();
  kills = 0;
  /** How often image workers lost their server and had to end by themselves. */
  orphanedWorkers = 0;
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #uploads: UploadMaker;
  #service: Service | null = null;

  static async create(dataDir: string, random: Random): Promise<Rounds> {
    return new Rounds(dataDir, random, await UploadMaker.create(random));
  }

  private constructor(dataDir: string, random: Random, uploads: UploadMaker) {
    this.#dataDir = dataDir;
    this.#random = random;
    this.#uploads = uploads;
  }

  async run(death: Death): Promise<void> {
    if (death.kind === 'failpoint') await this.#dieAt(death.failpoint, death.pass);
    else await this.#kill(death.kind, death.afterWrites);
    this.kills += 1;
    await this.#recover();
  }

  /** Ends what still runs. */
  async end(): Promise<void> {
    await this.#service?.killGroup();
    this.#service = null;
  }

  async #kill(whom: 'group' | 'leader', afterWrites: number): Promise<void> {
    const service = this.#service ?? (await this.#start());
    const load = this.#load(service);
    const running = load.run(clients);
    await Promise.race([running, this.#acknowledged(afterWrites)]);
    const workers = service.members().length - 1;
    if (whom === 'leader') await service.killLeader();
    else service.killNow();
    await running;
    await this.#expectNobodyLeft(service, whom === 'leader' ? workers : 0);
  }

  /** So many writes from now, or as many as come in a while, and then at any moment of those that follow. */
  async #acknowledged(writes: number): Promise<void> {
    const enough = this.model.acknowledged + writes;
    const deadline = Date.now() + maxLoadMs;
    while (this.model.acknowledged < enough && Date.now() < deadline) await sleep(1);
    await sleep(this.#random.between(0, 20));
  }

  async #dieAt(failpoint: string, pass: number): Promise<void> {
    await this.end();
    const service = await Service.start({ dataDir: this.#dataDir, failpoint: `${failpoint}@${pass}` });
    this.#service = service;
    const died = service.fell.then(() => true);
    const load = this.#load(service);
    const running = (await service.ready()) === null ? Promise.resolve() : load.run(clients);
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), failpointMs).unref());
    const diedInTime = await Promise.race([died, late, running.then(() => died)]);
    // One of several processes: the others fall with it.
    if (diedInTime) await service.killLeader();
    load.stop();
    assert.ok(diedInTime, `the failpoint ${failpoint} was not reached`);
    await running;
    assert.match(service.said, new RegExp(`^died at failpoint ${failpoint}$`, 'm'));
    this.reached.add(failpoint);
    await this.#expectNobodyLeft(service, service.members().length);
  }

  /** A kill of the group leaves nobody; when only the server died, its workers must notice and end. */
  async #expectNobodyLeft(service: Service, orphans: number): Promise<void> {
    const gone = await service.allGone(workersEndMs);
    const left = service.members();
    await service.killGroup();
    this.#service = null;
    assert.ok(gone, `processes ${left.join(', ')} outlived the server`);
    this.orphanedWorkers += orphans;
  }

  async #recover(): Promise<void> {
    const { api } = await this.#start();
    await settle(api, this.model);
    await checkService(api, this.model);
    await checkDisk(api, this.model, this.#dataDir);
  }

  async #start(): Promise<Service> {
    const service = await Service.start({ dataDir: this.#dataDir });
    this.#service = service;
    const readyMs = await service.ready();
    assert.ok(readyMs !== null, `the service did not start:\n${service.said}`);
    assert.ok(readyMs < maxReadyMs, `ready only after ${readyMs} ms`);
    this.readyMs.push(readyMs);
    return service;
  }

  #load(service: Service): Load {
    return new Load({ api: service.api, model: this.model, random: this.#random, uploads: this.#uploads });
  }
}
