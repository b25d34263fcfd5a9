import Belfry
import BelfryModel
import Foundation

/// Delivers the pushes for the app's token, and handles the person's taps on their notifications.
actor PushDelivery {
    private let environment: DeviceEnvironment
    private let viewers: Viewers
    private let system: PhoneSystemStore
    private let notes: PhoneNotes
    private let process: AppProcess

    init(
        environment: DeviceEnvironment, viewers: Viewers, system: PhoneSystemStore, notes: PhoneNotes,
        process: AppProcess
    ) {
        self.environment = environment
        self.viewers = viewers
        self.system = system
        self.notes = notes
        self.process = process
    }

    func heard(_ news: PushServiceNews, of token: String) async {
        // The app has a different token now, or none.
        guard token == system.current.pushToken else { return }
        switch news {
        case .arrived(let arrival):
            let now = environment.now()
            // The token may have changed since the check above.
            let reception = system.change { system -> PhoneSystem.Reception? in
                system.pushToken == token ? system.receive(arrival, now: now) : nil
            }
            if let reception { await react(to: reception) }
        case .lost:
            system.change { $0.hasPushService = false }
            notes.note(
                .trouble,
                "The push service does not answer. It keeps what is sent to this phone; the phone tries again.")
        case .back:
            system.change { $0.hasPushService = true }
            notes.note(.system, "The push service answers again.")
        case .tokenUnknown:
            system.change { $0.lose(pushToken: token) }
            notes.note(
                .trouble,
                "The push service no longer knows this phone's token. The app gets a new one when it asks.")
        }
    }

    /// Delivers the push that APNs kept for the phone, unless it has expired.
    func deliverHeld() async {
        let now = environment.now()
        guard let reception = system.change({ $0.receiveHeld(now: now) }) else { return }
        await react(to: reception)
    }

    func deliver(_ arrival: PushArrival) async {
        let now = environment.now()
        await react(to: system.change { $0.receive(arrival, now: now) })
    }

    private func react(to reception: PhoneSystem.Reception) async {
        notes.note(.push, reception.sentence)
        do {
            switch reception {
            case .forApp(let notification): try await present(notification)
            case .shown(let notification, _, let wakes):
                if wakes, let push = notification.push { try await process.wake(with: push) }
            case .woke(let notification):
                if let push = notification.push { try await process.wake(with: push) }
            case .held, .expired, .ignored, .notWoken, .notAllowed: break
            }
        } catch {
            notes.note(.trouble, ErrorSentence.text(of: error))
        }
        viewers.signal()
    }

    /// The app is visible and decides: it forwards the notification to the SDK, as in `willPresent`.
    private func present(_ notification: PhoneNotification) async throws {
        guard let push = notification.push, let client = await process.session?.client else {
            return putOverApp(notification)
        }
        try await client.handlePush(push)
        guard try await client.mayShow(push) else {
            return notes.note(.push, "The SDK does not let it be shown: it is for a person who used the app before.")
        }
        putOverApp(notification)
        try await client.pushDisplayed(push)
    }

    private func putOverApp(_ notification: PhoneNotification) {
        system.change { system in
            _ = system.put(notification)
            system.banner = notification
        }
        Task { [environment] in
            await environment.sleep(environment.now().addingTimeInterval(PhoneSystem.bannerTime))
            hideBanner(notification.id)
        }
    }

    private func hideBanner(_ id: Int) {
        let isHidden = system.change { system -> Bool in
            guard system.banner?.id == id else { return false }
            system.banner = nil
            return true
        }
        if isHidden { viewers.signal() }
    }

    /// The person has tapped a notification or one of its buttons, and the app is open: it forwards the tap to the SDK,
    /// as in `didReceive`.
    func opened(_ notification: PhoneNotification, button: String?) async throws {
        guard let push = notification.push, let session = await process.session else { return }
        guard try await session.client.mayShow(push) else {
            return notes.note(.push, "The SDK ignores the tap: the push was for a person who used the app before.")
        }
        try await session.client.handlePush(push)
        try await session.client.pushDisplayed(push)
        try await session.client.pushOpened(push, button: button)
        await follow(push.action(button: button), of: push, in: session.shop)
    }

    private func follow(_ action: NotificationAction?, of push: ReceivedPush, in shop: ShopApp) async {
        guard let action, action.type != .launchApp else { return }
        if let url = action.url {
            await shop.open(url)
        } else if action.type == .openRichMessage {
            await shop.openMessage(of: push)
        }
    }

    /// The person swipes a notification away. The system tells the app only if it runs.
    func dismiss(_ id: Int) async throws {
        guard let notification = system.change({ $0.remove(id) }), let push = notification.push else { return }
        guard let client = await process.session?.client, system.current.process != .suspended else { return }
        try await client.pushDismissed(push)
    }
}
