// Plots of the samples, drawn by uPlot, with a cursor for mouse, finger and keyboard.

const HOUR_MILLIS = 3600e3;
const MAX_SAMPLES = 720;

/** Steps of an axis of bytes: powers of two. */
const BINARY_STEPS = Array.from({length: 51}, (_, power) => 2 ** power);
bytes.isBinary = true;
bytesPerSecond.isBinary = true;

let histories = [];
let windowMillis = HOUR_MILLIS;

/** The samples of the period that the window needs. */
const shownHistory = () => histories[windowMillis > HOUR_MILLIS ? 1 : 0] || {period: 5000, moments: [], series: {}};

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

/** Milliseconds before the last sample that the window begins. */
function windowOf(history) {
  const last = history.moments.length ? history.moments[history.moments.length - 1] : Date.now();
  return [(last - windowMillis) / 1000, last / 1000];
}

/** One plot of some series. A latency is drawn on a logarithmic axis. */
class Plot {
  constructor(parent, title, format, lines) {
    this.title = title;
    this.format = format;
    this.lines = lines;
    this.index = null;
    const box = element('article', undefined, 'plot');
    this.text = element('p');
    this.text.setAttribute('role', 'status');
    this.text.setAttribute('aria-live', 'off');
    this.host = element('div', undefined, 'drawing');
    this.host.tabIndex = 0;
    this.host.setAttribute('role', 'img');
    const legend = element('ul', undefined, 'legend');
    for (const line of lines.length > 1 ? lines : []) {
      const item = element('li');
      item.append(element('span', undefined, 'swatch f' + line.colour), element('span', line.label));
      legend.append(item);
    }
    box.append(element('h3', title), this.text, this.host, legend);
    parent.append(box);
    this.host.addEventListener('blur', () => this.leave());
    this.host.addEventListener('keydown', (e) => this.move(e));
    this.build();
    this.sizes = new ResizeObserver(() => this.drawn.setSize(this.size()));
    this.sizes.observe(this.host);
  }

  size() {
    return {width: Math.max(this.host.clientWidth, 50), height: 150};
  }

  /** Draws anew: the colours or the series have changed. */
  build() {
    if (this.drawn) this.drawn.destroy();
    const axis = (more) => ({
      stroke: colourOf('--dim'), font: '12px system-ui, sans-serif', grid: {stroke: colourOf('--line'), width: 1},
      ticks: {stroke: colourOf('--line'), width: 1, size: 4}, ...more});
    const isLogarithmic = this.format === millis && !this.lines.some((line) => line.name.startsWith('clock'));
    const seconds = {second: windowMillis < HOUR_MILLIS ? '2-digit' : undefined};
    this.drawn = new uPlot({
      ...this.size(),
      padding: [8, 8, 0, 0],
      legend: {show: false},
      cursor: {y: false, drag: {x: false, y: false}, points: {size: 5}},
      scales: {
        x: {range: () => windowOf(shownHistory())},
        y: isLogarithmic ? {distr: 3} : {range: (u, min, max) => [Math.min(min, 0), max > 0 || min < 0 ? max * 1.05 : 1]},
      },
      axes: [
        axis({size: 26, space: 56, values: (u, splits) => splits.map((each) => clockTime(each * 1000, seconds))}),
        axis({size: 72, space: 24, ...(this.format.isBinary ? {incrs: BINARY_STEPS} : {}), values: (u, splits) => splits.map((each) => (each === null ? '' : this.format(each)))}),
      ],
      series: [{}, ...this.lines.map((line) => ({stroke: colourOf('--m' + line.colour), width: 1.5, points: {size: 4}}))],
      hooks: {setCursor: [(u) => {
        this.index = u.cursor.idx ?? null;
        this.say();
      }]},
    }, this.values(), this.host);
    this.say();
  }

  /** The samples of the window, with a gap where none were taken. */
  values() {
    const {moments, series, period} = shownHistory();
    const from = windowOf(shownHistory())[0] * 1000;
    const columns = [[], ...this.lines.map(() => [])];
    moments.forEach((moment, i) => {
      if (moment < from) return;
      if (i > 0 && moment - moments[i - 1] > 4 * period) {
        columns[0].push((moments[i - 1] + period) / 1000);
        this.lines.forEach((line, n) => columns[n + 1].push(null));
      }
      columns[0].push(moment / 1000);
      this.lines.forEach((line, n) => {
        const value = (series[line.name] || [])[i];
        columns[n + 1].push(value === undefined ? null : value);
      });
    });
    return columns;
  }

  draw() {
    this.drawn.setData(this.values());
    this.say();
  }

  leave() {
    this.text.setAttribute('aria-live', 'off');
    this.drawn.setCursor({left: -10, top: -10});
  }

  move(event) {
    const moments = this.drawn.data[0];
    const step = {ArrowLeft: -1, ArrowRight: 1, Home: -MAX_SAMPLES, End: MAX_SAMPLES}[event.key];
    if (step === undefined || moments.length === 0) return;
    event.preventDefault();
    this.text.setAttribute('aria-live', 'polite');
    const at = Math.max(0, Math.min(moments.length - 1, (this.index === null ? moments.length - 1 : this.index) + step));
    this.drawn.setCursor({left: this.drawn.valToPos(moments[at], 'x'), top: 10});
  }

  /** The values in words: of the sample at the cursor, or of the last one. */
  say() {
    if (!this.drawn) return;
    const columns = this.drawn.data;
    const at = this.index === null ? columns[0].length - 1 : this.index;
    const parts = at < 0 ? [] : this.lines
      .map((line, n) => [line, columns[n + 1][at]])
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([line, value]) => (this.lines.length > 1 ? line.label + ' ' : '') + this.format(value));
    const when = this.index === null ? 'Now' : clockTime(columns[0][at] * 1000, {second: '2-digit'});
    this.text.textContent = parts.length ? when + ': ' + parts.join(', ') : when + ': none';
    this.host.setAttribute('aria-label', this.title + '. ' + this.text.textContent + '. Arrow keys move in time.');
  }

  remove() {
    this.sizes.disconnect();
    this.drawn.destroy();
  }
}

let plots = [];
let memberPlots = [];

function plotsOfPeers(parent, peers) {
  const lines = (name) => peers.map((each) => ({name: name + ':' + each.name, label: each.name, colour: each.colour}));
  return [
    new Plot(parent, 'Exchange latency, p99', millis, lines('peer99')),
    new Plot(parent, 'Clock ahead of this node', millis, lines('clock')),
    new Plot(parent, 'Hints to be sent', bytes, lines('hints')),
    new Plot(parent, 'Since the last completed repair', span, lines('repairAge')),
  ];
}

/** Called when the members are known, or others. */
function makePlots(members) {
  plots.forEach((plot) => plot.remove());
  const of = (...names) => names.map(([name, label], i) => ({name, label, colour: i}));
  const peers = members.filter((member) => !member.self);
  const load = $('load-plots');
  const replicas = $('replicas-plots');
  const disk = $('disk-plots');
  [load, replicas, disk].forEach((each) => each.replaceChildren());
  plots = [
    new Plot(load, 'Requests', perSecond, of(['gets', 'GET'], ['puts', 'PUT'], ['others', 'others'])),
    new Plot(load, 'GET latency', millis, of(['get50', 'p50'], ['get99', 'p99'], ['get999', 'p99.9'])),
    new Plot(load, 'PUT latency', millis, of(['put50', 'p50'], ['put99', 'p99'], ['put999', 'p99.9'])),
    new Plot(load, 'Answers of 500 and above', perSecond, of(['failures', 'failures'])),
    new Plot(load, 'Requests in progress', plain, of(['inFlight', 'in progress'])),
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

function drawPlots() {
  [...plots, ...memberPlots].forEach((plot) => plot.draw());
}

function rebuildPlots() {
  [...plots, ...memberPlots].forEach((plot) => plot.build());
}

function addSample(sample) {
  const history = histories.find((each) => each.period === sample.period);
  if (!history) return;
  const names = Object.keys(history.series);
  history.moments.push(sample.moment);
  names.forEach((name, i) => history.series[name].push(sample.values[i]));
  while (history.moments.length > MAX_SAMPLES) {
    history.moments.shift();
    names.forEach((name) => history.series[name].shift());
  }
  if (history === shownHistory()) drawPlots();
}

$('period').addEventListener('change', () => {
  windowMillis = Number($('period').value) * 1000;
  rebuildPlots();
});
