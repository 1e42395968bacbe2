// Actions of an administrator: repair, checkpoint, drain, and the members.

const POLL_MILLIS = 2000;

async function act(method, path, more) {
  write($('action-state'), 'Asking the node…', 'dim');
  const response = await fetch(HERE + path, {method, ...more});
  const text = await textOf(response);
  write($('action-state'), text.trim() || 'Done.', response.ok ? 'ok' : 'bad');
  return response;
}

const actionFailed = (why) => write($('action-state'), 'It is unknown whether the node did it: ' + why.message, 'bad');

/** A button whose action may fail. It does nothing while the action is in progress. */
function onClick(id, action) {
  let isBusy = false;
  $(id).addEventListener('click', async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await action();
    } catch (e) {
      actionFailed(e);
    }
    isBusy = false;
  });
}

onClick('repair', async () => {
  let response = await act('POST', '/admin/repair');
  while (response.ok && / running\b/.test($('action-state').textContent.split('\n')[0])) {
    await new Promise((done) => setTimeout(done, POLL_MILLIS));
    response = await act('GET', '/admin/repair');
  }
});

onClick('drain', () => act(state.drained ? 'DELETE' : 'POST', '/admin/drain'));

const checkpointPath = () => '/admin/checkpoint?name=' + encodeURIComponent($('checkpoint').value.trim());
onClick('checkpoint-make', () => act('POST', checkpointPath()));
onClick('checkpoint-list', async () => {
  const response = await act('GET', '/admin/checkpoint');
  if (response.ok && $('action-state').textContent === 'Done.') write($('action-state'), 'This node has no checkpoints.');
});
confirms($('checkpoint-remove'), () => 'Remove it? Press again', () => act('DELETE', checkpointPath()).catch(actionFailed));

// ---- Members. A change is previewed; applying it sends the same request without dryRun.

let preview = null;

function requestedChange() {
  const name = $('change-member').value;
  const copies = Number($('change-copies').value);
  switch ($('change-kind').value) {
    case 'remove': return {remove: [name]};
    case 'lost': return {lost: [name]};
    case 'replication': return {replication: copies};
    default: return {cancel: true};
  }
}

function changeMembers(body, epoch) {
  return act('POST', '/admin/members', {body: JSON.stringify(body), headers: {'If-Match': epoch, Accept: 'text/plain'}});
}

function notPreviewed() {
  preview = null;
  $('change-apply').disabled = true;
  const kind = $('change-kind').value;
  $('change-member').disabled = kind !== 'remove' && kind !== 'lost';
  $('change-copies').disabled = kind !== 'replication';
}

['change-kind', 'change-member', 'change-copies'].forEach((id) => $(id).addEventListener('input', notPreviewed));

onClick('change-preview', async () => {
  const current = await fetch(HERE + '/admin/members', {headers: {Accept: 'application/json'}});
  const body = requestedChange();
  const epoch = current.headers.get('ETag');
  const response = await changeMembers({...body, dryRun: true}, epoch);
  preview = response.ok ? {body, epoch} : null;
  $('change-apply').disabled = preview === null;
});

onClick('change-apply', async () => {
  await changeMembers(preview.body, preview.epoch);
  notPreviewed();
});

function showActions() {
  write($('drain'), state.drained ? 'End the drain of this node' : 'Drain this node');
  const select = $('change-member');
  const names = members.map((member) => member.name);
  if ([...select.options].map((each) => each.value).join() !== names.join()) {
    const chosen = select.value;
    select.replaceChildren(...names.map((name) => element('option', name)));
    if (names.includes(chosen)) select.value = chosen;
    else notPreviewed();
  }
}

notPreviewed();
