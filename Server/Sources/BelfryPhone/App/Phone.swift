import Belfry
import BelfryModel
import Foundation

/// One simulated phone. It passes a person's actions to its parts, and makes the page from their state.
package actor Phone {
    package nonisolated let number: Int
    nonisolated let viewers: Viewers
    nonisolated let screen: PhoneScreen
    nonisolated let clock: PhoneClock
    nonisolated let notes: PhoneNotes
    nonisolated let system: PhoneSystemStore
    nonisolated let process: AppProcess
    nonisolated let pushes: PushDelivery
    nonisolated let tokens: PushTokens
    nonisolated let actions = ActionQueue()
    let world: PhoneWorld
    private(set) var isOff = false

    package init(number: Int, world: PhoneWorld) {
        let environment = world.environment
        let folder = world.folder(ofPhone: number)
        let viewers = Viewers()
        let clock = PhoneClock(environment)
        let screen = PhoneScreen(isWatched: { !viewers.isEmpty }, changed: { viewers.signal() })
        let notes = PhoneNotes(viewers: viewers, clock: clock, world: environment, folder: folder)
        let system = PhoneSystemStore(folder: folder, notes: notes, now: environment.now())
        let process = AppProcess(
            world: world, folder: folder, clock: clock, screen: screen, system: system, notes: notes
        )
        let pushes = PushDelivery(
            environment: environment, viewers: viewers, system: system, notes: notes, process: process
        )
        tokens = PushTokens(
            service: world.pushService, environment: environment, system: system, notes: notes,
            hear: { news, token in await pushes.heard(news, of: token) }
        )
        self.number = number
        self.world = world
        self.viewers = viewers
        self.screen = screen
        self.clock = clock
        self.notes = notes
        self.system = system
        self.process = process
        self.pushes = pushes
    }

    /// Carries out an action after those before it. The inspector shows why an action failed.
    ///
    /// - Returns: false when too many actions wait.
    @discardableResult
    package func perform(_ action: PhoneAction) async -> Bool {
        // A message from a page is handled at once: a waiting action may need it.
        if action.do == .page {
            if let page = action.number, let text = action.value { screen.post(text, from: page) }
            return true
        }
        guard await actions.perform({ await self.carryOut(action) }) else { return false }
        viewers.signal()
        return true
    }

    /// Delivers the push that APNs keeps for the phone, then listens for pushes to the token that the app had before
    /// the phones' program restarted.
    package func switchOn() async {
        guard !isOff else { return }
        // The kept push came before any push that arrives from now on.
        await pushes.deliverHeld()
        await tokens.begin()
    }

    /// A browser now shows the phone. The app gets a foreground event, so that messages that could not be shown without
    /// a screen are tried again.
    package func watched() async {
        guard system.current.process == .foreground else { return }
        await process.session?.platform.send(.foreground)
    }

    /// Switches the phone off for good: waiting actions do nothing, and no process can start any more.
    package func end() async {
        isOff = true
        await tokens.end()
        await process.end()
    }
}

// MARK: - What it shows

extension Phone {
    /// The present state, read from the system, the app and the SDK.
    func view() async -> PhoneView {
        let overlay = screen.view.overlay.map {
            PhoneView.Overlay(page: $0.number, type: $0.type, isShown: $0.isShown)
        }
        let app = await appView()
        return PhoneView(number: number, now: clock.minute, system: system.current, overlay: overlay, app: app)
    }

    /// The app's view; nil while the app does not run in the foreground.
    private func appView() async -> PhoneView.App? {
        guard system.current.process == .foreground, let session = await process.session else { return nil }
        return await PhoneView.App.shown(by: session)
    }

    /// The HTML of the open message, for its frame.
    func messageHTML() async -> String? { await process.session?.shop.state.message?.html }

    /// The inspector's view: the phone's facts and the SDK's own state.
    func inspectorView() async -> InspectorView {
        let wantsToken = await tokens.isWanted
        var sections = [
            InspectorView.Section.app(
                system.current, outage: notes.inspector.outage, wantsToken: wantsToken, now: world.environment.now()
            )
        ]
        var messages: [InAppMessage] = []
        if let session = await process.session, system.current.process != .suspended,
            let state = try? await session.client.state()
        {
            if !state.registration.isPending { notes.nothingPends() }
            let inspector = notes.inspector
            let facts = InspectorFacts(
                tokens: inspector.tokens, edits: inspector.pendingEdits, inApp: session.inApp,
                worldNow: world.environment.now(), now: clock.now
            )
            sections += InspectorView.Section.all(of: state, facts)
            messages = (try? await session.client.inAppMessages) ?? []
        }
        let decisions = notes.inspector.decisions
        return InspectorView(
            sections: sections,
            inApp: messages.prefix(InspectorView.maximumMessages).map {
                InspectorView.InAppMessageView($0, decisions[$0.id])
            }
        )
    }
}

// MARK: - What the app's platform asks

extension Phone: PhoneHost {
    var isAppShown: Bool { system.current.process == .foreground }
    var permission: PushPermission { system.current.permission }
    var shownBadge: Int { system.current.badge }
    var deliveredPushes: [ReceivedPush] { system.current.notifications.compactMap(\.push) }

    var systemProperties: SystemProperties {
        let present = system.current
        return SystemProperties(
            timeZone: present.timeZone, locale: present.locale, platform: "ios", osVersion: "18.0", appVersion: "1.0",
            sdkVersion: BelfryVersion.sdk, deviceModel: "simulated phone"
        )
    }

    func issueToken() async {
        guard let session = await process.session else { return }
        await tokens.request(for: session)
    }

    func setBadge(_ count: Int) -> Bool {
        let isSet = system.change { system -> Bool in
            guard system.permission == .granted else { return false }
            system.badge = count
            return true
        }
        if isSet { viewers.signal() }
        return isSet
    }

    func removeNotifications(onlyBelfrys: Bool) {
        system.change { $0.removeNotifications(onlyBelfrys: onlyBelfrys) }
        viewers.signal()
    }

    func open(_ url: URL) async -> Bool {
        guard let session = await process.session else { return false }
        await session.shop.open(url.absoluteString)
        viewers.signal()
        return true
    }

    func openSettings() -> Bool {
        notes.note(.system, "The app opens the system's settings for its notifications.")
        return true
    }
}
