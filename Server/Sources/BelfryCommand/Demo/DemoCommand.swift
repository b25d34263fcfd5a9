import ArgumentParser
import Belfry
import BelfryModel
import BelfryPostgres
import BelfrySimulators
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle
import Synchronization

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show pushes, message centers and in-app messages on this machine, without any account.",
        discussion: """
            It starts a server with an embedded database in a new folder, simulated APNs, FCM and Web Push services \
            over TLS and HTTP/2, and simulated devices that run the real SDK. It registers the devices, sends them \
            campaigns and prints the results. With --database it uses a schema of its own in a PostgreSQL database instead, \
            which is dropped at the end. Without --exit the server keeps running, and the addresses of its console \
            and of a phone and a website for your own browser are printed.
            """
    )

    @Option(help: "The number of devices, 1 to 5000.")
    var devices = 100

    @Flag(help: "Exit after the table.")
    var exit = false

    @Flag(help: "Print the table as one JSON object, on the last line.")
    var json = false

    @Option(help: "The port of the server; 0 picks a free one.")
    var port = 0

    @Option(
        help: """
            A PostgreSQL database instead of SQLite: postgres://user@host/name. The user may create schemas in it. Put a \
            password into a .pgpass file, because other users can see the command line.
            """)
    var database: String?

    @Flag(help: "Distribute the tables over the servers of the Citus cluster to whose coordinator --database leads.")
    var distributed = false

    func validate() throws {
        guard (1...5_000).contains(devices) else { throw ValidationError("--devices must be 1 to 5000.") }
        guard let database else {
            guard !distributed else { throw ValidationError("--distributed needs --database.") }
            return
        }
        do {
            _ = try PostgresAddress(database)
        } catch {
            throw ValidationError("--database: \(error)")
        }
    }

    func run() async throws {
        OpenFiles.raiseLimit()
        guard let database else { return try await run(in: nil) }
        try await TemporarySchema.run(in: database, "belfry_demo") { schema in
            if distributed { try schema.distribute() }
            try await run(in: schema)
        }
    }

    /// - Parameter schema: where the server stores; nil: in a SQLite database.
    private func run(in schema: TemporarySchema?) async throws {
        var logger = Logger(label: "belfry.demo", factory: { OneLineLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "belfry-demo-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try BelfryServer(
            configuration: .init(
                host: "127.0.0.1", port: port, data: folder.appending(path: "server").path, adminKey: nil,
                secretKey: schema?.secret, endpoints: .anywhere, rates: nil, trustedProxies: .none,
                database: schema?.address,
                // The demonstration's data is deleted when it ends, so it runs with little free space too.
                diskFloor: .off,
                // The user's own browser may use its maker's push service.
                trustsSystemToo: true
            ),
            environment: .live, logger: logger
        )
        var services = SimulatedPushServices.Settings(seed: UInt64.random(in: .min ... .max))
        // The browser port is for a Firefox that gets its pushes from the simulator instead of Mozilla's service.
        if !exit { services.browserPort = 0 }
        let simulators = try await SimulatedPushServices.start(services, clock: { Date() }, logger: logger)
        let (running, isRunning) = AsyncStream.makeStream(of: String.self)
        let (controlPorts, hasControl) = AsyncStream.makeStream(of: Int.self)
        let control = PushServicesControlServer(
            apns: simulators.apns, fcm: simulators.fcm, webPush: simulators.webPush,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ) { hasControl.yield($0) }
        let demo = DemoService(
            command: self, server: server, simulators: simulators, folder: folder, running: running,
            controlPorts: controlPorts
        )
        try await server.run(beside: simulators.services + [control], until: demo) { address in
            isRunning.yield(address)
        }
        try demo.outcome.withLock { try $0?.get() }
    }
}

/// Tells the story beside the running server; the server ends when it does.
private final class DemoService: Service {
    let command: DemoCommand
    let server: BelfryServer
    let simulators: SimulatedPushServices
    let folder: URL
    let running: AsyncStream<String>
    /// The port of the simulators' control API, once it listens.
    let controlPorts: AsyncStream<Int>
    let outcome = Mutex<Result<Void, any Error>?>(nil)

    init(
        command: DemoCommand, server: BelfryServer, simulators: SimulatedPushServices, folder: URL,
        running: AsyncStream<String>, controlPorts: AsyncStream<Int>
    ) {
        self.command = command
        self.server = server
        self.simulators = simulators
        self.folder = folder
        self.running = running
        self.controlPorts = controlPorts
    }

    func run() async throws {
        do {
            for await address in running.cancelOnGracefulShutdown() {
                try await tell(at: address)
                break
            }
            outcome.withLock { $0 = .success(()) }
        } catch {
            outcome.withLock { $0 = .failure(error) }
        }
    }

    private func tell(at address: String) async throws {
        guard let url = URLText.url(address), let port = await controlPorts.first(where: { _ in true }) else { return }
        let admin = AdminClient(server: address, key: server.adminKey)
        let credentials = try DemoCredentials(for: simulators)
        let world = DemoWorld(
            server: url, pushControl: "http://127.0.0.1:\(port)",
            applicationServerKey: credentials.applicationServerKey, directory: folder.appending(path: "devices")
        )
        let http = DemoWorld.http(devices: command.devices)
        let fleet = Fleet(count: command.devices, world: world.devices(http))
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await tell(at: address, admin, credentials, world, fleet))
        } catch {
            outcome = .failure(error)
        }
        try await fleet.each { await $0.stop() }
        try await http.shutdown()
        try outcome.get()
    }

    private func tell(
        at address: String, _ admin: AdminClient, _ credentials: DemoCredentials, _ world: DemoWorld, _ fleet: Fleet
    ) async throws {
        let quiet = command.json
        let story = DemoStory(
            admin: admin, credentials: credentials, world: world, fleet: fleet, environment: .live,
            say: { line in if !quiet { Console.say(line) } }
        )
        let (report, campaign) = try await story.run()
        guard !command.exit else { return try say(report) }
        let pages = DemoPages(
            admin: admin, world: world, folder: folder.appending(path: "phones", directoryHint: .isDirectory)
        )
        try await pages.serve { found in
            // With --json, the object must stay the last line.
            let addresses = try await self.addresses(at: address, found)
            if command.json { Console.say(addresses) }
            try say(report)
            if !command.json { try await invite(address, addresses: addresses, campaign: campaign, fleet: fleet) }
        }
    }

    private func say(_ report: DemoReport) throws {
        guard command.json else { return Console.say("\n\(report.table)\n") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        Console.say(String(decoding: try encoder.encode(report), as: UTF8.self))
    }

    /// The addresses to open, one per line (CLI-1). The console's address signs in once.
    private func addresses(at address: String, _ pages: DemoPages.Addresses) async throws -> String {
        let user = try await server.services.users.create(
            name: "demo", displayName: "Demo", password: nil, isOperator: true, roles: [:]
        )
        let welcome = server.invitation.invite(
            user.id,
            beside: [
                .init(
                    name: "A phone",
                    purpose: "It runs a sample app with the SDK. Allow its notifications, and push to it.",
                    address: pages.phone
                ),
                .init(
                    name: "Your own browser",
                    purpose: "Make it a device of this demonstration: it gets the push itself.",
                    address: pages.browser
                ),
            ]
        )
        let pushServer = simulators.addresses.webPush.browserURL.map { "\npush server: \($0)" } ?? ""
        return """
            console: \(address)\(welcome)
            data: \(folder.appending(path: "server").path)
            browser: \(pages.browser)\(pushServer)
            phone: \(pages.phone)
            """
    }

    private func invite(_ address: String, addresses: String, campaign: String, fleet: Fleet) async throws {
        let device = try await fleet.devices.first?.deviceID() ?? "DEVICE"
        let key = server.adminKeyFile?.path ?? "data/admin-key"
        Console.say("\(addresses)\n\n\(Self.invitation(address, campaign: campaign, device: device, key: key))")
    }

    private static func invitation(_ address: String, campaign: String, device: String, key: String) -> String {
        """
        The server keeps running at \(address). Open the console's address in a browser: it signs you in, once. The
        phone's address shows a phone with a sample app: allow its notifications, and send it a push. The browser's
        address makes your own browser a device: it gets the push itself.
        The admin key is in \(key). Ask the server for an explanation:
          belfry explain \(DemoApp.code) --campaign \(campaign) --device \(device) \\
            --server \(address) --key-file \(key)
        Stop it with Control-C.
        """
    }
}
