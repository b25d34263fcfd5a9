/** The Belfry SDK for websites (WEB-2). The article `Docs/BrowserSDK.md` explains its use. */

/** A value of an attribute. A `Date` travels as its ISO 8601 text. */
export type AttributeValue = string | number | boolean | Date;

/** Why a call rejected. `code` is stable, `message` says what happened and what is allowed. */
export class BelfryError extends Error {
  /**
   * `invalidConfiguration`, `unsupported` (no secure page, or a browser before 2022), `storageUnavailable` (the browser
   * denies or has lost its storage), `stopped` (by `stop()`, in this page), `invalidEvent`, `invalidEdit`, `invalidArgument`
   * (of another kind than is declared here), `notEnabled`, `unknownMessage`, `wiped`, `erased`; for a fetch of messages `noNetwork`, `maximumRetryReached`, `serverUnavailable`, `invalidPayload`, `messageCenterDisabled`,
   * `messageCenterFailure`, or the server's own code.
   */
  readonly code: string;
  /** The option, argument or attribute that is wrong, if there is one, such as `queue.count` or `attributes.price`. */
  readonly field?: string;
}

/** What a setter, or `identify`, made of its value. A refused value changes nothing. */
export type EditResult = { accepted: true } | { accepted: false; code: string; message: string };

/** The worker for pushes: a file of the site's own origin, or a registration that the site has made. */
export type WorkerOptions = { url: string; scope?: string } | { registration: ServiceWorkerRegistration };

export interface BelfryOptions {
  /** The app's code on the server. */
  appCode: string;
  /** The server's address: http or https, without a query. */
  serverURL: string;
  /** The site's version, for audiences (`appVersion`). */
  appVersion?: string;
  /** Without it the site gets no pushes (`pushState` is `unsupported`). */
  worker?: WorkerOptions;
  /** The contact field of a contact key that names none (ID-3). */
  contactField?: string;
  /** Milliseconds without a visible page after which a session has ended; 30,000 by default. */
  sessionTimeout?: number;
  /**
   * `false`: no in-app messages. An object: `mayShow` is asked before each; `false`, or a promise of it, is a veto for
   * this occasion (IAM-7).
   */
  inApp?: boolean | { mayShow(message: { campaignId: string }): boolean | Promise<boolean> };
  /** When events are uploaded: their number, bytes and age in milliseconds; and the largest upload. */
  uploads?: { flushCount?: number; flushBytes?: number; flushAge?: number; batchCount?: number; batchBytes?: number };
  /** How many events wait at most: their number, bytes and age in milliseconds. The oldest are dropped (EVT-5). */
  queue?: { count?: number; bytes?: number; age?: number };
  /** Milliseconds between two fetches of the message centers, and for which a message is kept after the last (MC-4, MC-7). */
  centers?: { interval?: number; retention?: number };
  /** Begin anew although the server has erased the person (REG-36). Do not pass it at every start. */
  afterErasure?: boolean;
}

/**
 * One edit of the contact record. All its changes take effect together, on the contact that it names (REG-8). A setter that is
 * used after the edit has ended throws a {@link BelfryError} (`invalidEdit`), and so does a list that is none.
 */
export interface RecordEdit {
  readonly contactKey: string | null;
  readonly attributes: Record<string, string | number | boolean>;
  readonly tags: string[];
  readonly pushEnabled: boolean;
  /** Links the browser to that contact; trimmed, 1 to 255 characters. */
  setContactKey(key: string): EditResult;
  /** Trimmed, 1 to 128 characters, no reserved word. A blank text clears the value on the server. */
  setAttribute(key: string, value: AttributeValue): EditResult;
  setAttributes(attributes: Record<string, AttributeValue>): EditResult[];
  /** Stops sending the attribute; the server keeps its value. */
  clearAttribute(key: string): EditResult;
  clearAttributes(keys: string[]): EditResult[];
  clearAllAttributes(): EditResult;
  /** Trimmed, 1 to 128 characters. */
  addTag(tag: string): EditResult;
  addTags(tags: string[]): EditResult[];
  removeTag(tag: string): EditResult;
  removeTags(tags: string[]): EditResult[];
  removeAllTags(): EditResult;
  /** The site's own switch for pushes, beside the browser's permission. */
  setPushEnabled(isEnabled: boolean): EditResult;
}

/** A message of a message center (MC-8). */
export interface Message {
  readonly id: string;
  readonly center: string;
  readonly sentAt: Date;
  readonly expiresAt: Date | null;
  readonly subject: string;
  readonly message: string;
  readonly deeplinkURL?: string;
  readonly richMessageURL?: string;
  readonly iconURL?: string;
  readonly custom: Record<string, unknown>;
  readonly state: "unread" | "read";
}

/** The messages that are stored, newest first, and why they may be old. */
export interface MessageList {
  readonly messages: Message[];
  readonly centers: { name: string; label: string }[];
  readonly fetchedAt: Date | null;
  readonly error: { code: string; message: string } | null;
}

/** What no call could return (as `ClientReport` of the Swift SDK): its kind, and details. */
export interface Report {
  /**
   * `registrationRefused`, `attributesRejected`, `linkRefused`, `propertiesRefused`, `pushTokenRefused`, `webPushKeyRefused`, `eventsRefused`,
   * `eventsSetAside`, `eventsDropped`, `editRefused`, `openIDTokenNeeded`, `pushRegistrationFailed`,
   * `inAppLinkRefused`, `inlineMessagesRefused`, `statesRefused`, `centersRefused`, `erased`, `storageFailed`, `storageSetAside` (the database could not be read, or is not the SDK's:
   * it stays as it is, and a new one took its place, as on a new device), `storageCleared` (the site's data was cleared under the
   * page, which is a new installation from now on: identify the person again), `callFailed` (something that no call of the site
   * waits for, such as a part of the SDK that cannot be loaded, or an event of a message that cannot be recorded).
   */
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly status?: number;
  readonly count?: number;
  readonly reason?: string;
  /** The names of the events that were set aside, at most ten different ones (EVT-4). */
  readonly names?: string[];
  readonly campaignId?: string;
  /** The fields of the record that the server has rejected (REG-25). */
  readonly rejected?: { field: string; reason: string; message: string }[];
}

export interface BelfryEvents {
  /** The first listener also gets the reports from before it. */
  report: Report;
  /** The lists of messages have changed. */
  messages: { name: string; label: string }[];
  unreadCount: number;
  /** A person has clicked on a notification, or on its button `buttonId`. */
  push: { campaign?: string; buttonId?: string; url?: string; data?: Record<string, unknown> };
  /** A message came to the screen or has left it. */
  inApp: { campaignId: string; state: "shown" | "dismissed" };
  /** An event of a message for the site itself. */
  inAppEvent: { campaignId: string; name: string; attributes: Record<string, unknown> };
  /** An address in a message is about to be opened; `preventDefault()` leaves it to the site. */
  inAppLink: { campaignId: string; url: string; preventDefault(): void };
}

/** `unsupported`: no worker was named, or the browser has no pushes. `granted`: permitted, and not subscribed yet. */
export type PushState = "unsupported" | "default" | "denied" | "granted" | "subscribed";

/**
 * ```js
 * const belfry = await Belfry.start({ appCode: "shop", serverURL: "https://push.example.com" });
 * await belfry.track("cart:add", { sku: "42" });
 * ```
 *
 * One for each page, of one app for each origin. Calls return when their effect is durable in the browser, before anything
 * is sent. They reject with a {@link BelfryError}; or with a `TypeError`, where a part of the SDK that they need cannot be loaded.
 */
export class Belfry {
  private constructor();

  /** Opens the storage and starts. Rejects with `storageUnavailable` where the browser denies its storage. */
  static start(options: BelfryOptions): Promise<Belfry>;

  /** Links the browser to a known contact; unique and not to be guessed. The same one again changes nothing (ID-3). */
  identify(contactKey: string, options?: { contactField?: string }): Promise<EditResult>;
  /** The same with a field, or by a token of your identity provider; pass a fresh token at each start. */
  identify(who: { contactKey: string; contactField?: string } | { openIDToken: string }): Promise<EditResult>;
  /** The person's data is gone from the browser when it resolves; the subscription to pushes is replaced (ID-4). */
  logout(): Promise<void>;
  /**
   * Changes the contact record. The function is called once, and must not wait. Resolves with what it returns; rejects with what
   * it throws, and then nothing has changed.
   */
  edit<Result>(body: (record: RecordEdit) => Result): Promise<Result>;
  /** The record as the site has set it. */
  record(): Promise<{ contactKey: string | null; attributes: Record<string, string | number | boolean>; tags: string[]; pushEnabled: boolean }>;

  /** Records an event: a name of 1 to 128 characters, at most 64 attributes, 65,536 bytes. Durable when it resolves. */
  track(name: string, attributes?: Record<string, AttributeValue>): Promise<void>;
  /** The site shows a page of its own (the internal event `screen`). */
  trackScreen(name: string, attributes?: Record<string, AttributeValue>): Promise<void>;
  /** Sends what waits; resolves when nothing more can be sent now. */
  flush(): Promise<void>;

  /** Asks for permission. Call it from a click. Resolves with the state; the subscription follows by itself. */
  requestPushPermission(): Promise<PushState>;
  readonly pushState: PushState;

  /** Off by default (MC-1). Turning it off removes all messages from the browser. */
  setMessageCenterEnabled(isEnabled: boolean): Promise<void>;
  /** The stored messages; never waits for the network. `Primary` by default. */
  messages(center?: string): Promise<MessageList>;
  /** Fetches now. Rejects with the reason when that fails. */
  refreshMessages(): Promise<void>;
  markRead(id: string): Promise<void>;
  deleteMessage(id: string): Promise<void>;
  /** Over all centers. */
  readonly unreadCount: number;

  /** While paused, the server sends no message to show (IAM-7). A visitor who comes back later begins without a pause. */
  pauseInApp(isPaused: boolean): Promise<void>;
  /**
   * Shows the inline message of a view in an element; resolves with whether there is one. It leaves the element with the person
   * for whom it came, so ask again after `identify` and `logout`.
   */
  showInline(element: Element, viewId: string): Promise<boolean>;

  /** Whether events are recorded; survives `wipe()`. `false` also removes those that wait (REG-36). */
  setTrackingEnabled(isEnabled: boolean): Promise<void>;
  /** Removes everything from this browser. The next start is a new installation. */
  wipe(): Promise<void>;

  /** Returns a function that ends the listening. */
  on<Name extends keyof BelfryEvents>(event: Name, listener: (detail: BelfryEvents[Name]) => void): () => void;
  /** What is pending, the last errors and the next attempt, for support (REG-14). */
  state(): Promise<Record<string, unknown>>;
  /**
   * Ends the work in this page. What waits stays for the next. A call that is under way resolves if its effect is stored, and
   * rejects with `stopped` otherwise; so does every later call.
   */
  stop(): Promise<void>;
}
