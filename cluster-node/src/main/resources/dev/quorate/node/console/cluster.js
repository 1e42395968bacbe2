// What the node knows of the cluster: the strip, the members, the ring, the page of each member.

let data = {ring: [], virtualNodes: 0, replication: 0, last: 0};
let members = [];
let state = {};
let shownOwners = null;

const isUp = (member) => member.self || member.standing === 'up';

/** Whether the answers of a member count now. A lost member owns no keys. */
const counts = (member) => isUp(member) && member.votes !== false;

function standing(member) {
  if (member.self) return state.votes ? ['this node', 'ok'] : ['this node, does not vote', 'bad'];
  const since = member.since ? ', for ' + span((Date.now() - member.since) / 1000) : '';
  switch (member.standing) {
    case 'up':
      if (member.votes === false) return ['up' + since + ', does not vote', 'warn'];
      return member.condition === 'stopping' ? ['up' + since + ', drained or stopping', 'warn'] : ['up' + since, 'ok'];
    case 'down': return ['down' + since + ': ' + member.error, 'bad'];
    case 'refused': return ['refused' + since + ': ' + member.error, 'bad'];
    default: return ['not heard from yet', 'dim'];
  }
}

// ---- The strip.

/** Which values of replicas can fail while these members do not count, as ./quorate status says it. */
function failing(missing) {
  const copies = state.replication;
  const sure = Math.max(0, copies - missing.length);
  const fail = [];
  for (let ack = sure + 1; ack <= copies; ack++) fail.push(ack + '/' + copies);
  return fail;
}

function verdict(missing) {
  const majority = Math.floor(state.replication / 2) + 1;
  const names = missing.map((member) => member.name).join(', ');
  const failed = state.checks.filter((check) => !check.holds).map((check) => check.name + ': ' + check.detail);
  if (state.whyNotServing) return ['No. This node takes no writes: ' + state.whyNotServing, 'bad'];
  if (state.replication - missing.length < majority) return ['No. Operations at a majority can fail without ' + names + '.', 'bad'];
  if (missing.length > 0) return ['Yes, but it tolerates fewer failures without ' + names + '.', 'warn'];
  if (state.figures.damaged_ranges > 0) return ['Yes, but damaged ranges of keys are being fetched from other members.', 'warn'];
  if (failed.length > 0) return ['Yes, but this node is not ready: ' + failed.join('; ') + '.', 'warn'];
  return ['Yes. All members are up and vote.', 'ok'];
}

/** The change of members in progress: who joins and leaves, and how much was copied. */
function changeOfMembers() {
  if (!state.joint) return 'none';
  const parts = members.filter((member) => member.part !== 'stays').map((member) => member.name + ' ' + member.part);
  const copied = members.filter((member) => member.toGainBytes > 0)
    .map((member) => member.name + ' has copied ' + bytes(member.gainedBytes) + ' of about ' + bytes(member.toGainBytes));
  return [...parts, ...copied].join(', ') || 'in progress';
}

function showStrip() {
  const missing = members.filter((member) => member.part !== 'lost' && !counts(member));
  const [text, style] = verdict(missing);
  write($('verdict'), text, 'verdict ' + style);
  const heard = members.filter((member) => member.storedBytes !== undefined);
  const fullest = heard.filter(isUp).sort((a, b) => a.freeBytes - b.freeBytes)[0];
  const hinted = members.filter((member) => member.hintBytes > 0);
  const oldest = members.filter((member) => member.repairAge !== undefined).sort((a, b) => b.repairAge - a.repairAge)[0];
  const fail = failing(missing);
  const since = (member) => (member.since && !isUp(member) ? ' since ' + new Date(member.since).toLocaleTimeString() + ' (' + span((Date.now() - member.since) / 1000) + ')' : '');
  const items = [
    ['Members up', members.filter(isUp).length + ' of ' + members.length],
    ['Not up, or not voting', missing.map((member) => member.name + since(member)).join(', ') || 'none'],
    ['replicas that can fail', fail.join(', ') || 'none'],
    ['Hints to be sent', hinted.map((member) => bytes(member.hintBytes) + ' to ' + member.name).join(', ') || 'none'],
    ['Stored, all copies', bytes(heard.reduce((sum, member) => sum + member.storedBytes, 0))],
    ['Least free disk', fullest ? bytes(fullest.freeBytes) + ' on ' + fullest.name : 'unknown'],
    ['Oldest completed repair', oldest ? span(oldest.repairAge) + ' ago, with ' + oldest.name : 'none'],
    ['Change of members', changeOfMembers()],
  ];
  const strip = $('strip');
  if (strip.children.length !== items.length) {
    strip.replaceChildren(...items.map(([title]) => {
      const box = element('div');
      box.append(element('dt', title), element('dd'));
      return box;
    }));
  }
  items.forEach(([, value], i) => write(strip.children[i].lastChild, value));
}

// ---- The members.

function difference(member) {
  if (member.self || member.repairAge === undefined) return '';
  const detail = member.repairDetail ? ' (' + member.repairDetail + ')' : member.repair === 'running' ? ' (compared now)' : '';
  return span(member.repairAge) + ' ago' + detail;
}

/** What a member announced of itself is shown only while it is up, except for its disk. */
function showMembers() {
  const micros = (value) => (value ? millis(value / 1000) : '');
  const rows = members.map((member) => {
    const name = element('a', member.name);
    name.href = HERE + '/#member/' + encodeURIComponent(member.name);
    const title = element('span');
    title.append(element('span', undefined, 'swatch f' + member.colour), name, member.part === 'stays' ? '' : ' (' + member.part + ')');
    const isHeard = member.storedBytes !== undefined;
    const speaks = isUp(member) && isHeard;
    return tableRow(title, standing(member), member.url, isHeard ? member.version : '', speaks ? perSecond(member.operations) : '', speaks ? micros(member.getMicros) : '',
      speaks ? micros(member.putMicros) : '', isHeard ? bytes(member.storedBytes) : '', isHeard ? bytes(member.freeBytes) : '',
      member.hintBytes ? bytes(member.hintBytes) : '', difference(member), member.standing === 'up' ? millis(member.clockAhead) : '',
      member.share + ' %');
  });
  $('members').replaceChildren(...rows);
}

const VIEW_STYLES = {up: 'ok', down: 'bad', refused: 'bad'};

/** How a member sees another one. The view of a member that is down is out of date. */
function viewOf(member, other) {
  const seen = (isUp(member) && member.sees[other.name]) || 'unknown';
  return [seen, VIEW_STYLES[seen] || 'dim'];
}

/** A row for each member: how it sees the others. */
function showViews() {
  $('views-box').hidden = members.length < 2;
  $('views-head').replaceChildren(headRow('sees', ...members.map((member) => member.name)));
  $('views').replaceChildren(...members.map((member) =>
    tableRow(member.name, ...members.map((other) => (other === member ? '·' : viewOf(member, other))))));
}

// ---- The ring.

/** The ring, on which only some members are not faint; null for all that are up. */
function drawRing(svg, shown, title) {
  const places = data.ring.length;
  const radius = 96;
  const width = 10;
  const point = (place, r) => {
    const angle = (place / places) * 2 * Math.PI - Math.PI / 2;
    return (Math.cos(angle) * r).toFixed(2) + ' ' + (Math.sin(angle) * r).toFixed(2);
  };
  const arc = (from, to, inner, thick) => {
    const outer = inner + thick;
    const large = to - from > places / 2 ? 1 : 0;
    return 'M' + point(from, outer) + 'A' + outer + ' ' + outer + ' 0 ' + large + ' 1 ' + point(to, outer)
      + 'L' + point(to, inner) + 'A' + inner + ' ' + inner + ' 0 ' + large + ' 0 ' + point(from, inner) + 'Z';
  };
  const paths = members.map(() => '');
  for (let from = 0; from < places; ) {
    let to = from + 1;
    while (to < places && data.ring[to] === data.ring[from] && to - from < places / 2) to++;
    paths[data.ring[from]] += arc(from, to, radius, width);
    from = to;
  }
  let begun = 0;
  const drawn = paths.map((path, i) => {
    const member = members[i];
    const ends = Math.min(begun + (member.share / 100) * places, places);
    const share = ends - begun > places - 1 ? arc(0, places / 2, 62, 22) + arc(places / 2, places, 62, 22) : arc(begun, ends, 62, 22);
    begun = ends;
    const isFaint = shown ? !shown.includes(member.name) : member.standing === 'down' || member.standing === 'refused';
    const arcs = shape('path', {d: path + share, class: 'f' + member.colour + (isFaint ? ' faint' : '')});
    const tip = shape('title', {});
    tip.textContent = member.name + ' owns ' + member.share + ' % of the ring';
    arcs.append(tip);
    return arcs;
  });
  const lines = shown ? [title, ...shown.slice(0, 5)] : members.slice(0, 6).map((m) => m.name + '  ' + m.share + ' %');
  lines.forEach((line, i) => {
    const text = shape('text', {x: 0, y: (i - (lines.length - 1) / 2) * 16 + 4});
    text.textContent = line;
    drawn.push(text);
  });
  svg.replaceChildren(...drawn);
  const shares = members.map((m) => m.name + ' ' + m.share + ' %').join(', ');
  svg.setAttribute('aria-label', shown ? 'The ring, ' + title + ': ' + shown.join(', ') : 'The ring of tokens. Shares: ' + shares);
}

function showRing() {
  drawRing($('ring'), shownOwners, 'owners of the key');
  $('ring-text').textContent = 'Inner circle: the share of each member. Outer circle: its arcs, ' + data.virtualNodes.toLocaleString('en')
    + ' for each member, drawn at ' + data.ring.length + ' places. The owners of a key are the next ' + data.replication + ' members clockwise.';
}

const FIGURES = [
  ['writes', 'entries made durable', plain], ['memtable_size_bytes', 'memtables', bytes], ['wal_size_bytes', 'log', bytes],
  ['sstables', 'sorted tables', plain], ['sstable_size_bytes', 'bytes of sorted tables', bytes], ['tombstones', 'tombstones', plain],
  ['compactions', 'compactions', plain], ['disk_free_bytes', 'free disk', bytes], ['checksum_failures', 'checksum failures', plain],
  ['damaged_ranges', 'damaged key ranges', plain], ['http_requests_in_flight', 'requests in progress', plain],
  ['scans_open', 'open ranges', plain], ['quorum_failures op read', 'reads without a quorum', plain],
  ['quorum_failures op write', 'writes without a quorum', plain],
  ['requests_rejected listener client reason queue', 'refused', plain],
  ['read_repairs mode before_the_answer', 'read repairs', plain]];

function showFigures() {
  $('figures').replaceChildren(...FIGURES.map(([name, text, format]) => tableRow(text, format(state.figures[name]))));
}

// ---- The page of one member: #member/NAME. It shows what this node knows of the member.

let shownMember = null;

/** The member of the address; undefined if the address names none, or an unknown one. */
function wantedMember() {
  const name = location.hash.startsWith('#member/') ? location.hash.slice('#member/'.length) : '';
  return members.find((member) => encodeURIComponent(member.name) === name);
}

function aboutPeer(member) {
  const rows = [
    tableRow('last completed repair', difference(member) || 'none yet'),
    tableRow('clock', member.standing === 'up' ? millis(member.clockAhead) + ' ahead of this node' : 'unknown'),
    tableRow('hints', (member.hintBytes ? bytes(member.hintBytes) : 'none') + ' to be sent, ' + plain(member.hintsSent || 0) + ' writes sent'),
    tableRow('exchanges', plain(member.outstanding || 0) + ' operations in progress'),
  ];
  if (member.error) rows.push(tableRow('last error', member.error));
  return rows;
}

function showMember() {
  const member = wantedMember();
  const isShown = member !== undefined;
  document.querySelectorAll('main > section').forEach((section) => {
    section.hidden = (section.id === 'member') !== isShown;
  });
  if (!isShown) {
    shownMember = null;
    memberPlots.forEach((plot) => plot.remove());
    memberPlots = [];
    return;
  }
  if (shownMember !== member.name) {
    shownMember = member.name;
    $('member-h').textContent = 'Member ' + member.name;
    memberPlots.forEach((plot) => plot.remove());
    $('member-plots').replaceChildren();
    memberPlots = member.self ? [] : plotsOfPeers($('member-plots'), [member]);
    listEventsOf(member);
    const links = [element('a', 'All members')];
    links[0].href = HERE + '/#cluster';
    if (member.self) {
      links.push(element('span', ' · This console is the one of this member.'));
    } else if (/^https?:\/\//.test(member.url)) {
      const own = element('a', 'Console of ' + member.name);
      own.href = member.url + '/';
      links.push(element('span', ' · '), own, element('span', ', if your browser reaches ' + member.url));
    }
    $('member-links').replaceChildren(...links);
    $('member-h').focus();
  }
  $('member-c').textContent = 'The member in the view of ' + state.node;
  drawRing($('member-ring'), [member.name], 'arcs of');
  const rows = [tableRow('state', standing(member)), tableRow('address', member.url), tableRow('share of the ring', member.share + ' %')];
  if (member.version) rows.push(tableRow('version', member.version));
  if (member.self) {
    state.checks.forEach((check) => rows.push(tableRow(check.name, [check.detail, check.holds ? '' : 'bad'])));
  } else {
    rows.push(...aboutPeer(member));
  }
  for (const other of members.filter((each) => each !== member)) {
    rows.push(tableRow('in the view of ' + other.name, viewOf(other, member)));
  }
  $('member-rows').replaceChildren(...rows);
}

/** Events of a peer name it; an event that names no peer is about this node. */
function isOf(item, member) {
  const words = item.lastChild.textContent.split(/[^A-Za-z0-9_.-]+/);
  const names = (each) => !each.self && words.includes(each.name);
  return member.self ? !members.some(names) : names(member);
}

function listEventsOf(member) {
  const items = [...$('event-list').children].filter((item) => isOf(item, member));
  $('member-events').replaceChildren(...items.map((item) => item.cloneNode(true)));
  $('member-no-events').hidden = items.length > 0;
}

window.addEventListener('hashchange', () => {
  if (!state.node) return;
  showMember();
  if (shownMember === null && location.hash.length > 1) {
    const target = $(location.hash.slice(1));
    if (target) target.scrollIntoView();
  }
});
