'use strict';
(() => {
  // Everything that comes from the cluster is written as text: there is no HTML in this script.
  // Without the name and password that an address may have: a browser fetches nothing from such a one, and sends them anyway.
  const HERE = location.origin;
  const COLOURS = 8;
  const MAX_EVENTS = 500;
  const HOUR_MILLIS = 3600e3;
  const LEAST_MILLIS = 600e3;
  const SVG = 'http://www.w3.org/2000/svg';
  const $ = (id) => document.getElementById(id);

  function element(name, text, cssClass) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (cssClass) made.className = cssClass;
    return made;
  }

  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // ---- Numbers for people.

  function plain(value) {
    if (value >= 100) return Math.round(value).toLocaleString('en');
    return String(Number(value.toPrecision(3)));
  }

  function bytes(value) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return plain(value) + ' ' + units[unit];
  }

  function millis(value) {
    const size = Math.abs(value);
    if (size > 0 && size < 1) return plain(value * 1000) + ' µs';
    return size < 1000 ? plain(value) + ' ms' : span(value / 1000);
  }

  function span(seconds) {
    const whole = Math.round(Math.abs(seconds));
    if (whole < 60) return (Math.abs(seconds) < 2 ? plain(seconds) : Math.round(seconds)) + ' s';
    if (whole < 3600) return Math.floor(whole / 60) + ' min ' + (whole % 60) + ' s';
    if (whole < 86400) return Math.floor(whole / 3600) + ' h ' + Math.floor((whole % 3600) / 60) + ' min';
    return Math.floor(whole / 86400) + ' d ' + Math.floor((whole % 86400) / 3600) + ' h';
  }

  const perSecond = (value) => plain(value) + '/s';
  const bytesPerSecond = (value) => bytes(value) + '/s';
  const clockTime = (moment) => new Date(moment).toLocaleTimeString();

  // ---- Plots.

  /** One plot: some series over the last hour, with a cursor for mouse, finger and keyboard. */
  class Plot {
    constructor(parent, title, format, lines) {
      this.title = title;
      this.format = format;
      this.lines = lines;
      this.at = null;
      const box = element('article', undefined, 'plot');
      box.append(element('h3', title));
      this.text = element('p');
      this.text.setAttribute('role', 'status');
      this.text.setAttribute('aria-live', 'off');
      this.svg = shape('svg', {viewBox: '0 0 720 100', preserveAspectRatio: 'none', role: 'img', tabindex: '0'});
      const legend = element('ul', undefined, 'legend');
      if (lines.length > 1) {
        lines.forEach((line) => {
          const item = element('li');
          item.append(element('span', undefined, 'swatch f' + line.colour), element('span', line.label));
          legend.append(item);
        });
      }
      box.append(this.text, this.svg, legend);
      parent.append(box);
      this.svg.addEventListener('pointermove', (e) => {
        const area = this.svg.getBoundingClientRect();
        this.point(Math.round(((e.clientX - area.left) / area.width) * 719));
      });
      this.svg.addEventListener('pointerleave', () => this.point(null));
      this.svg.addEventListener('blur', () => this.point(null));
      this.svg.addEventListener('keydown', (e) => {
        const step = {ArrowLeft: -6, ArrowRight: 6, Home: -720, End: 720}[e.key];
        if (step === undefined) return;
        e.preventDefault();
        this.text.setAttribute('aria-live', 'polite');
        this.point(Math.max(0, Math.min(719, (this.at === null ? 719 : this.at) + step)));
      });
    }

    point(at) {
      this.at = at;
      if (at === null) this.text.setAttribute('aria-live', 'off');
      this.draw(data);
    }

    draw(now) {
      const end = now.moments.length ? now.moments[now.moments.length - 1] : Date.now();
      const width = Math.min(HOUR_MILLIS, Math.max(LEAST_MILLIS, end - (now.moments[0] || end)));
      const x = (moment) => 720 - ((end - moment) / width) * 720;
      let most = 0;
      for (const line of this.lines) {
        for (const value of now.series[line.name] || []) {
          if (value !== null && Math.abs(value) > most) most = Math.abs(value);
        }
      }
      const isSigned = this.lines.some((line) => (now.series[line.name] || []).some((value) => value < 0));
      const y = (value) => (isSigned ? 50 - (value / (most || 1)) * 46 : 97 - (value / (most || 1)) * 92);
      const drawn = [shape('line', {x1: 0, x2: 720, y1: y(0), y2: y(0), class: 'grid'}),
        shape('line', {x1: 0, x2: 720, y1: y(most), y2: y(most), class: 'grid'})];
      for (const line of this.lines) {
        const values = now.series[line.name] || [];
        let path = '';
        let isDrawing = false;
        let before = 0;
        values.forEach((value, i) => {
          const isGap = i > 0 && now.moments[i] - before > 4 * now.period;
          before = now.moments[i];
          if (value === null) {
            isDrawing = false;
            return;
          }
          const start = isDrawing && !isGap ? 'L' : 'M';
          path += start + x(now.moments[i]).toFixed(1) + ' ' + y(value).toFixed(1);
          if (start === 'M') path += 'h.1';
          isDrawing = true;
        });
        drawn.push(shape('path', {d: path || 'M0 0', class: 'line s' + line.colour}));
      }
      let index = now.moments.length - 1;
      if (this.at !== null && index >= 0) {
        drawn.push(shape('line', {x1: this.at, x2: this.at, y1: 0, y2: 100, class: 'cursor'}));
        const wanted = end - ((720 - this.at) / 720) * width;
        while (index > 0 && now.moments[index] > wanted) index--;
      }
      this.svg.replaceChildren(...drawn);
      const values = this.lines.map((line) => {
        const value = (now.series[line.name] || [])[index];
        const shown = value === null || value === undefined ? 'none' : this.format(value);
        return this.lines.length > 1 ? line.label + ' ' + shown : shown;
      });
      const when = index < 0 ? 'No sample yet' : this.at === null ? 'Now' : clockTime(now.moments[index]);
      this.text.textContent = index < 0 ? when : when + ': ' + values.join(', ') + ' · at most ' + this.format(most);
      this.svg.setAttribute('aria-label', this.title + '. ' + this.text.textContent + '. Arrow keys move the cursor.');
    }
  }

  let plots = [];

  /** What is measured of peers. */
  function plotsOfPeers(parent, peers) {
    const of = (name) => peers.map((peer) => ({name: name + ':' + peer.name, label: peer.name, colour: peer.colour}));
    return [
      new Plot(parent, 'Exchanges with a peer, p99', millis, of('peer99')),
      new Plot(parent, 'Hints: writes to be sent to a peer', bytes, of('hints')),
      new Plot(parent, 'Replicas may have differed for', span, of('repairAge')),
      new Plot(parent, 'Clock of a peer, ahead of this one', millis, of('clock'))];
  }

  function makePlots(members) {
    const peers = members.filter((member) => !member.self);
    const of = (...named) => named.map(([name, label], i) => ({name, label, colour: i}));
    for (const id of ['load-plots', 'replicas-plots', 'disk-plots']) $(id).replaceChildren();
    const load = $('load-plots');
    const replicas = $('replicas-plots');
    const disk = $('disk-plots');
    plots = [
      new Plot(load, 'Requests', perSecond, of(['gets', 'GET'], ['puts', 'PUT'], ['others', 'others'])),
      new Plot(load, 'GET latency', millis, of(['get50', 'p50'], ['get99', 'p99'], ['get999', 'p99.9'])),
      new Plot(load, 'PUT latency', millis, of(['put50', 'p50'], ['put99', 'p99'], ['put999', 'p99.9'])),
      new Plot(load, 'Answers of 500 and above', perSecond, of(['failures', 'failures'])),
      new Plot(load, 'Reads and writes under way', plain, of(['inFlight', 'under way'])),
      new Plot(disk, 'Fsync latency', millis, of(['fsyncMillis', 'mean'])),
      new Plot(disk, 'Fsyncs', perSecond, of(['fsyncs', 'fsyncs'])),
      new Plot(disk, 'Compaction reads and writes', bytesPerSecond, of(['compactionBytes', 'bytes'])),
      new Plot(disk, 'Tables of level 0', plain, of(['levelZeroTables', 'tables'])),
      new Plot(disk, 'Stored', bytes, of(['tableBytes', 'tables'], ['memtableBytes', 'memory'])),
      new Plot(disk, 'Free disk', bytes, of(['diskFreeBytes', 'free'])),
      new Plot(disk, 'Heap', bytes, of(['heapBytes', 'heap'])),
    ];
    if (peers.length > 0) {
      plots.push(...plotsOfPeers(replicas, peers));
    } else {
      replicas.replaceChildren(element('p', 'This cluster has one member: nothing is replicated.'));
    }
  }

  // ---- The ring.

  /** The ring, with everybody but some members faint; null for all that are up. */
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
    $('ring-text').textContent = 'Inside, what each member owns of the ring. Outside, where: each has ' + data.virtualNodes.toLocaleString('en')
      + ' arcs, of which ' + data.ring.length + ' places are drawn. A key belongs to the ' + data.replication + ' first members clockwise.';
  }

  // ---- The state.

  let data = {moments: [], series: {}, ring: [], period: 5000, virtualNodes: 0, replication: 0, last: 0};
  let members = [];
  let shownOwners = null;
  let checks = [];

  function standing(member) {
    if (member.self) return ['this node', 'ok'];
    const since = member.since ? ', for ' + span((Date.now() - member.since) / 1000) : '';
    switch (member.standing) {
      case 'up': return ['up' + since, 'ok'];
      case 'down': return ['down' + since + ': ' + member.error, 'bad'];
      case 'refused': return ['refused' + since + ': ' + member.error, 'bad'];
      default: return ['not heard of yet', 'dim'];
    }
  }

  function difference(member) {
    if (member.self) return '';
    if (member.repairAge === undefined) return '';
    const detail = member.repairDetail ? ' (' + member.repairDetail + ')' : member.repair === 'running' ? ' (compared now)' : '';
    return span(member.repairAge) + detail;
  }

  function showMembers() {
    const rows = members.map((member) => {
      const row = element('tr');
      const head = element('th');
      head.scope = 'row';
      head.append(element('span', undefined, 'swatch f' + member.colour));
      const name = element('a', member.name);
      name.href = HERE + '/#member/' + encodeURIComponent(member.name);
      head.append(name, member.part === 'stays' ? '' : ' (' + member.part + ')');
      const [text, style] = standing(member);
      const clock = member.standing === 'up' ? millis(member.clockAhead) : '';
      const hints = member.hintBytes ? bytes(member.hintBytes) : '';
      row.append(head, element('td', text, style), element('td', member.share + ' %'), element('td', clock),
        element('td', hints), element('td', difference(member)));
      return row;
    });
    $('members').replaceChildren(...rows);
  }

  /** A row for each member: how it sees the others. What a member that is down has said is old. */
  function showSights() {
    $('sights-box').hidden = members.length < 2;
    const top = element('tr');
    const corner = element('th', 'sees');
    corner.scope = 'col';
    top.append(corner);
    for (const member of members) {
      const head = element('th', member.name);
      head.scope = 'col';
      top.append(head);
    }
    $('sights-head').replaceChildren(top);
    const styles = {up: 'ok', down: 'bad', refused: 'bad'};
    $('sights').replaceChildren(...members.map((member) => {
      const row = element('tr');
      const head = element('th', member.name);
      head.scope = 'row';
      row.append(head);
      const speaks = member.self || member.standing === 'up';
      for (const other of members) {
        const sight = other === member ? '·' : (speaks && member.sees[other.name]) || 'unknown';
        row.append(element('td', sight, styles[sight] || 'dim'));
      }
      return row;
    }));
  }

  const FIGURES = [
    ['writes', 'entries made durable', plain], ['memtable_size_bytes', 'in memory', bytes], ['wal_size_bytes', 'log', bytes],
    ['sstables', 'sorted tables', plain], ['sstable_size_bytes', 'in them', bytes], ['tombstones', 'tombstones in them', plain],
    ['compactions', 'compactions', plain], ['disk_free_bytes', 'free disk', bytes], ['checksum_failures', 'checksum failures', plain],
    ['damaged_ranges', 'damaged ranges of keys', plain], ['http_requests_in_flight', 'reads and writes under way', plain],
    ['scans_open', 'ranges that are open', plain], ['quorum_failures op read', 'reads without a quorum', plain],
    ['quorum_failures op write', 'writes without a quorum', plain],
    ['requests_rejected listener client reason queue', 'refused', plain],
    ['read_repairs mode before_the_answer', 'read repairs', plain]];

  function showState(state) {
    const before = members.map((m) => m.name).join();
    members = state.members.map((member, i) => ({...member, colour: i % COLOURS}));
    if (before !== members.map((m) => m.name).join()) makePlots(members);
    $('node').textContent = state.node;
    document.title = state.node + ' · Quorate';
    const badge = $('state');
    const label = state.whyNotServing ? 'takes no writes' : 'serves';
    if (badge.textContent !== label) badge.textContent = label;
    badge.className = 'badge ' + (state.whyNotServing ? 'bad' : 'ok');
    showProblem(state.whyNotServing || '');
    showMembers();
    showSights();
    showRing();
    checks = state.checks;
    showMember();
    $('checks').replaceChildren(...state.checks.map((check) =>
      element('li', (check.holds ? '✓ ' : '✗ ') + check.name + ': ' + check.detail, check.holds ? '' : 'bad')));
    $('figures').replaceChildren(...FIGURES.map(([name, text, format]) => {
      const row = element('tr');
      const head = element('th', text);
      head.scope = 'row';
      row.append(head, element('td', format(state.figures[name])));
      return row;
    }));
  }

  function showProblem(text) {
    const problem = $('problem');
    if (problem.textContent !== text) problem.textContent = text;
    problem.hidden = text === '';
  }

  function addSample(sample) {
    const names = Object.keys(data.series);
    data.moments.push(sample.moment);
    names.forEach((name, i) => data.series[name].push(sample.values[i]));
    while (data.moments.length > 720) {
      data.moments.shift();
      names.forEach((name) => data.series[name].shift());
    }
    drawPlots();
  }

  function drawPlots() {
    plots.forEach((plot) => plot.draw(data));
    memberPlots.forEach((plot) => plot.draw(data));
  }

  // ---- The page of one member: #member/NAME. It has what this node knows of it.

  let memberPlots = [];
  let shownMember = null;

  /** The member of the address; undefined if it has none, or one that there is not. */
  function wanted() {
    const name = location.hash.startsWith('#member/') ? location.hash.slice('#member/'.length) : '';
    return members.find((member) => encodeURIComponent(member.name) === name);
  }

  function row(title, text, style) {
    const made = element('tr');
    const head = element('th', title);
    head.scope = 'row';
    made.append(head, element('td', text, style));
    return made;
  }

  function aboutPeer(member) {
    const rows = [row('replicas may have differed for', difference(member) || 'not compared yet')];
    rows.push(row('its clock', member.standing === 'up' ? millis(member.clockAhead) + ' ahead of this node' : 'unknown'));
    rows.push(row('hints', (member.hintBytes ? bytes(member.hintBytes) : 'none') + ' to be sent, '
      + plain(member.hintsSent || 0) + ' writes sent'));
    rows.push(row('exchanges', plain(member.outstanding || 0) + ' operations under way to it'));
    if (member.error) rows.push(row('last error', member.error));
    return rows;
  }

  function showMember() {
    const member = wanted();
    const isShown = member !== undefined;
    document.querySelectorAll('main > section').forEach((section) => {
      section.hidden = (section.id === 'member') !== isShown;
    });
    if (!isShown) {
      shownMember = null;
      memberPlots = [];
      return;
    }
    const here = members.find((each) => each.self);
    if (shownMember !== member.name) {
      shownMember = member.name;
      $('member-h').textContent = 'Member ' + member.name;
      $('member-plots').replaceChildren();
      memberPlots = member.self ? [] : plotsOfPeers($('member-plots'), [member]);
      memberPlots.forEach((plot) => plot.draw(data));
      listEventsOf(member);
      const links = [element('a', 'All members')];
      links[0].href = HERE + '/#cluster';
      if (member.self) {
        links.push(element('span', ' · This is the node that you ask.'));
      } else if (/^https?:\/\//.test(member.url)) {
        const own = element('a', 'Its own console');
        own.href = member.url + '/';
        links.push(element('span', ' · '), own, element('span', ', if your browser reaches ' + member.url));
      }
      $('member-links').replaceChildren(...links);
      $('member-h').focus();
    }
    $('member-c').textContent = 'What ' + here.name + ' knows of it';
    drawRing($('member-ring'), [member.name], 'arcs of');
    const [text, style] = standing(member);
    const rows = [row('state', text, style), row('address', member.url), row('share of the ring', member.share + ' %')];
    if (member.self) {
      checks.forEach((check) => rows.push(row(check.name, check.detail, check.holds ? '' : 'bad')));
    } else {
      rows.push(...aboutPeer(member));
    }
    for (const other of members.filter((each) => each !== member)) {
      const speaks = other.self || other.standing === 'up';
      const sight = (speaks && other.sees[member.name]) || 'unknown';
      rows.push(row(other.name + ' sees it', sight, {up: 'ok', down: 'bad', refused: 'bad'}[sight] || 'dim'));
    }
    $('member-rows').replaceChildren(...rows);
  }

  /** Events of a peer name it; what names no peer is about this node. */
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
    showMember();
    if (shownMember === null && location.hash.length > 1) {
      const target = $(location.hash.slice(1));
      if (target) target.scrollIntoView();
    }
  });

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
    const member = wanted();
    if (member && isOf(item, member)) listEventsOf(member);
    while (list.children.length > MAX_EVENTS) list.lastChild.remove();
    $('no-events').hidden = true;
  }

  // ---- The key box.

  function cell(row, text) {
    row.append(element('td', text));
  }

  function rowsOf(member) {
    const head = element('th', member.member);
    head.scope = 'row';
    const owner = member.owner ? String(member.rank) : '';
    const row = (...cells) => {
      const made = element('tr');
      made.append(head.cloneNode(true));
      cell(made, owner);
      cells.forEach((text) => cell(made, text));
      return made;
    };
    if (member.reason) return [row('no answer', '', '', member.detail)];
    const entries = member.entries || [];
    if (entries.length === 0) return [row('nothing', '', '', '')];
    return entries.map((entry) => row(
      entry.version, entry.time, entry.tombstone ? 'tombstone' : entry.bytes.toLocaleString('en') + ' bytes',
      entry.where + (entry.table ? ' ' + entry.table : '')));
  }

  async function explain(key) {
    const answer = $('answer');
    answer.replaceChildren(element('p', 'Asking all members…', 'dim'));
    const response = await fetch(HERE + '/admin/why?id=' + key, {headers: {Accept: 'application/json'}});
    const report = await response.json();
    if (!report.members) {
      answer.replaceChildren(element('p', report.detail || 'The node answers ' + response.status + '.', 'bad'));
      return;
    }
    const table = element('table');
    table.append(element('caption', report.found ? 'What each member has of the key' : 'No member that answered has anything of the key'));
    const head = element('tr');
    for (const title of ['Member', 'Owner', 'Version', 'Time', 'What', 'Where']) {
      const th = element('th', title);
      th.scope = 'col';
      head.append(th);
    }
    const top = element('thead');
    top.append(head);
    const body = element('tbody');
    report.members.forEach((member) => body.append(...rowsOf(member)));
    table.append(top, body);
    const scroll = element('div', undefined, 'scroll');
    scroll.tabIndex = 0;
    scroll.setAttribute('role', 'region');
    scroll.setAttribute('aria-label', 'What each member has of the key');
    scroll.append(table);
    const list = element('ul');
    report.conclusions.forEach((text) => list.append(element('li', text)));
    answer.replaceChildren(scroll, list);
    shownOwners = report.members.filter((m) => m.owner).sort((a, b) => a.rank - b.rank).map((m) => m.member);
    showRing();
  }

  $('ask').addEventListener('submit', (e) => {
    e.preventDefault();
    const typed = $('id').value;
    if (typed === '') {
      shownOwners = null;
      $('answer').replaceChildren();
      showRing();
      return;
    }
    const key = $('encoded').checked ? typed.replace(/[&#?\s]/g, encodeURIComponent) : encodeURIComponent(typed);
    explain(key).catch((why) => $('answer').replaceChildren(element('p', 'The node cannot be asked: ' + why.message, 'bad')));
  });

  // ---- Light and dark.

  function theme(name) {
    document.documentElement.dataset.theme = name;
    document.documentElement.style.colorScheme = name;
    $('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
  }

  const preferred = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  try {
    chosen = localStorage.getItem('quorate-theme');
  } catch (e) {
    // A browser that keeps nothing.
  }
  theme(chosen === 'dark' || chosen === 'light' ? chosen : preferred.matches ? 'dark' : 'light');
  preferred.addEventListener('change', () => chosen || theme(preferred.matches ? 'dark' : 'light'));
  $('theme').addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    theme(chosen);
    try {
      localStorage.setItem('quorate-theme', chosen);
    } catch (e) {
      // It is chosen until the page is closed.
    }
  });

  $('severity').addEventListener('change', () => $('event-list').classList.toggle('few', $('severity').value !== 'all'));

  // ---- The stream. Closed while nobody sees the page.

  let stream = null;
  let starting = 0;

  function lost(why) {
    $('state').textContent = 'not connected';
    $('state').className = 'badge bad';
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
      if (!response.ok) {
        lost(contents.detail);
        if (response.status >= 500) again(mine);
        return;
      }
      data = contents;
      if (data.last < lastEvent) {
        // Another process, whose clock was behind: its events have lower numbers.
        lastEvent = 0;
        $('event-list').replaceChildren();
      }
      $('version').textContent = 'Version ' + data.version;
      stream = new EventSource(HERE + '/admin/console/stream?since=' + lastEvent);
      stream.addEventListener('state', (e) => {
        const isFirst = members.length === 0;
        showState(JSON.parse(e.data));
        if (isFirst) drawPlots();
      });
      stream.addEventListener('sample', (e) => addSample(JSON.parse(e.data)));
      stream.addEventListener('event', (e) => addEvent(JSON.parse(e.data)));
      stream.addEventListener('error', () => {
        stop();
        lost('The node has ended the stream, or is not reached. What is shown is of before; the page tries again.');
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
})();
