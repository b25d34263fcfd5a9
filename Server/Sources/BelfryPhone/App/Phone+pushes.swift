import Belfry
import BelfryModel
import Foundation

/// Pushes, and the token that they come by.
extension Phone {
    func heard(_ news: PushServiceNews) async {
        switch news {
        case .arrived(let arrival): await deliver(arrival)
        case .lost:
            system.hasPushService = false
            note(
                .trouble,
                "The push service does not answer. It keeps what is sent to this phone; the phone tries again.")
        case .back:
            system.hasPushService = true
            note(.system, "The push service answers again.")
        case .tokenUnknown:
            system.hasPushService = true
            system.setPushToken(nil)
            note(
                .trouble,
                "The push service does not know this phone's token any more. The app gets a new one when it asks.")
        }
    }

    /// What waited for the network.
    func backOnline() async {
        if let held = system.takeHeld(now: world.environment.now()) { await deliver(held) }
        if wantsToken { await issueToken() }
    }

    /// The system registers with APNs as soon as there is a network, or gives the token that it has.
    func issueToken() async {
        guard let session else { return }
        let pushes = pushes
        wantsToken = await !pushes.hasToken && !system.isOnline
        guard !wantsToken else { return note(.system, "The app gets its token when the phone has a network.") }
        Task {
            do {
                let (token, isNew) = try await pushes.token()
                if isNew { self.gotToken(token) }
                try await session.client.setPushToken(token, environment: .production, provider: .apns)
            } catch {
                note(.trouble, "The phone got no push token: \(error)")
            }
        }
    }

    private func gotToken(_ token: String) {
        system.setPushToken(token)
        inspector.noteToken(at: world.environment.now())
        keepTokenAges()
        note(.system, "APNs has given the app a token.")
    }

    func loseToken() async throws {
        guard try await retireToken() else { return note(.system, "The app has no push token that could be lost.") }
        note(.system, "APNs rejects the app's token from now on. The server learns it with its next push.")
    }

    /// - Returns: false when there was none.
    func retireToken() async throws -> Bool {
        guard try await pushes.lose() else { return false }
        system.setPushToken(nil)
        return true
    }

    func deliver(_ arrival: PushArrival) async {
        let reception = system.receive(arrival, now: world.environment.now())
        note(.push, reception.sentence)
        do {
            switch reception {
            case .forApp(let notification): try await present(notification)
            case .shown(let notification, _, let wakes):
                if wakes, let push = notification.push { try await wake(with: push) }
            case .woke(let notification):
                if let push = notification.push { try await wake(with: push) }
            case .held, .expired, .ignored, .notWoken, .notAllowed: break
            }
        } catch {
            note(.trouble, "\(error)")
        }
        viewers.signal()
    }

    /// The app is shown, and decides: as `willPresent` forwards it to the SDK.
    private func present(_ notification: PhoneNotification) async throws {
        guard let push = notification.push, let client = session?.client else {
            return putOverApp(notification)
        }
        try await client.handlePush(push)
        guard try await client.mayShow(push) else {
            return note(.push, "The SDK does not let it be shown: it is for a person who used the app before.")
        }
        putOverApp(notification)
        try await client.pushDisplayed(push)
    }

    private func putOverApp(_ notification: PhoneNotification) {
        _ = system.put(notification)
        system.banner = notification
        Task { [world] in
            await world.environment.sleep(world.environment.now().addingTimeInterval(PhoneSystem.bannerTime))
            hideBanner(notification.id)
        }
    }

    private func hideBanner(_ id: Int) {
        guard system.banner?.id == id else { return }
        system.banner = nil
        viewers.signal()
    }

    /// The person taps on a notification, or on one of its buttons: as `didReceive` forwards it.
    func tap(_ id: Int, button: String?) async throws {
        guard let notification = system.remove(id) else { return }
        try await openApp()
        guard let push = notification.push, let client = session?.client else { return }
        guard try await client.mayShow(push) else {
            return note(.push, "The SDK ignores the tap: the push was for a person who used the app before.")
        }
        try await client.handlePush(push)
        try await client.pushDisplayed(push)
        try await client.pushOpened(push, button: button)
        await follow(push.action(button: button), of: push)
    }

    private func follow(_ action: NotificationAction?, of push: ReceivedPush) async {
        guard let shop = session?.shop, let action, action.type != .launchApp else { return }
        if let url = action.url {
            await shop.open(url)
        } else if action.type == .openRichMessage {
            await shop.openMessage(of: push)
        }
    }

    /// The person swipes a notification away. The system tells an app that runs.
    func dismiss(_ id: Int) async throws {
        guard let notification = system.remove(id) else { return }
        guard let push = notification.push, let client = session?.client, system.process != .suspended else { return }
        try await client.pushDismissed(push)
    }
}
