// The page's start: what every part of it needs, then the page itself.
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { NoticeProvider } from './parts/notices.tsx';
import { applyTheme } from './parts/theme.ts';
import { queryClient } from './query-client.ts';

applyTheme();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <NoticeProvider>
          <App />
        </NoticeProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  </StrictMode>,
);
