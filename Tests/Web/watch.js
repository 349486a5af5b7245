// Runs before every document: reports what goes wrong, and helps tests to find elements, also behind open shadow roots.
addEventListener("securitypolicyviolation", (event) => report(`policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample} in ${event.sourceFile}:${event.lineNumber}`));
// A page that is left early has not loaded everything.
let isLeft = false;
addEventListener("beforeunload", () => { isLeft = true; });
addEventListener("error", (event) => {
  if (event.message) report(`uncaught: ${event.message} in ${event.filename}:${event.lineno}`);
  else if (!isLeft) report(`not loaded: ${event.target?.src ?? event.target?.href}`);
}, true);
addEventListener("unhandledrejection", (event) => report(`unhandled: ${event.reason?.stack ?? event.reason}`));

// A request of the portal that fails and that no test expects: pages must not hide it from the person.
if (/^[/](admin|organization)([/]|$)/.test(location.pathname)) {
  const send = globalThis.fetch;
  globalThis.fetch = async (input, options = {}) => {
    const what = `${options.method ?? "GET"} ${new URL(input, location.href).pathname}`;
    try {
      const answer = await send(input, options);
      if (answer.status >= 400) report(`request: ${answer.status} ${what}`);
      return answer;
    } catch (error) {
      // Ignore requests that the page aborted or left behind.
      if (!isLeft && !options.signal?.aborted) report(`request: ${error} ${what}`);
      throw error;
    }
  };
}

const roots = function* (root = document) {
  yield root;
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) yield* roots(element.shadowRoot);
};
const isShown = (element) => element.checkVisibility({ opacityProperty: false, visibilityProperty: true }) && element.getClientRects().length > 0;
const all = (selector) => [...roots()].flatMap((root) => [...root.querySelectorAll(selector)]);
const words = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE && node.nodeType !== Node.DOCUMENT_FRAGMENT_NODE) return "";
  if (node.nodeType === Node.ELEMENT_NODE && (/^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/.test(node.tagName) || !isShown(node) && getComputedStyle(node).display !== "contents")) return "";
  return [...(node.shadowRoot ?? node).childNodes].map(words).join(" ");
};
Object.defineProperty(globalThis, "__web", { value: {
  all,
  shown: (selector) => all(selector).find(isShown),
  // A button or a link by its words.
  named: (text) => all("button, a, summary").find((element) => isShown(element) && element.textContent.trim() === text),
  text: () => (document.body ? words(document.body).replace(/\s+/g, " ").trim() : ""),
  focus: (selector) => all(selector).find(isShown)?.focus(),
  middle: (selector, text) => {
    const element = text ? __web.named(text) : all(selector).find(isShown);
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  },
} });
