// Turns of several processes at something only one can do at a time, in the order of asking. The turn of a process that
// ended is over.
import { Turns } from '../../lib/turns.ts';

export type TurnAnswers = { takeTurn(): Promise<void>; endTurn(): void };

export class SharedTurns {
  readonly #turns = new Turns();

  take(): Promise<() => void> {
    return this.#turns.take();
  }

  /** For one other process, which asks for one turn at a time. */
  forProcess(): { answers: TurnAnswers; ended(): void } {
    let endTurn = (): void => undefined;
    let gone = false;
    return {
      answers: {
        takeTurn: async () => {
          const end = await this.#turns.take();
          if (gone) end();
          else endTurn = end;
        },
        endTurn: () => endTurn(),
      },
      ended() {
        gone = true;
        endTurn();
      },
    };
  }
}
