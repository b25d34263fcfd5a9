import Belfry
import Foundation

/// The app's process.
extension Phone {
    /// The person opens the app.
    func openApp() async throws {
        suspension?.cancel()
        system.place = .app
        // It is on the screen already: it hears of no second return.
        if session != nil, system.process == .foreground { return }
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
        await session?.shop.cameToFront()
    }

    /// The app leaves the screen. The system suspends it a moment later.
    func leaveApp(to place: PhoneSystem.Place) async {
        await session?.shop.leftFront()
        system.place = place
        system.banner = nil
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
        // Every start asks for the token.
        tokenSearch?.cancel()
        wantsToken = false
        guard let session else { return }
        self.session = nil
        // Whoever was asked has nobody to answer any more.
        system.isAsking = false
        system.banner = nil
        screen.clear()
        await session.end()
        system.process = .notRunning
    }

    private func launch() async throws {
        let gate = ProcessGate()
        let platform = PhonePlatform(phone: self, screen: screen)
        let transport = PhoneTransport(
            network: world.transport, gate: gate, isOnline: { await self.system.isOnline },
            note: { await self.noteExchange($0, $1, $2) }, now: world.environment.now
        )
        let client: BelfryClient
        let inApp: InAppOptions
        do {
            let configuration = try self.configuration
            inApp = configuration.inApp
            client = try BelfryClient(
                configuration: configuration, platform: platform, transport: transport,
                environment: clock.environment(gate)
            )
        } catch {
            system.process = .notRunning
            system.place = .homeScreen
            throw error
        }
        recallTokenAges()
        let shop = ShopApp(client: client, screen: screen, observer: self)
        session = AppSession(shop: shop, inApp: inApp, platform: platform, gate: gate, observer: self)
        // As the network monitor of a real phone does when it begins.
        if !system.isOnline { platform.send(.online(false)) }
        try await client.setMessageCenterEnabled(true)
        try await client.start()
    }

    private var folder: URL { world.folder(ofPhone: number) }

    /// Among the app's own files: it goes with them.
    var tokenAgesFile: TokenAgesFile { TokenAgesFile(folder: folder) }

    private var configuration: BelfryConfiguration {
        get throws {
            try BelfryConfiguration(appCode: world.appCode, serverURL: world.serverURL, directory: folder)
        }
    }

    /// The app is deleted and installed again: its files are gone, and the phone hears nothing of its token any more.
    /// APNs is told as soon as it answers.
    func reinstall() async throws {
        await endProcess()
        tokenLoss?.cancel()
        await pushes.drop()
        system.forgetApp()
        inspector.forgetTokens()
        defer {
            keepSystemAnew()
            retireFormerTokens()
        }
        do {
            if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
        } catch {
            throw PhoneActionError("The files of the app could not be removed: it still has what it had stored.")
        }
        note(.system, "The app was deleted and installed again.")
    }

    /// A silent push, or one beside a notification, gives the app a moment in the background.
    func wake(with push: ReceivedPush) async throws {
        guard let session else { return }
        suspension?.cancel()
        session.gate.resume()
        if system.process == .suspended { system.process = .background }
        try await session.client.handlePush(push)
        // The next push does not wait for the network.
        Task {
            try? await session.client.flush()
            if system.process == .background { suspendSoon() }
        }
    }
}
