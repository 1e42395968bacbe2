// Keys: a listing by prefix; and one key with its value, its owners, and forms that write it.

const PAGE_KEYS = 50;
const MAX_SHOWN_BYTES = 65536;

/** The role of the client's token. */
let role = 'admin';

/** The key that is shown, percent-encoded; its version, bytes and content type, or null without a value. */
let shown = null;

const problemLine = (text) => element('p', text, 'bad');

function decodeBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

const percentEncoded = (octets) => [...octets].map((b) => '%' + b.toString(16).padStart(2, '0')).join('');

/** A key as people type it: text, or percent-encoded if it is not text. */
function labelOf(line) {
  return line.key === undefined ? percentEncoded(decodeBase64(line.keyBase64)) : line.key;
}

/** The key as text, where its percent-encoding is that of text. */
function readable(key) {
  try {
    return decodeURIComponent(key);
  } catch (e) {
    return key;
  }
}

// ---- The listing.

let nextPage = null;

async function listKeys(cursor) {
  const prefix = encodeURIComponent($('prefix').value);
  const box = $('listing');
  if (cursor === '') box.replaceChildren();
  write($('listing-state'), 'Reading…', 'dim');
  $('more').hidden = true;
  const response = await fetch(HERE + '/v0/entities?prefix=' + prefix + '&keys=only&limit=' + PAGE_KEYS + '&cursor=' + cursor,
    {headers: {Accept: 'application/json'}});
  if (!response.ok) {
    write($('listing-state'), await textOf(response), 'bad');
    return;
  }
  const lines = await response.json();
  const last = lines[lines.length - 1];
  nextPage = last && last.cursor !== undefined ? lines.pop().cursor : null;
  const rows = lines.map((line) => {
    const open = element('button', readable(labelOf(line)), 'link');
    open.type = 'button';
    open.addEventListener('click', () => showKey(line.key === undefined ? labelOf(line) : encodeURIComponent(line.key)));
    return tableRow(open, [line.version, 'mono'], line.expires ? new Date(line.expires).toLocaleString() : 'never', line.contentType || '');
  });
  if (box.firstChild) {
    box.querySelector('tbody').append(...rows);
  } else if (rows.length > 0) {
    box.append(table('Keys, in the order of their bytes', ['Key', 'Version', 'Expires', 'Content type'], rows));
  }
  const count = box.querySelectorAll('tbody tr').length;
  write($('listing-state'), nextPage ? 'The first ' + count + ' keys.' : count + (count === 1 ? ' key.' : ' keys.'), 'dim');
  $('more').hidden = nextPage === null;
}

const listingFailed = (why) => write($('listing-state'), 'The node cannot be asked: ' + why.message, 'bad');

$('find').addEventListener('submit', (e) => {
  e.preventDefault();
  listKeys('').catch(listingFailed);
});
$('more').addEventListener('click', () => listKeys(encodeURIComponent(nextPage)).catch(listingFailed));

// ---- The value of one key.

const asHex = (octets) => {
  const lines = [];
  for (let at = 0; at < octets.length; at += 16) {
    const part = [...octets.subarray(at, at + 16)];
    const hex = part.map((b) => b.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    lines.push(at.toString(16).padStart(8, '0') + '  ' + hex + '  ' + part.map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : '.')).join(''));
  }
  return lines.join('\n');
};

/** The value in the format that is chosen; text where it is not JSON. */
function formatted(octets, format) {
  const text = new TextDecoder().decode(octets);
  if (format === 'hex') return asHex(octets);
  if (format !== 'json') return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (e) {
    return text;
  }
}

function showValue() {
  const format = document.querySelector('input[name=format]:checked').value;
  $('value').textContent = shown.value === null ? '' : formatted(shown.value, format);
}

document.querySelectorAll('input[name=format]').forEach((each) => each.addEventListener('change', showValue));

function usualFormat(type, octets) {
  if (type.includes('json')) return 'json';
  const isText = !octets.some((b) => b < 9 || (b > 13 && b < 32)) && !new TextDecoder().decode(octets).includes('\ufffd');
  return isText ? 'text' : 'hex';
}

/** Reads the first bytes of the value, and shows all that the answer says of it, unless another key is shown by then. */
async function readValue(mine) {
  const response = await fetch(HERE + '/v0/entity?id=' + mine.key, {headers: {Range: 'bytes=0-' + (MAX_SHOWN_BYTES - 1)}, cache: 'no-store'});
  const isEmpty = response.status === 416;
  const value = response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  if (mine !== shown) return;
  shown.version = response.headers.get('ETag');
  shown.value = null;
  if (!response.ok && response.status !== 404 && !isEmpty) {
    write($('value-state'), await textOf(response), 'bad');
  } else if (response.status === 404) {
    shown.version = null;
    write($('value-state'), 'This key has no value.', 'dim');
  } else {
    shown.value = isEmpty ? new Uint8Array(0) : value;
    const range = response.headers.get('Content-Range');
    const size = range ? Number(range.split('/')[1]) : shown.value.length;
    const type = response.headers.get('Content-Type') || '';
    shown.type = /json|^text/.test(type) ? type : null;
    const expires = response.headers.get('X-Quorate-Expires');
    write($('value-state'), plain(size) + ' bytes' + (size > shown.value.length ? ', of which the first ' + plain(shown.value.length) + ' are shown' : '')
      + ', version ' + (shown.version || '').replaceAll('"', '') + (type ? ', ' + type : '')
      + (expires ? ', expires ' + new Date(Number(expires)).toLocaleString() : ', does not expire'), 'dim');
    document.querySelector('input[name=format][value=' + usualFormat(type, shown.value) + ']').checked = true;
  }
  $('value-box').hidden = shown.value === null;
  showValue();
}

// ---- What each member has of the key.

function rowsOf(member) {
  const owner = member.owner ? String(member.rank) : '';
  if (member.reason) return [tableRow(member.member, owner, 'no answer', '', '', member.detail)];
  const entries = member.entries || [];
  if (entries.length === 0) return [tableRow(member.member, owner, 'nothing', '', '', '')];
  return entries.map((entry) => tableRow(
    member.member, owner, entry.version, entry.time, entry.tombstone ? 'tombstone' : entry.bytes.toLocaleString('en') + ' bytes',
    entry.where + (entry.table ? ' ' + entry.table : '')));
}

async function explain(mine) {
  const answer = $('answer');
  answer.replaceChildren(element('p', 'Asking all members…', 'dim'));
  const response = await fetch(HERE + '/admin/why?id=' + mine.key, {headers: {Accept: 'application/json'}});
  const report = await response.json();
  if (mine !== shown) return;
  if (!report.members) {
    answer.replaceChildren(problemLine(report.detail || 'The node answers ' + response.status + '.'));
    return;
  }
  const list = element('ul');
  report.conclusions.forEach((text) => list.append(element('li', text)));
  answer.replaceChildren(
    table(report.found ? 'The entries of each member' : 'No member that answered has an entry of this key',
      ['Member', 'Owner', 'Version', 'Time', 'Entry', 'Place'], report.members.flatMap(rowsOf)), list);
  shownOwners = report.members.filter((m) => m.owner).sort((a, b) => a.rank - b.rank).map((m) => m.member);
  showRing();
}

function showNoKey() {
  shown = null;
  shownOwners = null;
  $('entity').hidden = true;
  if (state.node) showRing();
}

/** Shows a key, which is percent-encoded. */
async function showKey(key) {
  const mine = {key, version: null, value: null, type: null};
  shown = mine;
  $('entity').hidden = false;
  write($('entity-h'), 'Key ' + readable(key));
  $('answer').replaceChildren();
  $('write-state').textContent = '';
  notConfirmed();
  $('change').hidden = role === 'read';
  await readValue(mine);
  if (role === 'admin' && state.node && mine === shown) await explain(mine);
}

const keyFailed = (why) => $('answer').replaceChildren(problemLine('The node cannot be asked: ' + why.message));

$('ask').addEventListener('submit', (e) => {
  e.preventDefault();
  const typed = $('id').value;
  if (typed === '') {
    showNoKey();
    return;
  }
  showKey($('encoded').checked ? typed.replace(/[&#?\s]/g, encodeURIComponent) : encodeURIComponent(typed)).catch(keyFailed);
});

// ---- Writes. They replace only the version that is shown, unless the box is cleared.

async function writeKey(method, query, body) {
  const mine = shown;
  const condition = shown.version ? {'If-Match': shown.version} : {'If-None-Match': '*'};
  const response = await fetch(HERE + '/v0/entity?id=' + shown.key + query,
    {method, body, headers: {...($('unchanged').checked ? condition : {}), ...(body === undefined ? {} : {'Content-Type': shown.type || 'text/plain; charset=utf-8'})}});
  const text = response.ok ? (method === 'PUT' ? 'Stored.' : 'Deleted.')
    : response.status === 412 ? 'Not written: the key has another version by now. Show it again.' : await textOf(response);
  if (mine !== shown) return;
  if (response.ok) {
    await readValue(mine);
    if (role === 'admin') await explain(mine);
  }
  write($('write-state'), text, response.ok ? 'ok' : 'bad');
}

const writeFailed = (why) => write($('write-state'), 'It is unknown whether the write was made: ' + why.message, 'bad');

$('change').addEventListener('submit', (e) => {
  e.preventDefault();
  const ttl = $('ttl').value.trim();
  writeKey('PUT', ttl === '' ? '' : '&ttl=' + encodeURIComponent(ttl), $('new-value').value).catch(writeFailed);
});

/** A button that destroys asks once more, in its own text, until it loses the focus. */
function confirms(button, question, action) {
  const usual = button.textContent;
  let asked = false;
  const reset = () => {
    asked = false;
    write(button, usual);
  };
  button.addEventListener('blur', reset);
  button.addEventListener('click', () => {
    if (asked) {
      reset();
      action();
    } else {
      asked = true;
      write(button, question());
    }
  });
  return reset;
}

const notConfirmed = confirms($('delete'), () => 'Delete this key? Press again', () => writeKey('DELETE', '', undefined).catch(writeFailed));
