/** Belfry's pushes in a service worker (WEB-4). The worker is a module of the site's own origin. */

/** Handles all of Belfry's events; one app for each worker. Pushes and notifications of others are left alone. */
export function attach(appCode: string): void;

/**
 * For a worker that listens itself: to `push`, `pushsubscriptionchange`, `notificationclick` and `notificationclose`.
 * Returns whether the event was Belfry's; then it is taken care of.
 */
export function handle(event: ExtendableEvent, appCode: string): boolean;
