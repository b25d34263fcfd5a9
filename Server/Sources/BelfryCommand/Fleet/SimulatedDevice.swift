import Belfry
import BelfryModel
import BelfryWire
import Foundation

/// One phone or browser: the real SDK on a platform without a screen, and its simulated user.
actor SimulatedDevice {
    /// The device's surroundings: the server, the app, the push services.
    struct World: Sendable {
        let appCode: String
        let serverURL: URL
        let directory: URL
        let transport: any Transport
        let environment: DeviceEnvironment
        let pushServices: DevicePushServices
        /// The message centers that the app shows.
        let centers: [String]
        let pace: DevicePace

        init(
            appCode: String, serverURL: URL, directory: URL, transport: any Transport, environment: DeviceEnvironment,
            pushServices: DevicePushServices, centers: [String] = [MessageCenterName.primary.rawValue],
            pace: DevicePace = .standard
        ) {
            self.appCode = appCode
            self.serverURL = serverURL
            self.directory = directory
            self.transport = transport
            self.environment = environment
            self.pushServices = pushServices
            self.centers = centers
            self.pace = pace
        }
    }

    nonisolated let index: Int
    nonisolated let behaviour: DeviceBehaviour
    let world: World
    /// The screen on which in-app messages appear.
    nonisolated let screen: ScriptedInAppPresenter
    /// The home screen with notifications and the number on the icon.
    nonisolated let home: HomeScreen
    private(set) var client: BelfryClient?
    /// The messages that the person has seen in the message centers.
    var seenMessages: Set<String> = []
    /// The messages whose rich content the person has opened, from a push or in a message center. Each counts once.
    var openedPages: Set<String> = []
    /// Whether a silent push has ever announced in-app messages.
    private(set) var wasWoken = false
    private var token: String?
    private var listening: Task<Void, Never>?

    init(index: Int, behaviour: DeviceBehaviour, world: World) {
        self.index = index
        self.behaviour = behaviour
        self.world = world
        screen = ScriptedInAppPresenter(person: Self.person(of: behaviour))
        home = HomeScreen(showsNotifications: behaviour.consent != .denied)
    }

    /// The contact key of the device's user.
    nonisolated var contactKey: String { "person-\(index)" }

    /// The device's id, once it has been launched.
    func deviceID() async throws -> String? {
        try await client?.state().deviceId
    }

    /// Opens the app, for the first time or again.
    func launch() async throws {
        guard client == nil else { return }
        let client = try BelfryClient(
            configuration: try configuration,
            platform: HeadlessPlatform(system: system, notifications: home, badge: home, inAppPresenter: screen),
            transport: world.transport, environment: world.environment
        )
        self.client = client
        try await settle(client)
        try await client.setMessageCenterEnabled(true)
        try await client.start()
        if let token { try await listen(on: token, with: client) }
    }

    private var configuration: BelfryConfiguration {
        get throws {
            var configuration = try BelfryConfiguration(
                appCode: world.appCode, serverURL: world.serverURL,
                directory: world.directory.appending(path: "device-\(index)", directoryHint: .isDirectory)
            )
            configuration.sessionTimeout = world.pace.sessionTimeout
            configuration.inApp.minimumGap = world.pace.inAppGap
            return configuration
        }
    }

    private var system: SystemProperties {
        var system = SystemProperties.current(appVersion: "1.0", deviceModel: "simulated")
        system.platform = behaviour.platform
        system.locale = behaviour.locale
        return system
    }

    private var pushService: any DevicePushService {
        get throws {
            guard let service = world.pushServices[behaviour.provider] else {
                throw DevicePushServiceError.noService(behaviour.provider)
            }
            return service
        }
    }

    /// Sets consent, token and attributes before the app starts the SDK for the first time.
    private func settle(_ client: BelfryClient) async throws {
        token = token ?? rememberedToken
        guard token == nil else { return }
        try await client.setPushPermission(behaviour.consent != .denied)
        try await client.edit { [behaviour] record in
            record.setAttribute("city", to: .string(behaviour.city))
            if let name = behaviour.firstName { record.setAttribute("firstName", to: .string(name)) }
            if let tag = behaviour.tag { record.addTag(tag) }
            record.setPushEnabled(behaviour.consent != .appSwitch)
        }
        // No token is reported when the user has not opted in (REG-30).
        guard behaviour.consent != .denied else { return }
        let service = try pushService
        let token =
            behaviour.token == .foreign ? try await service.makeForeignToken(index) : try await service.issueToken()
        self.token = token
        try Data("\(tokenMark)\(token)".utf8).write(to: tokenFile)
        try await client.setPushToken(token, environment: .production, provider: behaviour.provider)
    }

    /// The file is beside the SDK's folder, because the system keeps an installation's token over a relaunch of the
    /// app.
    private var tokenFile: URL { world.directory.appending(path: "device-\(index).token") }

    /// A folder may be used again with devices of another push service, so the token file names the provider.
    private var tokenMark: String { "\(behaviour.provider.rawValue) " }

    private var rememberedToken: String? {
        guard let text = try? String(contentsOf: tokenFile, encoding: .utf8), text.hasPrefix(tokenMark) else {
            return nil
        }
        return String(text.dropFirst(tokenMark.count))
    }

    private func listen(on token: String, with client: BelfryClient) async throws {
        guard behaviour.token != .foreign else { return }
        let arrivals = try await pushService.pushes(for: token)
        listening = Task {
            for await payload in arrivals {
                guard let push = ReceivedPush(json: payload) else { continue }
                if push.payload.sync?.contains(PushPayload.inAppSync) == true { wasWoken = true }
                // An error such as a full disk is the device's problem; it sees the push again when the push arrives
                // again.
                _ = try? await client.handlePush(push)
            }
        }
    }

    /// Ends the app in an orderly way. It sends nothing more.
    func stop() async {
        listening?.cancel()
        await listening?.value
        listening = nil
        await client?.stop()
        client = nil
        screen.clearScreen()
    }

    /// Deletes the app. Only the push service learns of it.
    func deleteApp() async throws {
        guard let token else { return }
        await stop()
        try await pushService.unregister(token)
    }

    /// The person looks at the device and, if they open pushes, taps those on the lock screen. The app comes to the
    /// foreground and goes to the background, and its analytics are uploaded (PUSH-23).
    func look() async throws {
        guard let client else { return }
        let opened = behaviour.opens ? await home.open() : []
        try await client.didEnterForeground()
        for push in opened {
            try await client.pushOpened(push)
            await follow(push, with: client)
        }
        try await client.flush()
        try await client.didEnterBackground()
    }

    func leave() async throws {
        try await client?.didEnterBackground()
    }

    /// Logs the person in, as apps repeat it at each start (ID-3).
    func logIn() async throws {
        guard behaviour.logsIn else { return }
        try await client?.identify(contactKey: contactKey)
    }

    /// Logs the person out.
    ///
    /// - Returns: whether the device shows nothing of the person any more (ID-4); nil while the app is not running.
    func logOut() async throws -> Bool? {
        guard let client else { return nil }
        try await client.logout()
        for center in world.centers where try await !client.messages(in: center).isEmpty { return false }
        return await home.icon == 0
    }
}
