import Belfry
import BelfryModel
import Foundation

/// One phone: the system, the sample app with the real SDK while its process lives, and what the inspector saw.
package actor Phone {
    /// Seconds in the future or past that the clock can be set to.
    static let clockRange: ClosedRange<TimeInterval> = -366 * 86_400...366 * 86_400

    package nonisolated let number: Int
    nonisolated let viewers: Viewers
    nonisolated let screen: PhoneScreen
    nonisolated let clock: PhoneClock
    let world: PhoneWorld
    var system = PhoneSystem()
    var app = SampleApp()
    var inspector = Inspector()
    var session: AppSession?
    private var token: String?
    private var listening: Task<Void, Never>?
    private var suspension: Task<Void, Never>?
    private var newest: Task<Void, Never>?

    package init(number: Int, world: PhoneWorld) {
        let viewers = Viewers()
        self.number = number
        self.world = world
        self.viewers = viewers
        clock = PhoneClock(world.environment)
        screen = PhoneScreen(isWatched: { !viewers.isEmpty }, changed: { viewers.signal() })
    }

    /// Carries out an action after those before it. What it cannot do is said by the inspector.
    package func perform(_ action: PhoneAction) async {
        // A page's posts answer what an action may wait for.
        if action.do == .page {
            if let page = action.number, let text = action.value { screen.post(text, from: page) }
            return
        }
        let before = newest
        let task = Task {
            await before?.value
            await carryOut(action)
        }
        newest = task
        await task.value
        viewers.signal()
    }

    /// The phone is switched off.
    package func end() async {
        listening?.cancel()
        suspension?.cancel()
        await endProcess()
    }

    func note(_ line: Inspector.Line.Kind, _ text: String) {
        inspector.note(line, text, at: clock.now)
        viewers.signal()
    }

    func noteExchange(_ exchange: Exchange) {
        inspector.note(exchange)
        viewers.signal()
    }
}

// MARK: - The app's process

extension Phone {
    /// The person opens the app.
    func openApp() async throws {
        suspension?.cancel()
        system.place = .app
        if let session {
            session.gate.resume()
            system.process = .foreground
            session.platform.send(.foreground)
            note(.system, "The person opens the app; it was still in memory.")
        } else {
            system.process = .foreground
            note(.system, "The person opens the app; its process starts.")
            try await launch()
        }
        try await refreshInline()
    }

    /// The app leaves the screen. The system suspends it a moment later.
    func leaveApp(to place: PhoneSystem.Place) {
        system.place = place
        guard system.process == .foreground, let session else { return }
        system.process = .background
        session.platform.send(.background)
        note(.system, "The app is in the background: the SDK sends what waits, and the system will suspend it.")
        suspendSoon()
    }

    private func suspendSoon() {
        suspension?.cancel()
        suspension = Task { [world] in
            await world.environment.sleep(world.environment.now().addingTimeInterval(PhoneSystem.suspension))
            guard !Task.isCancelled else { return }
            self.suspend()
        }
    }

    private func suspend() {
        guard system.process == .background, let session else { return }
        session.gate.suspend()
        system.process = .suspended
        note(.system, "The system has suspended the app: nothing of it runs until it is opened or woken.")
    }

    /// The process is gone at once: nothing that it was doing is finished.
    func kill() async {
        guard session != nil else { return }
        await endProcess()
        system.process = .killed
        if system.place == .app { system.place = .homeScreen }
        note(.system, "The app was killed. What the SDK had stored is all that is left. No silent push wakes it.")
    }

    func endProcess() async {
        suspension?.cancel()
        guard let session else { return }
        self.session = nil
        app = SampleApp()
        screen.clear()
        await session.end()
        system.process = .notRunning
    }

    private func launch() async throws {
        let gate = ProcessGate()
        let platform = PhonePlatform(phone: self, screen: screen)
        let transport = PhoneTransport(
            network: world.transport, gate: gate, isOnline: { await self.system.isOnline },
            note: { await self.noteExchange($0) }, now: world.environment.now
        )
        let client: BelfryClient
        do {
            client = try BelfryClient(
                configuration: try configuration, platform: platform, transport: transport,
                environment: clock.environment(gate)
            )
        } catch {
            system.process = .notRunning
            throw error
        }
        session = AppSession(client: client, platform: platform, gate: gate, phone: self)
        // As the network monitor of a real phone does when it begins.
        if !system.isOnline { platform.send(.online(false)) }
        try await client.setMessageCenterEnabled(true)
        try await client.start()
    }

    private var configuration: BelfryConfiguration {
        get throws {
            try BelfryConfiguration(
                appCode: world.appCode, serverURL: world.serverURL,
                directory: world.directory.appending(path: "phone-\(number)", directoryHint: .isDirectory)
            )
        }
    }

    /// The app is deleted and installed again: its files are gone, and its token is no longer valid.
    func reinstall() async throws {
        await endProcess()
        system.forgetApp()
        let folder = world.directory.appending(path: "phone-\(number)", directoryHint: .isDirectory)
        if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
        note(.system, "The app was deleted and installed again. APNs rejects its former token from now on.")
        try await loseToken()
    }

    /// A silent push, or one beside a notification, gives the app a moment in the background.
    private func wake(with push: ReceivedPush) async throws {
        guard let session else { return }
        session.gate.resume()
        if system.process == .suspended { system.process = .background }
        try await session.client.handlePush(push)
        try await session.client.flush()
        if system.process == .background { suspendSoon() }
    }
}

// MARK: - Pushes

extension Phone {
    /// The system registers with APNs, or gives the token that it has.
    func issueToken() {
        guard let session else { return }
        Task {
            do {
                let token = try await presentToken()
                try await session.client.setPushToken(token, environment: .production, provider: .apns)
            } catch {
                note(.trouble, "The phone got no push token: \(error)")
            }
        }
    }

    private func presentToken() async throws -> String {
        if let token { return token }
        let token = try await world.pushService.issueToken()
        if let other = self.token { return other }
        self.token = token
        let arrivals = try await world.pushService.arrivals(for: token)
        listening = Task {
            for await arrival in arrivals { await self.deliver(arrival) }
        }
        note(.system, "APNs has given the app a token.")
        return token
    }

    /// APNs rejects the token from now on; nobody tells the app or the server.
    func loseToken() async throws {
        guard let token else { return }
        self.token = nil
        listening?.cancel()
        listening = nil
        try await world.pushService.retire(token)
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
            _ = system.put(notification)
            app.banner = notification
            return
        }
        try await client.handlePush(push)
        guard try await client.mayShow(push) else {
            return note(.push, "The SDK does not let it be shown: it is for a person who used the app before.")
        }
        _ = system.put(notification)
        app.banner = notification
        try await client.pushDisplayed(push)
    }

    /// The person taps on a notification, or on one of its buttons: as `didReceive` forwards it.
    func tap(_ id: Int, button: String?) async throws {
        guard let notification = system.remove(id) else { return }
        app.banner = nil
        try await openApp()
        guard let push = notification.push, let client = session?.client else { return }
        guard try await client.mayShow(push) else {
            return note(.push, "The SDK ignores the tap: the push was for a person who used the app before.")
        }
        try await client.handlePush(push)
        try await client.pushDisplayed(push)
        try await client.pushOpened(push, button: button)
        try await follow(push.action(button: button), of: push)
    }

    private func follow(_ action: NotificationAction?, of push: ReceivedPush) async throws {
        switch action?.type {
        case nil, .launchApp: break
        case .openUrl: app.link = action?.url
        case .openRichMessage:
            if let url = action?.url {
                app.link = url
            } else if let message = try await session?.client.message(for: push) {
                app.tab = .inbox
                try await openMessage(message.id)
            } else {
                note(.push, "The push opens a message, but this person has none of its campaign.")
            }
        }
    }

    /// The person swipes a notification away. The system tells an app that runs.
    func dismiss(_ id: Int) async throws {
        guard let notification = system.remove(id) else { return }
        guard let push = notification.push, let client = session?.client, system.process != .suspended else { return }
        try await client.pushDismissed(push)
    }
}

// MARK: - What the platform asks

extension Phone {
    var isAppShown: Bool { system.process == .foreground }
    var permission: PushPermission { system.permission }
    var shownBadge: Int { system.badge }
    var deliveredPushes: [ReceivedPush] { system.notifications.compactMap(\.push) }

    var systemProperties: SystemProperties {
        SystemProperties(
            timeZone: system.timeZone, locale: system.locale, platform: "ios", osVersion: "18.0", appVersion: "1.0",
            sdkVersion: BelfryVersion.sdk, deviceModel: "simulated phone"
        )
    }

    /// - Returns: whether the person allows numbers on icons.
    func setBadge(_ count: Int) -> Bool {
        guard system.permission == .granted else { return false }
        system.badge = count
        viewers.signal()
        return true
    }

    func removeNotifications(onlyBelfrys: Bool) {
        system.notifications.removeAll { !onlyBelfrys || $0.push != nil }
        viewers.signal()
    }

    func open(_ url: URL) -> Bool {
        app.link = url.absoluteString
        viewers.signal()
        return true
    }

    func openSettings() -> Bool {
        note(.system, "The app opens the system's settings for its notifications.")
        return true
    }
}
