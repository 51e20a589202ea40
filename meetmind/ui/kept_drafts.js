// Half-typed words outlive a page switch, a refresh and a restart of the server: what stands in the
// composer and in the answers to questions is kept in this tab until it is sent or deleted.
(() => {
  const COMPOSER = '[data-testid="stChatInput"] textarea';
  const ANSWERS = '[class*="st-key-question_answer_"] textarea';
  const PREFIX = "meetmind_draft_";
  const LOOK_EVERY_MS = 300;
  const drafts = window.sessionStorage;
  const own = () => `${PREFIX}${window.meetmindDraftOwner}_`;
  const placeOf = (field) => {
    if (field.matches(COMPOSER)) return `${own()}composer`;
    const box = field.closest('[class*="st-key-question_answer_"]');
    const name = [...box.classList].find((known) => known.startsWith("st-key-question_answer_"));
    return `${own()}${name}`;
  };
  const putBack = (field, words) => {
    const value = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
    value.set.call(field, words);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    // An answer counts for the server once its field is left.
    setTimeout(() => field.dispatchEvent(new FocusEvent("focusout", { bubbles: true })), 50);
  };
  const known = new WeakSet();
  const look = () => {
    for (const field of document.querySelectorAll(`${COMPOSER}, ${ANSWERS}`)) {
      const place = placeOf(field);
      const draft = drafts.getItem(place);
      if (field.disabled) {
        known.delete(field);
      } else if (field.value) {
        known.add(field);
        if (field.value !== draft) drafts.setItem(place, field.value);
      } else if (known.has(field)) {
        if (draft !== null) drafts.removeItem(place);
      } else {
        known.add(field);
        if (draft) putBack(field, draft);
      }
    }
  };
  if (window.meetmindKeptDrafts) return;
  window.meetmindKeptDrafts = true;
  setInterval(look, LOOK_EVERY_MS);
  for (const kind of ["input", "keydown", "click"]) {
    document.addEventListener(kind, () => setTimeout(look, 20));
  }
})();
