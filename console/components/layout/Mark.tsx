/** The paw. index.html has it too, for the time before any script has run. */
export const Mark = () => (
  <svg class="mark" width="22" height="22" viewBox="-4 -4 24 24" aria-hidden="true">
    <circle cx="3" cy="7" r="2" />
    <circle cx="6.2" cy="3" r="2" />
    <circle cx="9.8" cy="3" r="2" />
    <circle cx="13" cy="7" r="2" />
    <path d="M8 7c2.6 0 4.6 2.7 4.6 4.9 0 2.9-2.6 2.6-4.6 2.1-2 .5-4.6.8-4.6-2.1C3.4 9.7 5.4 7 8 7z" />
  </svg>
);
