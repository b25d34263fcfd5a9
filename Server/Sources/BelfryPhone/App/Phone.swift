import Belfry
import BelfryModel
import Foundation

/// One phone: the system, the sample app with the real SDK while its process lives, and what the inspector saw.
package actor Phone {
    /// Actions that wait for each other; more than a page can press are refused.
    static let maximumWaitingActions = 100

    package nonisolated let number: Int
    nonisolated let viewers: Viewers
    nonisolated let screen: PhoneScreen
    nonisolated let clock: PhoneClock
    let world: PhoneWorld
    /// What of it outlives the phones' program is on the disk as soon as it changes.
    var system: PhoneSystem {
        didSet { keepSystem() }
    }
    var inspector: Inspector
    var session: AppSession?
    /// The app has asked for its push token and has none yet.
    var wantsToken = false
    /// What the push service is asked for, or told, while the phone goes on.
    var tokenSearch: Task<Void, Never>?
    var tokenLoss: Task<Void, Never>?
    var retirement: Task<Void, Never>?
    var suspension: Task<Void, Never>?
    private var connection: PushConnection?
    private let systemFile: PhoneSystemFile
    /// What is on the disk of the system.
    private var keptSystem: PhoneSystem.Kept
    /// What is on the disk of the tokens' ages; nil before it was read.
    private var keptAges: TokenAges?
    private var newest: Task<Void, Never>?
    private(set) var waitingActions = 0
    private(set) var isOff = false

    package init(number: Int, world: PhoneWorld) {
        let viewers = Viewers()
        let file = PhoneSystemFile(folder: world.folder(ofPhone: number))
        var told = Inspector()
        var kept = PhoneSystem.Kept()
        let now = world.environment.now()
        do {
            if let former = try file.read(now: now) { kept = former }
        } catch {
            told.note(
                .trouble, "What the phone's system had stored cannot be read: the phone begins without it.", at: now
            )
        }
        systemFile = file
        keptSystem = kept
        system = PhoneSystem(kept)
        inspector = told
        self.number = number
        self.world = world
        self.viewers = viewers
        clock = PhoneClock(world.environment)
        screen = PhoneScreen(isWatched: { !viewers.isEmpty }, changed: { viewers.signal() })
    }

    /// Carries out an action after those before it. What it cannot do is said by the inspector.
    ///
    /// - Returns: false when too many actions wait.
    @discardableResult
    package func perform(_ action: PhoneAction) async -> Bool {
        // A page's posts answer what an action may wait for.
        if action.do == .page {
            if let page = action.number, let text = action.value { screen.post(text, from: page) }
            return true
        }
        return await inTurn { await self.carryOut(action) }
    }

    /// Does something after the actions before it.
    ///
    /// - Returns: false when too many actions wait.
    func inTurn(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        guard waitingActions < Self.maximumWaitingActions else { return false }
        waitingActions += 1
        let before = newest
        let task = Task {
            await before?.value
            await work()
        }
        newest = task
        await task.value
        waitingActions -= 1
        viewers.signal()
        return true
    }

    /// The phone gets what APNs has kept for it, and hears what comes for the token that its app had before the phones'
    /// program was started anew.
    package func switchOn() async {
        guard !isOff else { return }
        // It came before whatever is heard next.
        await deliverHeld()
        retireFormerTokens()
        guard system.pushToken != nil else { return }
        await pushes.listen()
    }

    /// A browser shows the phone from now on. What the app could not put on a screen is tried again at once, as on a
    /// phone whose screen is free again.
    package func watched() {
        guard system.process == .foreground else { return }
        session?.platform.send(.foreground)
    }

    /// The phone is switched off, for good: actions that still wait do nothing, and no process is started again.
    package func end() async {
        isOff = true
        for work in [tokenSearch, tokenLoss, retirement] { work?.cancel() }
        await connection?.end()
        await endProcess()
    }

    var pushes: PushConnection {
        if let connection { return connection }
        let made = PushConnection(
            service: world.pushService, token: system.pushToken, after: system.newestPush
        ) { [weak self] news, token in await self?.heard(news, of: token) }
        connection = made
        return made
    }

    func noteExchange(_ request: TransportRequest, _ exchange: Exchange, _ response: TransportResponse?) {
        inspector.note(exchange, request: request, response: response)
        keepTokenAges()
        viewers.signal()
    }

    private func keepSystem() {
        let kept = system.kept
        guard kept != keptSystem else { return }
        keptSystem = kept
        do {
            try systemFile.write(kept)
        } catch {
            note(
                .trouble,
                "What the phone's system keeps could not be stored: a phone that is started anew does not know it."
            )
        }
    }

    /// Nothing of it is on the disk any more: the files of the app are gone, and it was beside them.
    func keepSystemAnew() {
        keptSystem = PhoneSystem.Kept()
        keepSystem()
    }

    /// The tokens of a former run are on the disk, and so is when they came.
    func recallTokenAges() {
        guard keptAges == nil else { return }
        let former = tokenAgesFile.read(now: world.environment.now())
        keptAges = former
        inspector.restore(former)
    }

    func keepTokenAges() {
        let ages = inspector.tokens
        guard session != nil, ages != keptAges else { return }
        do {
            try tokenAgesFile.write(ages)
        } catch {
            note(
                .trouble, "The ages of the tokens could not be stored: a phone that is started anew does not know them."
            )
        }
        keptAges = ages
    }
}

extension Phone: AppObserver {
    func note(_ kind: Inspector.Line.Kind, _ text: String) {
        inspector.note(kind, text, at: clock.now)
        viewers.signal()
    }

    func noteEdit(of part: String) {
        inspector.noteEdit(of: part, at: world.environment.now())
    }

    func noteDecision(_ decision: InAppDecisionReport) {
        inspector.note(decision, at: clock.now)
        viewers.signal()
    }

    func appChanged() {
        viewers.signal()
    }
}

extension Phone: PhoneHost {
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

    func setBadge(_ count: Int) -> Bool {
        guard system.permission == .granted else { return false }
        system.badge = count
        viewers.signal()
        return true
    }

    func removeNotifications(onlyBelfrys: Bool) {
        system.removeNotifications(onlyBelfrys: onlyBelfrys)
        viewers.signal()
    }

    func open(_ url: URL) async -> Bool {
        guard let session else { return false }
        await session.shop.open(url.absoluteString)
        viewers.signal()
        return true
    }

    func openSettings() -> Bool {
        note(.system, "The app opens the system's settings for its notifications.")
        return true
    }
}
