// One piece of work however many ask for it at once: within this process, or among all nodes of a service.
import { SingleFlight } from '../../lib/single-flight.ts';

export type FlightWork = {
  /** Whether the result is there by now, made by somebody else. */
  readonly look: () => Promise<boolean>;
  readonly make: () => Promise<void>;
};

export interface Flights {
  /** Resolves when the result is there, whoever made it. Rejects with what `make` threw here. */
  run(name: string, work: FlightWork): Promise<void>;
}

/** For a node that is alone. */
export class LocalFlights implements Flights {
  readonly #flight = new SingleFlight<void>();

  run(name: string, { make }: FlightWork): Promise<void> {
    return this.#flight.run(name, make);
  }
}
