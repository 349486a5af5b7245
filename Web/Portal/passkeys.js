// Passkeys of this browser, in the JSON that the API speaks (WebAuthn §5.1).

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")),
  (letter) => letter.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-")
  .replace(/\//g, "_").replace(/=+$/, "");

/** Whether the page's host is an IP address, for which browsers have no passkeys: WebAuthn §5.1.3. */
export const isAtAddress = /^[0-9.]+$|^\[/.test(location.hostname);

/** Whether the browser has passkeys here: it needs HTTPS, or localhost. */
export const hasPasskeys = Boolean(window.PublicKeyCredential && navigator.credentials) && !isAtAddress;

/** Makes a passkey. @param {{publicKey: object}} options Of the API. */
export async function createPasskey({ publicKey }) {
  const made = await navigator.credentials.create({ publicKey: {
    ...publicKey, challenge: bytes(publicKey.challenge), user: { ...publicKey.user, id: bytes(publicKey.user.id) },
    excludeCredentials: (publicKey.excludeCredentials ?? []).map((one) => ({ ...one, id: bytes(one.id) })),
  } });
  return credential(made, {
    clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject),
    transports: made.response.getTransports?.() ?? [],
  });
}

/** Signs with a passkey that the person chooses. @param {{publicKey: object}} options Of the API. */
export async function usePasskey({ publicKey }) {
  const used = await navigator.credentials.get(
    { publicKey: { ...publicKey, challenge: bytes(publicKey.challenge), allowCredentials: [] } });
  return credential(used, {
    clientDataJSON: text(used.response.clientDataJSON), authenticatorData: text(used.response.authenticatorData),
    signature: text(used.response.signature),
    userHandle: used.response.userHandle ? text(used.response.userHandle) : null,
  });
}

/** Whether an error means that the person or the browser ended the dialog. */
export function wasCancelled(error) {
  return error instanceof DOMException && ["NotAllowedError", "AbortError", "InvalidStateError"].includes(error.name);
}

function credential(one, response) {
  return { id: one.id, rawId: text(one.rawId), type: one.type, response, clientExtensionResults: {} };
}
