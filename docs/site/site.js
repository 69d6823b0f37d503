// The light or dark that was chosen in the dashboard, and a button on each piece of code that copies it.
const theme = localStorage.getItem('tintype-theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

document.addEventListener('DOMContentLoaded', () => {
  // Browsers offer it only to pages that came safely.
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(block, button));
    block.append(button);
  }
});

async function copy(block, button) {
  await navigator.clipboard.writeText(block.querySelector('code').textContent);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}
