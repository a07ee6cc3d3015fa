// Elements from words. Text only ever becomes a text node, so that a name from a program or a file
// cannot be markup.

/** h('p', {class: 'note'}, 'text', child, ...): on* attributes are listeners. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return element;
}

export function replaceChildren(element, ...children) {
  element.replaceChildren(...children.flat().filter((c) => c !== null && c !== undefined));
}

/** A list to choose from; options are strings or {value, label}. */
export function choice(label, options, value, onchange) {
  const select = h('select', { onchange: () => onchange(select.value) },
    options.map((o) => {
      const { value: v, label: text } = typeof o === 'object' ? o : { value: o, label: o };
      return h('option', { value: v, selected: v === value }, text);
    }));
  return h('label', { class: 'choice' }, h('span', null, label), select);
}

export function toggle(label, checked, onchange) {
  const box = h('input', { type: 'checkbox', checked, onchange: () => onchange(box.checked) });
  return h('label', { class: 'toggle' }, box, h('span', null, label));
}

/** A command line with a button that copies it. */
export function command(text) {
  const button = h('button', {
    class: 'copy', type: 'button', title: 'Copy',
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'copied';
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = 'selected';
      }
      setTimeout(() => { button.textContent = 'copy'; }, 1500);
    },
  }, 'copy');
  const code = h('code', null, text);
  return h('div', { class: 'command' }, code, button);
}

/** What a section shows that has no data: what it would show, and the commands that fill it. */
export function empty(what, commands) {
  return h('div', { class: 'empty' }, h('p', null, what), commands.map(command));
}

/** Only built when it is opened. */
export function disclosure(title, build) {
  const details = h('details', {
    ontoggle: () => {
      if (!details.open || details.dataset.built) return;
      details.dataset.built = 'yes';
      details.append(build());
    },
  }, h('summary', null, title));
  return details;
}
