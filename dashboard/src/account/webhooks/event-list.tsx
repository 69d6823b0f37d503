// What events there are, and what each means.
import { type Fact, Facts } from '../../parts/facts.tsx';
import { eventOptions } from './event-options.ts';

const events: readonly Fact[] = [
  ...eventOptions.map(({ value, hint }): Fact => [value, hint]),
  ['webhook.test', 'You asked for it. It goes to that webhook only.'],
];

export function EventList() {
  return (
    <section className="card" aria-labelledby="events">
      <h2 id="events">Events</h2>
      <Facts facts={events} areNamesCode />
    </section>
  );
}
