// Whether pictures are analysed, and by whom.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import { type Option, OneOf } from '../../parts/choices.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useChangeAccount } from '../use-account.ts';
import { type AiDraft, changeBetween, draftOf } from './ai-draft.ts';
import { OpenAiFields } from './openai-fields.tsx';
import { refusedAiField } from './refused-ai-field.ts';

const onOrOff: readonly Option<'on' | 'off'>[] = [
  { value: 'on', label: 'On', hint: 'Pictures there are, and each new one, are described and can be found.' },
  { value: 'off', label: 'Off', hint: 'Captions there are stay, for when it is switched on again.' },
];
const providers: readonly Option<AiDraft['provider']>[] = [
  {
    value: 'openai',
    label: 'OpenAI, or a server that speaks its API',
    hint: 'It gets a small copy of each picture without metadata, each caption and each question.',
  },
  {
    value: 'local',
    label: 'Models of this service',
    hint: 'Nothing leaves the service, and no key is needed. Whoever runs it must have put the models there.',
  },
];

export function AiForm({ account }: { account: Account }) {
  const [draft, setDraft] = useState(() => draftOf(account));
  const queries = useQueryClient();
  const notices = useNotices();
  const change = useChangeAccount();
  const edit = (part: Partial<AiDraft>): void => setDraft({ ...draft, ...part });
  const wanted = changeBetween(account, draft);
  const save = (part: typeof wanted, told: string): void =>
    change.mutate(part, {
      onSuccess: (changed) => {
        setDraft(draftOf(changed));
        notices.done(told);
        void queries.invalidateQueries({ queryKey: ['analysis'] });
        void queries.invalidateQueries({ queryKey: ['search'] });
      },
    });
  return (
    <form
      className="card"
      aria-labelledby="analysis-settings"
      onSubmit={(event) => {
        event.preventDefault();
        save(wanted, 'The settings of the analysis are saved.');
      }}
    >
      <h2 id="analysis-settings">Settings</h2>
      <OneOf
        legend="Analysis"
        options={onOrOff}
        chosen={draft.isOn ? 'on' : 'off'}
        onChange={(value) => edit({ isOn: value === 'on' })}
      />
      <OneOf
        legend="Provider"
        options={providers}
        chosen={draft.provider}
        onChange={(provider) => edit({ provider })}
      />
      {draft.provider === 'openai' && (
        <OpenAiFields
          draft={draft}
          onEdit={edit}
          isKeySet={account.ai_key_configured}
          onClearKey={() => save({ openai_api_key: null }, 'The key of the provider is cleared.')}
          error={change.error}
        />
      )}
      {(draft.provider === 'local' || refusedAiField(change.error) === null) && (
        <Refusal error={change.error} />
      )}
      <div>
        <button
          type="submit"
          className="primary"
          disabled={change.isPending || Object.keys(wanted).length === 0}
        >
          {change.isPending ? 'Saving …' : 'Save'}
        </button>
      </div>
    </form>
  );
}
