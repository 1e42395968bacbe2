// Elements, numbers and requests. Everything that comes from the cluster is written as text: no script of this page writes HTML.

// The origin without the name and password that an address may have: a browser fetches nothing from such an address, and sends them anyway.
const HERE = location.origin;
const COLOURS = 8;
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

/** A row whose first cell is its heading. Cells are texts, elements, or a text with its style. */
function tableRow(title, ...cells) {
  const row = element('tr');
  const head = element('th');
  head.scope = 'row';
  head.append(title);
  row.append(head);
  for (const each of cells) {
    const [content, style] = Array.isArray(each) ? each : [each, ''];
    const cell = element('td', undefined, style);
    cell.append(content);
    row.append(cell);
  }
  return row;
}

function headRow(...titles) {
  const row = element('tr');
  for (const title of titles) {
    const head = element('th', title);
    head.scope = 'col';
    row.append(head);
  }
  return row;
}

/** A table that scrolls sideways where it does not fit. */
function table(caption, titles, rows) {
  const made = element('table');
  const head = element('thead');
  head.append(headRow(...titles));
  const body = element('tbody');
  body.append(...rows);
  made.append(element('caption', caption), head, body);
  const box = element('div', undefined, 'scroll');
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', caption);
  box.append(made);
  return box;
}

/** Writes a text only if it changed, so that a screen reader does not repeat it. */
function write(node, text, cssClass) {
  if (node.textContent !== text) node.textContent = text;
  if (cssClass !== undefined) node.className = cssClass;
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
const clockTime = (moment, more) => new Date(moment).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', hour12: false, ...more});

// ---- Requests.

/** The detail of an error, or the text of the answer. */
async function textOf(response) {
  const text = await response.text();
  if (!(response.headers.get('Content-Type') || '').includes('json')) return text;
  try {
    return JSON.parse(text).detail || text;
  } catch (e) {
    return text;
  }
}
