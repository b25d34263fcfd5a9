import Belfry
import Foundation

/// The process of the phone's app: it starts when the person opens the app, is suspended in the background, and ends.
actor AppProcess {
    /// The app with its client; nil while the app has no process.
    private(set) var session: AppSession?
    private let world: PhoneWorld
    /// The folder of the app's files.
    private let folder: URL
    private let clock: PhoneClock
    private let screen: PhoneScreen
    private let system: PhoneSystemStore
    private let notes: PhoneNotes
    private var suspension: Task<Void, Never>?
    private var isOver = false

    init(
        world: PhoneWorld, folder: URL, clock: PhoneClock, screen: PhoneScreen, system: PhoneSystemStore,
        notes: PhoneNotes
    ) {
        self.world = world
        self.folder = folder
        self.clock = clock
        self.screen = screen
        self.system = system
        self.notes = notes
    }

    /// The person opens the app.
    ///
    /// - Parameter phone: answers the calls of the app's platform.
    func open(on phone: any PhoneHost) async throws {
        guard !isOver else { throw PhoneActionError.off }
        suspension?.cancel()
        system.change { $0.place = .app }
        // The app is on the screen already, so it gets no second foreground event.
        if session != nil, system.current.process == .foreground { return }
        system.change { $0.process = .foreground }
        if let session {
            session.gate.resume()
            session.platform.send(.foreground)
            notes.note(.system, "The person opens the app; it was still in memory.")
        } else {
            notes.note(.system, "The person opens the app; its process starts.")
            try await launch(on: phone)
        }
        await session?.shop.cameToFront()
    }

    private func launch(on phone: any PhoneHost) async throws {
        let gate = ProcessGate()
        let platform = PhonePlatform(phone: phone, screen: screen)
        let transport = PhoneTransport(
            network: world.transport, gate: gate, isOnline: { [system] in system.current.isOnline },
            note: { [notes] in notes.noteExchange($0, $1, $2) }, now: world.environment.now
        )
        let client: BelfryClient
        let inApp: InAppOptions
        do {
            let configuration = try BelfryConfiguration(
                appCode: world.appCode, serverURL: world.serverURL, directory: folder
            )
            inApp = configuration.inApp
            client = try BelfryClient(
                configuration: configuration, platform: platform, transport: transport,
                environment: clock.environment(gate)
            )
        } catch {
            system.change { system in
                system.process = .notRunning
                system.place = .homeScreen
            }
            throw error
        }
        notes.appStarted()
        let shop = ShopApp(client: client, screen: screen, observer: notes)
        session = AppSession(shop: shop, inApp: inApp, platform: platform, gate: gate, observer: notes)
        // The network monitor of a real phone reports this when it starts.
        if !system.current.isOnline { platform.send(.online(false)) }
        try await client.setMessageCenterEnabled(true)
        try await client.start()
    }

    /// The app leaves the screen. The system suspends it a moment later.
    func leave(to place: PhoneSystem.Place) async {
        await session?.shop.leftFront()
        system.change { system in
            system.place = place
            system.banner = nil
        }
        guard system.current.process == .foreground, let session else { return }
        system.change { $0.process = .background }
        session.platform.send(.background)
        notes.note(.system, "The app is in the background: the SDK sends what waits, and the system will suspend it.")
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
        guard system.current.process == .background, let session else { return }
        session.gate.suspend()
        system.change { $0.process = .suspended }
        notes.note(.system, "The system has suspended the app: nothing of it runs until it is opened or woken.")
    }

    /// A silent push, or a push with a notification that also wakes the app, gives the app a moment in the background.
    func wake(with push: ReceivedPush) async throws {
        guard let session else { return }
        suspension?.cancel()
        session.gate.resume()
        if system.current.process == .suspended { system.change { $0.process = .background } }
        try await session.client.handlePush(push)
        // The flush runs in a task of its own, so that the next push does not wait for the network.
        Task {
            try? await session.client.flush()
            if system.current.process == .background { suspendSoon() }
        }
    }

    /// The person kills the app.
    func kill() async {
        guard session != nil else { return }
        await stop()
        system.change { system in
            system.process = .killed
            if system.place == .app { system.place = .homeScreen }
        }
        notes.note(.system, "The app was killed. Only what the SDK had stored is left. No silent push wakes it.")
    }

    /// Ends the process without finishing its work.
    func stop() async {
        suspension?.cancel()
        guard let session else { return }
        self.session = nil
        notes.appStopped()
        // The app's question for permission and its banner go with the process.
        system.change { system in
            system.isAsking = false
            system.banner = nil
        }
        screen.clear()
        await session.end()
        system.change { $0.process = .notRunning }
    }

    /// The phone is switched off: no process can start any more.
    func end() async {
        isOver = true
        await stop()
    }
}
