// After the secret of one's own key has changed: signs in with the new one. Tried some times, because a session that ends
// now would take the only sight of that secret with it.
import { tintype } from '../../api.ts';
import { isPassing } from '../../query-client.ts';

const tries = 5;
const pauseMs = 500;

export async function staySignedIn(apiKey: string): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    try {
      await tintype.session.signIn(apiKey);
      return;
    } catch (error) {
      if (!isPassing(error)) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
