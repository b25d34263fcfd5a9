// A login that a token of the site's identity provider proves (ID-3).
import { digest, identify, purge, refuse } from "./belfry-state.js";

/** Whose the token is, read unverified: only the server has to trust it (ID-3). */
export function readToken(raw) {
  const token = String(raw ?? "").trim();
  if (!token) refuse("blank", "An OpenID token cannot be empty or blank.");
  if (token.length > 8192) refuse("tooLong", "An OpenID token has at most 8,192 bytes.");
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) {
    refuse("invalidToken", "An OpenID token has three parts of Base64url, joined by dots. Is this an access token?");
  }
  try {
    const binary = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
    const { iss, sub } = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (unit) => unit.charCodeAt(0))));
    if (typeof sub === "string") return { token, key: sub, subject: digest([iss, sub]) };
  } catch {
    // Only the server can say more about it.
  }
  return { token, subject: digest(token) };
}

/** Only the server reads the contact key in a token, so the record has none. */
function proveContact(record, proof, former) {
  const { contactKey: key, contactField } = record;
  const isOther = former != null ? former !== proof.subject : key != null && (contactField != null || key !== proof.key);
  if (isOther) purge(record);
  record.contactKey = null;
  return isOther;
}

/** Links the person whom the token proves; a fresh token of the same person replaces the one of a waiting link. */
export function prove(state, proof, now) {
  const { link, record, gates } = state;
  const isOther = proveContact(record, proof, link.subject);
  if (isOther) link.person += 1;
  link.subject = proof.subject;
  identify(link, gates, `openID:${proof.subject}`, { openIdToken: proof.token }, now);
  return isOther;
}
