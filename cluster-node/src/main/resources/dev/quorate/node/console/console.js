// The page: events, colours, and the stream that updates it. Closed while nobody sees the page.

const MAX_EVENTS = 500;

// ---- Events.

let lastEvent = 0;

function addEvent(event) {
  if (event.sequence <= lastEvent) return;
  lastEvent = event.sequence;
  const style = {info: 'dim', warning: 'warn', error: 'bad'}[event.severity] || 'dim';
  const item = element('li', undefined, event.severity === 'info' ? 'info' : '');
  const time = element('time', new Date(event.time).toLocaleString());
  time.dateTime = event.time;
  item.append(time, element('span', event.severity, style), element('span', event.text));
  const list = $('event-list');
  list.prepend(item);
  const member = wantedMember();
  if (member && isOf(item, member)) listEventsOf(member);
  while (list.children.length > MAX_EVENTS) list.lastChild.remove();
  $('no-events').hidden = true;
}

$('severity').addEventListener('change', () => $('event-list').classList.toggle('few', $('severity').value !== 'all'));

// ---- Light and dark.

function theme(name) {
  document.documentElement.dataset.theme = name;
  document.documentElement.style.colorScheme = name;
  $('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
  rebuildPlots();
}

const preferred = window.matchMedia('(prefers-color-scheme: dark)');
let chosen = null;
try {
  chosen = localStorage.getItem('quorate-theme');
} catch (e) {
  // This browser stores nothing.
}
theme(chosen === 'dark' || chosen === 'light' ? chosen : preferred.matches ? 'dark' : 'light');
preferred.addEventListener('change', () => chosen || theme(preferred.matches ? 'dark' : 'light'));
$('theme').addEventListener('click', () => {
  chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  theme(chosen);
  try {
    localStorage.setItem('quorate-theme', chosen);
  } catch (e) {
    // The choice lasts until the page is closed.
  }
});

// ---- The state.

function showState(next) {
  const before = members.map((m) => m.name).join();
  state = next;
  members = state.members.map((member, i) => ({...member, colour: i % COLOURS}));
  if (before !== members.map((m) => m.name).join()) makePlots(members);
  $('node').textContent = state.node;
  document.title = state.node + ' · Quorate';
  const label = state.whyNotServing ? 'takes no writes' : state.drained ? 'drained' : 'serves';
  write($('state'), label, 'badge ' + (state.whyNotServing ? 'bad' : state.drained ? 'warn' : 'ok'));
  showProblem(state.whyNotServing || '');
  showStrip();
  showMembers();
  showViews();
  showRing();
  showMember();
  showActions();
  showFigures();
  $('checks').replaceChildren(...state.checks.map((check) =>
    element('li', (check.holds ? '✓ ' : '✗ ') + check.name + ': ' + check.detail, check.holds ? '' : 'bad')));
}

function showProblem(text) {
  write($('problem'), text);
  $('problem').hidden = text === '';
}

/** Without the role admin the page has the keys alone. */
function showKeysOnly(problem) {
  role = problem.role || 'read';
  document.querySelectorAll('main > section').forEach((section) => {
    section.hidden = section.id !== 'keys';
  });
  document.querySelector('nav').hidden = true;
  write($('state'), 'keys only', 'badge warn');
  showProblem('This page shows the keys alone. The cluster, its load and its events need the role admin. ' + problem.detail);
}

// ---- The stream.

let stream = null;
let starting = 0;

function lost(why) {
  write($('state'), 'not connected', 'badge bad');
  showProblem(why);
}

/** Tries again, unless the page was hidden or another attempt was made meanwhile. */
function again(mine) {
  setTimeout(() => document.hidden || mine !== starting || start(), 3000);
}

async function start() {
  const mine = ++starting;
  try {
    const response = await fetch(HERE + '/admin/console');
    const contents = await response.json();
    if (mine !== starting) return;
    if (response.status === 403 && contents.role) {
      showKeysOnly(contents);
      return;
    }
    if (!response.ok) {
      lost(contents.detail);
      if (response.status >= 500) again(mine);
      return;
    }
    data = contents;
    histories = contents.histories;
    if (data.last < lastEvent) {
      // Another process, whose clock was behind: its events have lower numbers.
      lastEvent = 0;
      $('event-list').replaceChildren();
    }
    $('version').textContent = 'Version ' + data.version;
    stream = new EventSource(HERE + '/admin/console/stream?since=' + lastEvent);
    stream.addEventListener('state', (e) => {
      const next = JSON.parse(e.data);
      if (next.epoch !== data.epoch) {
        // The ring and the series are those of other members.
        stop();
        start();
        return;
      }
      const isFirst = members.length === 0;
      showState(next);
      if (isFirst) drawPlots();
    });
    stream.addEventListener('sample', (e) => addSample(JSON.parse(e.data)));
    stream.addEventListener('event', (e) => addEvent(JSON.parse(e.data)));
    stream.addEventListener('error', () => {
      stop();
      lost('The node has ended the stream, or is not reached. The page shows its last state and tries again.');
      again(starting);
    });
    drawPlots();
  } catch (e) {
    if (mine !== starting) return;
    lost('The node does not answer. The page tries again.');
    again(mine);
  }
}

function stop() {
  starting++;
  if (stream) stream.close();
  stream = null;
}

document.addEventListener('visibilitychange', () => (document.hidden ? stop() : stream || start()));
start();
