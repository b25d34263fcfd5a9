import Belfry
import BelfryModel
import Foundation

/// Pushes that come for the app's token.
extension Phone {
    func heard(_ news: PushServiceNews, of token: String) async {
        // The app has another token by now, or none.
        guard token == system.pushToken else { return }
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
            system.lose(pushToken: token)
            note(
                .trouble,
                "The push service does not know this phone's token any more. The app gets a new one when it asks.")
        }
    }

    /// What waited for the network.
    func backOnline() async {
        await deliverHeld()
        if wantsToken { await seekToken() }
        retireFormerTokens()
    }

    /// What APNs has kept for the phone, unless it has expired.
    func deliverHeld() async {
        guard let reception = system.receiveHeld(now: world.environment.now()) else { return }
        await react(to: reception)
    }

    func deliver(_ arrival: PushArrival) async {
        await react(to: system.receive(arrival, now: world.environment.now()))
    }

    private func react(to reception: PhoneSystem.Reception) async {
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
            note(.trouble, ErrorSentence.text(of: error))
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
